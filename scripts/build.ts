// `npm run build`: what must be compiled before the server can run from source: the recipient pages, for rendering on
// the server. With `--if-missing` a finished build of the same sources is left alone, in a few milliseconds.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { listFiles, repositoryRoot } from './source-files.ts';

const entry = 'web/pages/entry.tsx';
const configFile = 'web/pages/vite.config.ts';
const outputFolder = join(repositoryRoot, 'dist/pages');
const entryName = 'entry.js';
/** Holds the hash of what the build was made from. */
const stampName = '.inputs';

/** Everything the pages are made of. Too many inputs cost a build now and then, too few would show old pages. */
const inputFolders = ['web', 'contract', 'language', 'locales', 'transfer'];
const inputFiles = ['package-lock.json'];

if (!existsSync(join(repositoryRoot, entry))) {
  console.log(`nothing to build: there is no ${entry}`);
} else {
  const inputs = hashInputs();
  if (!(process.argv.includes('--if-missing') && isFresh(inputs))) await build(inputs);
}

function isFresh(inputs: string): boolean {
  const stamp = join(outputFolder, stampName);
  return existsSync(join(outputFolder, entryName)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs;
}

/** Builds aside and swaps the folders, so that nobody reads half a build and a failed one leaves the old in place. */
async function build(inputs: string): Promise<void> {
  const startedAt = performance.now();
  const { createBuilder } = await import('vite'); // only now: loading it takes longer than everything else here
  mkdirSync(join(repositoryRoot, 'dist'), { recursive: true });
  const aside = mkdtempSync(join(repositoryRoot, 'dist/pages-'));
  const old = `${aside}-old`;
  try {
    const config = {
      configFile: join(repositoryRoot, configFile),
      logLevel: 'warn',
      build: { outDir: aside },
    } as const;
    const builder = await createBuilder(config, null);
    await builder.buildApp();
    if (!existsSync(join(aside, entryName))) throw new Error(`${configFile} did not make ${entryName}`);
    writeFileSync(join(aside, stampName), inputs);
    chmodSync(aside, 0o755); // the server may run as another user than the builder
    if (existsSync(outputFolder)) renameSync(outputFolder, old);
    renameSync(aside, outputFolder);
  } finally {
    for (const folder of [aside, old]) rmSync(folder, { recursive: true, force: true });
  }
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
