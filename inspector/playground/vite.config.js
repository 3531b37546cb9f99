import { defineConfig } from 'vite'
import { thirdParty } from '../third_party.js'

// GraphiQL is built apart from the page, so that the page is none the larger for it. As there, the same bytes each time.
/** GraphiQL's stylesheet carries its fonts inline, half a megabyte under licences of their own. The system's will do. */
const withoutFonts = {
  name: 'without-fonts',
  enforce: 'pre',
  transform: (code, id) => (id.endsWith('.css') ? code.replace(/@font-face\s*\{[^}]*\}/g, '') : undefined),
}

export default defineConfig({
  base: './',
  logLevel: 'warn',
  esbuild: { jsx: 'automatic' },
  plugins: [withoutFonts, thirdParty('THIRD_PARTY_graphiql.txt')],
  build: {
    outDir: '../dist/graphiql',
    emptyOutDir: true,
    target: 'es2022',
    sourcemap: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2000,
    rollupOptions: {
      output: { inlineDynamicImports: true }, // its parts import each other in circles
      onwarn: (warning, show) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') show(warning) // "use client" means nothing in a bundle
      },
    },
  },
})
