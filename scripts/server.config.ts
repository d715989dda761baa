// Builds the server into dist/server: what Node would otherwise strip of types and put together from 1,500 files at
// each start (docs/adr/0077). Every file is in that one folder, for server/lib/places.ts. A thread has its own file.
import { fileURLToPath } from 'node:url';
import type { UserConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Names stay, for traces. Blanks, comments and letters beyond ASCII go: one such letter makes the engine keep the whole
 * text with two bytes for each. Together 4 MB less in each process, of 63.
 */
export const bundleMinify = {
  compress: false,
  mangle: false,
  codegen: { removeWhitespace: true, asciiOnly: true },
} as const;

const config: UserConfig = {
  root: here('..'),
  publicDir: false,
  logLevel: 'warn',
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
