// Packages that are not in the main lockfile: each folder of `tools/` with a package.json is installed on first use.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
  const isInstalled = () => existsSync(mark) && readFileSync(mark, 'utf8') === wanted;
  if (isInstalled()) return packages;
  // Test files in several processes can install at the same time: each into its own folder, and one is moved into place.
  const own = mkdtempSync(join(folder, '.installing-'));
  try {
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(folder, file), join(own, file));
    const args = ['ci', '--prefix', own, '--ignore-scripts', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', args, { maxBuffer: 64 * 1024 * 1024 });
    writeFileSync(join(own, 'node_modules', '.installed'), wanted);
    if (isInstalled()) return packages;
    rmSync(packages, { recursive: true, force: true });
    renameSync(join(own, 'node_modules'), packages);
  } catch (error) {
    if (!isInstalled()) throw error;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
  return packages;
}
