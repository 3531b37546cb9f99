/** Node wants the extension of what the plugin of Relay imports; a bundler finds it by itself. */
const withExtension = () => ({
  visitor: {
    Program: {
      exit({ node }) {
        for (const { source } of node.body) if (source?.value.endsWith('.graphql')) source.value += '.js';
      },
    },
  },
});

export default {
  plugins: ['relay', withExtension],
  presets: ['@babel/preset-typescript', ['@babel/preset-react', { runtime: 'automatic' }]],
};
