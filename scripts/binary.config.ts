// The program as the code of one executable file (docs/adr/0087): command line, server and each thread in one module of its
// own. Nothing is left outside: packages are inside, and what they read from files is an asset.
import { fileURLToPath } from 'node:url';
import type { InlineConfig, Plugin } from 'vite';
import { builtinModules } from './builtin-modules.ts';
import { asciiOnly, bundleMinify } from './bundle-text.ts';
import { withoutUnused } from './left-out.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Modules of which the executable file has its own. */
const instead: Record<string, string> = {
  [here('../server/lib/places.ts')]: here('../server/lib/places-inside.ts'),
};

const substitutes: Plugin = {
  name: 'modules-of-the-executable-file',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    if (source === '@node-rs/crc32') return here('../server/lib/crc32-inside.ts');
    const found = await this.resolve(source, importer, { ...options, skipSelf: true });
    return found === null ? null : (instead[found.id] ?? found);
  },
};

export function configOf(entry: string, outDir: string, format: 'es' | 'cjs' = 'es'): InlineConfig {
  return {
    root: here('..'),
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [substitutes, withoutUnused, ...(format === 'es' ? [builtinModules] : []), asciiOnly()],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      target: 'node26',
      rolldownOptions: {
        input: here(`../${entry}`),
        output: {
          format,
          codeSplitting: false,
          dynamicImportInCjs: false,
          entryFileNames: `[name].${format === 'es' ? 'js' : 'cjs'}`,
          minify: bundleMinify,
        },
      },
    },
  };
}
