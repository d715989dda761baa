// Builds the client library into one module without imports, for Node and browsers.
import { join } from 'node:path';
import type { UserConfig } from 'vite';
import { repositoryRoot } from './source-files.ts';

export default {
  root: repositoryRoot,
  publicDir: false,
  logLevel: 'warn',
  build: {
    target: 'es2022',
    minify: false,
    outDir: join(repositoryRoot, 'dist', 'client'),
    emptyOutDir: true,
    lib: { entry: join(repositoryRoot, 'client', 'waybill.ts'), formats: ['es'], fileName: () => 'waybill.js' },
  },
} satisfies UserConfig;
