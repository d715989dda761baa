// `npm run docs`: builds the documentation site from docs/ into dist/docs, with the packages of tools/docs.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compressFiles } from './compress-files.ts';
import { withoutInlineParts } from './docs-inline.ts';
import { pagesOfSite } from './docs-pages.ts';
import { checkSearch } from './docs-search.ts';
import { installSeparately } from './separate-packages.ts';
import { listFiles, repositoryRoot } from './source-files.ts';

const tools = join(repositoryRoot, 'tools', 'docs');
const source = join(tools, 'dist', 'source');
const site = join(tools, 'dist', 'site');
const output = join(repositoryRoot, 'dist', 'docs');

const startedAt = performance.now();
const packages = await installSeparately('docs');
writePages();
const program = join(packages, 'vitepress', 'bin', 'vitepress.js');
execFileSync(process.execPath, [program, 'build', tools], { stdio: ['ignore', 'ignore', 'inherit'] });
withoutInlineParts(site);
await checkSearch(site, packages);
await compressFiles(join(site, 'assets'));
rmSync(output, { recursive: true, force: true });
mkdirSync(dirname(output), { recursive: true });
renameSync(site, output);
console.log(`dist/docs built in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);

/** Configuration files that pages refer to are served as text. */
function writePages(): void {
  rmSync(source, { recursive: true, force: true });
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(source, path)), { recursive: true });
    writeFileSync(join(source, path), text);
  };
  for (const { path, text } of pagesOfSite()) put(path, text);
  for (const path of listFiles(repositoryRoot, ['docs'])) {
    const below = path.slice('docs/'.length);
    if (/^(man|adr)\/|\.md$/.test(below) || !existsSync(join(repositoryRoot, path))) continue;
    const place = below.endsWith('.png') ? below : `public/${below}.txt`;
    cpSync(join(repositoryRoot, path), join(source, place), { recursive: true });
  }
  put('public/version.txt', `${JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')).version}\n`);
}
