// Builds the server into dist/server as few files, which start faster than 1,500 source files (docs/adr/0077). All files are in
// one folder, for server/lib/program-files.ts. Each thread has a separate file.
import { fileURLToPath } from 'node:url';
import type { UserConfig } from 'vite';
import { builtinModules } from './builtin-modules.ts';
import { asciiOnly, bundleMinify } from './bundle-text.ts';
import { withoutUnused } from './unused-packages.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const config: UserConfig = {
  root: here('..'),
  publicDir: false,
  logLevel: 'warn',
  plugins: [builtinModules, withoutUnused, asciiOnly()],
  // Compiled code for each architecture, and a package that reads its fonts from files.
  ssr: { noExternal: true, external: ['@node-rs/crc32', 'pdfkit'] },
  build: {
    ssr: true,
    outDir: here('../dist/server'),
    emptyOutDir: true,
    target: 'node26',
    sourcemap: true,
    rolldownOptions: {
      input: [
        'server/main.ts',
        'server/db/engine/checkpoint-worker.ts',
        'server/blobs/hash-thread.mjs',
        'server/lib/password-thread.mjs',
      ].map((path) => here(`../${path}`)),
      output: {
        format: 'es',
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        minify: bundleMinify,
      },
    },
  },
};

export default config;
