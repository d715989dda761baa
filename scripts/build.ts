// `npm run build`: the pages, for rendering on the server, the web app, for browsers, and server and command line as few
// files that start fast. With `--if-missing` a finished build of the same sources is left alone, in a few milliseconds.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { isWorthCompressing, suffixes } from '#web/encodings.ts';
import type { Pages } from '#web/pages/page.ts';
import { hashInputs, isFresh, stampName, type Target, targets } from './build-targets.ts';
import { repositoryRoot } from './source-files.ts';

/** Writes the files that are to be compressed beforehand, and gives their folder; both below the target's own. */
const assetFolders: Partial<Record<Target['folder'], (folder: string) => Promise<string>>> = {
  pages: writePageAssets,
  app: async (folder) => join(folder, 'assets'),
};

const isOptional = process.argv.includes('--if-missing');
for (const target of targets) if (!(isOptional && isFresh(target))) await build(target);

/** Builds aside and swaps the folders, so that nobody reads half a build and a failed one leaves the old in place. */
async function build(target: Target): Promise<void> {
  const startedAt = performance.now();
  const inputs = hashInputs(target); // before the build: what changes during it makes another
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
    const assetFolder = await assetFolders[target.folder]?.(aside);
    if (assetFolder !== undefined) await compressFiles(assetFolder);
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
