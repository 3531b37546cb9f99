import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { thirdParty } from '../third_party.js'

// The built files are committed, so a build must give the same bytes everywhere: no source maps, no dates, names by hash.
export default defineConfig({
  base: './',
  logLevel: 'warn',
  plugins: [thirdParty()],
  resolve: {
    alias: { 'inlaygraph-rows': fileURLToPath(new URL('../../clients/js/index.js', import.meta.url)) },
  },
  server: {
    fs: { allow: ['.', '../../clients/js'] },
    proxy: { '/graphql': { target: process.env['INLAY'] ?? 'http://127.0.0.1:8080', ws: true } },
  },
  build: {
    outDir: '../dist/page',
    emptyOutDir: true,
    target: 'es2022',
    sourcemap: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rollupOptions: {
      onwarn: (warning, show) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') show(warning) // "use client" means nothing in a bundle
      },
      output: {
        // React and the graph change seldom: files of their own stay in the browser's cache.
        manualChunks: (id) => (/node_modules\/(react|react-dom|scheduler)\//.test(id) ? 'react' : undefined),
      },
    },
  },
})
