import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Plugin, UserConfig } from 'vite';
import { build } from 'vite';
import { withoutUnused } from '#scripts/unused-packages.ts';
import { asciiOnly, bundleMinify } from '../../scripts/bundle-text.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const suffix = '?script';

/** `import { source } from './x.ts?script'`: one minified module as text. */
function browserScripts(): Plugin {
  return {
    name: 'browser-scripts',
    enforce: 'pre',
    async load(id) {
      if (!id.endsWith(suffix)) return null;
      const result = await build({
        configFile: false,
        root: here('.'),
        publicDir: false,
        logLevel: 'warn',
        build: {
          write: false,
          target: ['chrome100', 'firefox100', 'safari15.4'],
          modulePreload: false,
          rollupOptions: { input: id.slice(0, -suffix.length), output: { format: 'es' } },
        },
      });
      const output = [result].flat().flatMap((bundle) => ('output' in bundle ? bundle.output : []));
      const chunks = output.flatMap((file) => (file.type === 'chunk' ? [file] : []));
      if (chunks.length !== 1) throw new Error(`${id} must become one file, not ${chunks.length}`);
      for (const source of Object.keys(chunks[0]!.modules)) this.addWatchFile(source);
      return `export const source = ${JSON.stringify(chunks[0]!.code)};`;
    },
  };
}

const bytesSuffix = '?bytes';

/** `import { base64 } from './x.woff2?bytes'`. */
function fileBytes(): Plugin {
  return {
    name: 'file-bytes',
    enforce: 'pre',
    async load(id) {
      if (!id.endsWith(bytesSuffix)) return null;
      const path = id.slice(0, -bytesSuffix.length);
      this.addWatchFile(path);
      return `export const base64 = ${JSON.stringify(await readFile(path, 'base64'))};`;
    },
  };
}

const config: UserConfig = {
  root: here('.'),
  publicDir: false,
  logLevel: 'warn',
  plugins: [browserScripts(), fileBytes(), withoutUnused, asciiOnly()],
  // The development renderer is ten times slower.
  define: { 'process.env.NODE_ENV': '"production"' },
  oxc: { jsx: { runtime: 'automatic', development: false } },
  ssr: { noExternal: true },
  build: {
    ssr: here('./entry.tsx'),
    outDir: here('../../dist/pages'),
    emptyOutDir: true,
    target: 'node26',
    cssMinify: 'lightningcss',
    cssTarget: ['chrome100', 'firefox100', 'safari15.4'],
    rollupOptions: { output: { format: 'es', entryFileNames: 'entry.js', minify: bundleMinify } },
  },
};

export default config;
