// The version before this one, out of the history: what an upgrade starts from. After a release, its commit goes here.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '#scripts/source-files.ts';

/** The first that works beside the version after it. */
const commit = '46dc96c6f2c2c98d86bac71163bedaa73270843f';

const run = promisify(execFile);

/** Why there is nothing to start from; null when there is. A history that is there and lacks the commit is a mistake. */
export async function findMissingHistory(): Promise<string | null> {
  if (!existsSync(join(repositoryRoot, '.git'))) return 'these sources have no history';
  if (
    await git('cat-file', '-e', `${commit}^{commit}`).then(
      () => true,
      () => false,
    )
  )
    return null;
  if ((await git('rev-parse', '--is-shallow-repository')).trim() === 'true')
    return 'this clone has only a part of the history';
  throw new Error(`the history has no commit ${commit}: see test/kit/version-before.ts`);
}

/** Its sources in a folder of their own, to be run with what is installed and with the pages that are built here. */
export async function exportVersionBefore(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'waybill-before-'));
  const archive = join(folder, 'sources.tar');
  await git('archive', '--output', archive, commit, 'server', 'contract', 'language', 'locales', 'web', 'package.json');
  await run('tar', ['-xf', archive, '-C', folder]);
  for (const name of ['node_modules', 'dist']) await symlink(join(repositoryRoot, name), join(folder, name));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The migrations that it knows. */
export async function listMigrationsBefore(): Promise<string[]> {
  const names = await git('ls-tree', '--name-only', commit, 'server/db/migrations/');
  return names.split('\n').flatMap((path) => /(\d{4}-[\w-]+)\.ts$/.exec(path)?.[1] ?? []);
}

async function git(...args: string[]): Promise<string> {
  return (await run('git', ['-c', 'safe.directory=*', ...args], { cwd: repositoryRoot })).stdout;
}
