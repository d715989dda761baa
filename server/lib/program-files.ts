// Locates files both from source and from `dist/server`, which is equally deep. `program-files-embedded.ts` replaces it
// in the executable file.
import type { ClusterSettings } from 'node:cluster';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuiltFiles, filesOfFolder } from '#web/built-files.ts';
import { OperatorProblem } from './operator-problem.ts';

const here = import.meta.dirname;
const isBundle = basename(dirname(here)) === 'dist';
const rootFolder = join(here, '../..');

/** By path in the repository. */
export const shipped: BuiltFiles = filesOfFolder(pathToFileURL(join(rootFolder, '/')));

/** Output of `npm run build` for browsers. */
export function builtFiles(name: 'pages' | 'app' | 'cli-file' | 'docs'): BuiltFiles {
  return filesOfFolder(pathToFileURL(join(rootFolder, 'dist', name, '/')));
}

export function assertBuilt(root = rootFolder): void {
  const missing = ['dist/pages/entry.js', 'dist/app/assets'].find((path) => !existsSync(join(root, path)));
  if (missing !== undefined)
    throw new OperatorProblem(
      `${join(root, missing)} is missing: the program is not built. Run: npm run build (in ${root})`,
    );
}

/** `path`: below `server/`. */
export function threadScript(path: string): URL {
  return pathToFileURL(
    isBundle ? join(here, basename(path).replace(/\.m?[jt]s$/, '.js')) : join(rootFolder, 'server', path),
  );
}

export const workerSettings: ClusterSettings = {};
