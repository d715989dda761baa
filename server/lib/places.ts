// Where the files are that the program reads besides its own code. It runs from source or from the bundle of
// `npm run build`; this folder and `dist/server`, where every file of the bundle is, are equally deep.
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const here = import.meta.dirname;
const isBundle = basename(dirname(here)) === 'dist';

/** The folder that has package.json, locales, dist and what is installed. */
export const rootFolder = join(here, '../..');

/** What `npm run build` made for browsers. */
export function builtFolder(name: 'pages' | 'app'): URL {
  return pathToFileURL(join(rootFolder, 'dist', name, '/'));
}

/** The code of a thread, by its path below `server/`. Each has its own file in the bundle too (scripts/server.config.ts). */
export function threadScript(path: string): URL {
  return pathToFileURL(
    isBundle ? join(here, basename(path).replace(/\.m?[jt]s$/, '.js')) : join(rootFolder, 'server', path),
  );
}
