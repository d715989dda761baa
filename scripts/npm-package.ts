// Finds an npm package; fetches one for another architecture once, and checks it against the lockfile.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './source-files.ts';

interface Lock {
  packages: Record<string, { version: string; integrity: string } | undefined>;
}

/** The folder of the installed package, or one below node_modules/.cache. */
export function packageFolder(name: string): string {
  const installed = join(repositoryRoot, 'node_modules', name);
  if (existsSync(installed)) return installed;
  const lock = JSON.parse(readFileSync(join(repositoryRoot, 'package-lock.json'), 'utf8')) as Lock;
  const locked = lock.packages[`node_modules/${name}`];
  if (locked === undefined) throw new Error(`package-lock.json does not name ${name}`);
  const cache = join(repositoryRoot, 'node_modules', '.cache', 'foreign');
  const folder = join(cache, `${name.replace('/', '+')}@${locked.version}`);
  if (!existsSync(folder)) fetchPackage(`${name}@${locked.version}`, locked.integrity, { cache, folder });
  return folder;
}

function fetchPackage(spec: string, integrity: string, { cache, folder }: { cache: string; folder: string }): void {
  mkdirSync(cache, { recursive: true });
  const aside = mkdtempSync(join(cache, 'fetch-'));
  try {
    const archive = execFileSync('npm', ['pack', '--silent', spec], { cwd: aside, encoding: 'utf8' })
      .trim()
      .split('\n')
      .at(-1)!;
    const [algorithm, expected] = integrity.split(/-(.*)/s) as [string, string];
    const found = createHash(algorithm)
      .update(readFileSync(join(aside, archive)))
      .digest('base64');
    if (found !== expected) throw new Error(`${spec} is not what package-lock.json names`);
    execFileSync('tar', ['-xzf', archive], { cwd: aside });
    renameSync(join(aside, 'package'), folder);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}
