// Builds the command line as one file for any Node since 20, without native code; the server offers it at /cli.
import { fileURLToPath } from 'node:url';
import type { UserConfig } from 'vite';
import { asciiOnly, bundleMinify } from './bundle-text.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const config: UserConfig = {
  root: here('..'),
  publicDir: false,
  logLevel: 'warn',
  plugins: [asciiOnly()],
  resolve: { alias: { '@node-rs/crc32': here('../cli/crc32-portable.ts') } },
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir: here('../dist/cli-file'),
    emptyOutDir: true,
    target: 'node20',
    rolldownOptions: {
      input: here('../cli/main.ts'),
      output: { format: 'es', codeSplitting: false, entryFileNames: 'waybill.mjs', minify: bundleMinify },
    },
  },
};

export default config;
