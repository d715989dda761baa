// `npm run build`: builds the pages (rendered on the server), the web app, the server and the command line. With `--if-missing`
// it only builds what is missing or was built from other sources.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isWorthCompressing } from '#web/encodings.ts';
import type { Pages } from '#web/pages/page.ts';
import { hashInputs, isFresh, stampName, type Target, targets } from './build-targets.ts';
import { compressFiles } from './compress-files.ts';
import { repositoryRoot } from './source-files.ts';

/** Writes the files to be compressed and returns their folder. */
const assetFolders: Partial<Record<Target['folder'], (folder: string) => Promise<string>>> = {
  pages: writePageAssets,
  app: async (folder) => join(folder, 'assets'),
};

const isOptional = process.argv.includes('--if-missing');
for (const target of targets) if (!(isOptional && isFresh(target))) await build(target);

/** Builds in a separate folder and swaps it in, so that no process reads half a build and a failed build changes nothing. */
async function build(target: Target): Promise<void> {
  const startedAt = performance.now();
  const inputs = hashInputs(target); // before the build, to notice changes during it
  const { createBuilder } = await import('vite'); // loading it is slow
  mkdirSync(join(repositoryRoot, 'dist'), { recursive: true });
  const outputFolder = join(repositoryRoot, 'dist', target.folder);
  const buildFolder = mkdtempSync(`${outputFolder}-`);
  const old = `${buildFolder}-old`;
  try {
    const config = {
      configFile: join(repositoryRoot, target.configFile),
      logLevel: 'warn',
      build: { outDir: buildFolder },
    } as const;
    const builder = await createBuilder(config, null);
    await builder.buildApp();
    if (!existsSync(join(buildFolder, target.entryName)))
      throw new Error(`${target.configFile} did not write ${target.entryName}`);
    const assetFolder = await assetFolders[target.folder]?.(buildFolder);
    if (assetFolder !== undefined) await compressFiles(assetFolder);
    writeFileSync(join(buildFolder, stampName), inputs);
    chmodSync(buildFolder, 0o755); // the server may run as another user than the builder
    if (existsSync(outputFolder)) renameSync(outputFolder, old);
    renameSync(buildFolder, outputFolder);
  } finally {
    for (const folder of [buildFolder, old]) rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${target.name} built in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
}

/** Writes the styles and scripts inside the entry of the pages to files, to compress them. */
async function writePageAssets(folder: string): Promise<string> {
  const { assets } = (await import(pathToFileURL(join(folder, 'entry.js')).href)) as Pages;
  mkdirSync(join(folder, 'assets'));
  for (const { path, body } of assets) if (isWorthCompressing(path)) await writeFile(join(folder, path), body);
  return join(folder, 'assets');
}
