// Builds the server into dist/server: what Node would otherwise strip of types and put together from 1,500 files at
// each start (docs/adr/0077). Every file is in that one folder, for server/lib/places.ts. A thread has its own file.
import { fileURLToPath } from 'node:url';
import type { UserConfig } from 'vite';
import { builtinModules } from './builtin-modules.ts';
import { asciiOnly, bundleMinify } from './bundle-text.ts';
import { withoutUnused } from './left-out.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const config: UserConfig = {
  root: here('..'),
  publicDir: false,
  logLevel: 'warn',
  plugins: [builtinModules, withoutUnused, asciiOnly()],
  // Compiled code, with a file for each kind of machine; and a package that reads files beside its own, the fonts.
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
