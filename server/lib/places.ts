// Where the files are that the program reads besides its own code. It runs from source or from the bundle of
// `npm run build`; this folder and `dist/server`, where every file of the bundle is, are equally deep. In the one
// executable file `places-inside.ts` takes the place of this module.
import type { ClusterSettings } from 'node:cluster';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuiltFiles, filesOfFolder } from '#web/built-files.ts';
import { OperatorProblem } from './operator-problem.ts';

const here = import.meta.dirname;
const isBundle = basename(dirname(here)) === 'dist';
const rootFolder = join(here, '../..');

/** By their path in the repository: locales, and what is installed. */
export const shipped: BuiltFiles = filesOfFolder(pathToFileURL(join(rootFolder, '/')));

/** What `npm run build` made for browsers. */
export function builtFiles(name: 'pages' | 'app'): BuiltFiles {
  return filesOfFolder(pathToFileURL(join(rootFolder, 'dist', name, '/')));
}

export function assertBuilt(root = rootFolder): void {
  const missing = ['dist/pages/entry.js', 'dist/app/assets'].find((path) => !existsSync(join(root, path)));
  if (missing !== undefined)
    throw new OperatorProblem(
      `${join(root, missing)} is missing: the program is not built. Run: npm run build (in ${root})`,
    );
}

/** The code of a thread, by its path below `server/`. Each has its own file in the bundle too (scripts/server.config.ts). */
export function threadScript(path: string): URL {
  return pathToFileURL(
    isBundle ? join(here, basename(path).replace(/\.m?[jt]s$/, '.js')) : join(rootFolder, 'server', path),
  );
}

/** How a worker is started: as this process was. */
export const workerSettings: ClusterSettings = {};
