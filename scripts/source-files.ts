// Lists the files of the repository, without installed, built and run-time files.
import { readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repositoryRoot = dirname(dirname(fileURLToPath(import.meta.url)));

const skippedNames = new Set(['node_modules', 'dist', 'data', '.git', '.test']);

/** Sorted paths relative to `root`, with `/`; `folders` limits them and may be missing. */
export function listFiles(root: string, folders: string[] = ['.']): string[] {
  const found: string[] = [];
  const walk = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (skippedNames.has(entry.name)) continue; // `.git` is a file in worktrees
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      if (entry.isFile()) found.push(relative(root, path).split(sep).join('/'));
    }
  };
  const present = new Set(readdirSync(root));
  for (const folder of folders) if (folder === '.' || present.has(folder.split('/')[0]!)) walk(join(root, folder));
  return found.sort();
}
