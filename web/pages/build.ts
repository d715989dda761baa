// Makes dist/pages/entry.js and tells whether it is older than its sources. For the build script and for tests.
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';
import type { Pages } from './props.ts';
import config from './vite.config.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const builtFile = join(repository, 'dist/pages/entry.js');

/** Builds aside and moves the file into place, so that a running server or test never reads half of it. */
export async function buildPages(): Promise<void> {
  await mkdir(join(repository, 'dist/pages'), { recursive: true });
  const aside = await mkdtemp(join(repository, 'dist/pages-'));
  try {
    await build({ ...config, configFile: false, build: { ...config.build, outDir: aside } });
    await rename(join(aside, 'entry.js'), builtFile);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** Builds when the built file is missing or older than any source of it. */
export async function ensurePagesBuilt(): Promise<void> {
  if (!(await isFresh())) await buildPages();
}

/** The built entry, built first if need be. */
export async function loadFreshPages(): Promise<Pages> {
  await ensurePagesBuilt();
  return (await import(pathToFileURL(builtFile).href)) as Pages;
}

async function isFresh(): Promise<boolean> {
  const builtAt = await stat(builtFile).then(
    (file) => file.mtimeMs,
    () => null,
  );
  if (builtAt === null) return false;
  const folders = ['web/pages', 'locales'].map((folder) => join(repository, folder));
  const names = await Promise.all(
    folders.map(async (folder) => (await readdir(folder, { recursive: true })).map((name) => join(folder, name))),
  );
  const files = [...names.flat(), join(repository, 'web/tokens.css')].filter((name) => !name.endsWith('.test.ts'));
  const changedAt = await Promise.all(files.map(async (file) => (await stat(file)).mtimeMs));
  return Math.max(...changedAt) < builtAt;
}
