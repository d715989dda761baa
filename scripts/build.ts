// `npm run build`: what must be compiled before the server can run from source: the pages, for rendering on the server,
// and the web app, for browsers. With `--if-missing` a finished build of the same sources is left alone, in a few
// milliseconds.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { isWorthCompressing, suffixes } from '#web/encodings.ts';
import type { Pages } from '#web/pages/page.ts';
import { listFiles, repositoryRoot } from './source-files.ts';

interface Target {
  name: string;
  configFile: string;
  /** Below dist/. */
  folder: string;
  /** What a finished build certainly has. */
  entryName: string;
  /** Writes the files that are to be compressed beforehand, and gives their folder; both below the target's own. */
  assetFolder(folder: string): Promise<string>;
}

const targets: Target[] = [
  {
    name: 'pages',
    configFile: 'web/pages/vite.config.ts',
    folder: 'pages',
    entryName: 'entry.js',
    assetFolder: writePageAssets,
  },
  {
    name: 'app',
    configFile: 'web/app/vite.config.ts',
    folder: 'app',
    entryName: 'index.html',
    assetFolder: async (folder) => join(folder, 'assets'),
  },
];

/** Holds the hash of what the build was made from. */
const stampName = '.inputs';

/** Everything the pages and the app are made of. Too many inputs cost a build now and then, too few would show old ones. */
const inputFolders = ['web', 'contract', 'language', 'locales', 'transfer'];
const inputFiles = ['package-lock.json'];

const inputs = hashInputs();
const isOptional = process.argv.includes('--if-missing');
for (const target of targets) if (!(isOptional && isFresh(target))) await build(target);

function isFresh(target: Target): boolean {
  const folder = join(repositoryRoot, 'dist', target.folder);
  const stamp = join(folder, stampName);
  return existsSync(join(folder, target.entryName)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs;
}

/** Builds aside and swaps the folders, so that nobody reads half a build and a failed one leaves the old in place. */
async function build(target: Target): Promise<void> {
  const startedAt = performance.now();
  const { createBuilder } = await import('vite'); // only now: loading it takes longer than everything else here
  mkdirSync(join(repositoryRoot, 'dist'), { recursive: true });
  const outputFolder = join(repositoryRoot, 'dist', target.folder);
  const aside = mkdtempSync(`${outputFolder}-`);
  const old = `${aside}-old`;
  try {
    const config = {
      configFile: join(repositoryRoot, target.configFile),
      logLevel: 'warn',
      build: { outDir: aside },
    } as const;
    const builder = await createBuilder(config, null);
    await builder.buildApp();
    if (!existsSync(join(aside, target.entryName)))
      throw new Error(`${target.configFile} did not make ${target.entryName}`);
    await compressFiles(await target.assetFolder(aside));
    writeFileSync(join(aside, stampName), inputs);
    chmodSync(aside, 0o755); // the server may run as another user than the builder
    if (existsSync(outputFolder)) renameSync(outputFolder, old);
    renameSync(aside, outputFolder);
  } finally {
    for (const folder of [aside, old]) rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${target.name} built in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
}

/** Styles and scripts of the pages are inside their entry; here they become files, so that they can be compressed. */
async function writePageAssets(folder: string): Promise<string> {
  const { assets } = (await import(pathToFileURL(join(folder, 'entry.js')).href)) as Pages;
  mkdirSync(join(folder, 'assets'));
  for (const { path, body } of assets) if (isWorthCompressing(path)) await writeFile(join(folder, path), body);
  return join(folder, 'assets');
}

/** Once here instead of at each request, and as small as can be. */
async function compressFiles(folder: string): Promise<void> {
  const brotli = promisify(brotliCompress);
  const zip = promisify(gzip);
  await Promise.all(
    readdirSync(folder)
      .filter(isWorthCompressing)
      .map(async (name) => {
        const path = join(folder, name);
        const body = await readFile(path);
        await writeFile(path + suffixes.br, await brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
        await writeFile(path + suffixes.gzip, await zip(body, { level: 9 }));
      }),
  );
}

function hashInputs(): string {
  const hash = createHash('sha256');
  for (const path of [...listFiles(repositoryRoot, inputFolders), ...inputFiles]) {
    if (/\.(test|suite)\.tsx?$|\.md$/.test(path)) continue;
    const content = readFileSync(join(repositoryRoot, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
