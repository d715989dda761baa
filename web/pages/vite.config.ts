// Builds the page layer into one file, dist/pages/entry.js, with React's production renderer and the styles inside.
import { fileURLToPath } from 'node:url';
import type { UserConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const config: UserConfig = {
  root: here('.'),
  publicDir: false,
  logLevel: 'warn',
  // The development renderer is ten times slower and warns on the server's log; it is never wanted in the built file.
  define: { 'process.env.NODE_ENV': '"production"' },
  oxc: { jsx: { runtime: 'automatic', development: false } },
  ssr: { noExternal: true },
  build: {
    ssr: here('./entry.tsx'),
    outDir: here('../../dist/pages'),
    emptyOutDir: true,
    target: 'node24',
    minify: false,
    cssMinify: 'lightningcss',
    cssTarget: ['chrome100', 'firefox100', 'safari15.4'],
    rollupOptions: { output: { format: 'es', entryFileNames: 'entry.js' } },
  },
};

export default config;
