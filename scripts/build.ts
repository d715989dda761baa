// `npm run build`: what must be compiled before the server can run from source: the recipient pages, for rendering on
// the server. With `--if-missing` a finished build of the same sources is left alone, in a few milliseconds.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listFiles, repositoryRoot } from './source-files.ts';

const entry = 'web/pages/entry.tsx';
const configFile = 'web/pages/vite.config.ts';
const output = 'dist/pages/entry.js';
const stampPath = join(repositoryRoot, 'dist/pages/.inputs');

/** Everything the pages are made of. Too many inputs cost a build now and then, too few would show old pages. */
const inputFolders = ['web', 'contract', 'locales'];
const inputFiles = ['package-lock.json'];

if (!existsSync(join(repositoryRoot, entry))) {
  console.log(`nothing to build: there is no ${entry}`);
} else {
  const inputs = hashInputs();
  if (!(process.argv.includes('--if-missing') && isFresh(inputs))) await build(inputs);
}

function isFresh(inputs: string): boolean {
  return (
    existsSync(join(repositoryRoot, output)) && existsSync(stampPath) && readFileSync(stampPath, 'utf8') === inputs
  );
}

async function build(inputs: string): Promise<void> {
  const startedAt = performance.now();
  // The stamp goes first and comes last: a build that broke off is made again.
  rmSync(stampPath, { force: true });
  const { createBuilder } = await import('vite'); // only now: loading it takes longer than everything else here
  const builder = await createBuilder({ configFile: join(repositoryRoot, configFile), logLevel: 'warn' }, null);
  await builder.buildApp();
  if (!existsSync(join(repositoryRoot, output))) throw new Error(`${configFile} did not make ${output}`);
  mkdirSync(dirname(stampPath), { recursive: true });
  writeFileSync(stampPath, inputs);
  console.log(`pages built in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
}

function hashInputs(): string {
  const hash = createHash('sha256');
  for (const path of [...listFiles(repositoryRoot, inputFolders), ...inputFiles]) {
    if (/\.(test|suite)\.tsx?$/.test(path)) continue;
    const content = readFileSync(join(repositoryRoot, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
