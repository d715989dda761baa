// Builds the code of the executable file (docs/adr/0087): command line, server and each thread as one module with all
// packages.
import { fileURLToPath } from 'node:url';
import type { InlineConfig, Plugin } from 'vite';
import { builtinModules } from './builtin-modules.ts';
import { asciiOnly, bundleMinify } from './bundle-text.ts';
import { withoutUnused } from './unused-packages.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Modules that the executable file replaces. */
const replacements: Record<string, string> = {
  [here('../server/lib/program-files.ts')]: here('../server/lib/program-files-embedded.ts'),
};

const substitutes: Plugin = {
  name: 'modules-of-the-executable-file',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    if (source === '@node-rs/crc32') return here('../server/lib/crc32-embedded.ts');
    const found = await this.resolve(source, importer, { ...options, skipSelf: true });
    return found === null ? null : (replacements[found.id] ?? found);
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
