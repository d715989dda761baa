// Packages that are not in the main lockfile: each folder of `tools/` with a package.json is installed on first use.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from './source-files.ts';

/** Returns the folder of the installed packages. */
export async function installSeparately(name: string): Promise<string> {
  const folder = join(repositoryRoot, 'tools', name);
  const packages = join(folder, 'node_modules');
  const mark = join(packages, '.installed');
  const wanted = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return packages;
  const args = ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'];
  await promisify(execFile)('npm', args, { maxBuffer: 64 * 1024 * 1024 });
  writeFileSync(mark, wanted);
  return packages;
}
