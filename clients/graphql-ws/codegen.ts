import type { CodegenConfig } from '@graphql-codegen/cli';

// #region codegen
const config: CodegenConfig = {
  schema: '../../graph/schema.graphqls', // or http://127.0.0.1:8080/schema.graphql
  documents: 'src/*.graphql',
  importExtension: '.js', // as Node and TypeScript's nodenext want it; leave it out with a bundler
  generates: {
    'src/gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        scalars: { DateTime: 'string', JSON: 'unknown', MicroUSD: 'number', SafeInt: 'number', ID: 'string' },
        strictScalars: true, // a new scalar is an error, not an any
        enumsAsTypes: true,
        useTypeImports: true,
        documentMode: 'string',
      },
    },
  },
};
// #endregion

export default config;
