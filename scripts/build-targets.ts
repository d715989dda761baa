// The targets of `npm run build`, and whether their builds are up to date.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles, repositoryRoot } from './source-files.ts';

export interface Target {
  name: string;
  configFile: string;
  /** Below dist/. */
  folder: 'pages' | 'app' | 'server' | 'cli' | 'cli-file';
  /** A file that every finished build has. */
  entryName: string;
  /** Too many inputs cause needless builds; too few leave old builds in place. */
  inputs: { folders: string[]; files: string[] };
}

const forBrowsers = {
  folders: ['web', 'contract', 'language', 'locales', 'transfer'],
  files: ['package-lock.json', 'scripts/bundle-text.ts', 'scripts/unused-packages.ts'],
};

const ofPrograms = {
  folders: ['cli', 'contract', 'transfer', 'tools/verify'],
  files: [
    'package.json',
    'package-lock.json',
    'scripts/cli.config.ts',
    'scripts/cli-file.config.ts',
    'scripts/builtin-modules.ts',
    'scripts/bundle-text.ts',
  ],
};

export const targets: Target[] = [
  {
    name: 'pages',
    configFile: 'web/pages/vite.config.ts',
    folder: 'pages',
    entryName: 'entry.js',
    inputs: forBrowsers,
  },
  { name: 'app', configFile: 'web/app/vite.config.ts', folder: 'app', entryName: 'index.html', inputs: forBrowsers },
  {
    name: 'server',
    configFile: 'scripts/server.config.ts',
    folder: 'server',
    entryName: 'main.js',
    inputs: {
      folders: ['server', 'contract', 'language', 'locales'],
      files: [
        'package.json',
        'package-lock.json',
        'scripts/builtin-modules.ts',
        'scripts/bundle-text.ts',
        'scripts/unused-packages.ts',
        'scripts/server.config.ts',
        'web/encodings.ts',
        'web/app/load.ts',
        'web/pages/load.ts',
      ],
    },
  },
  {
    name: 'command line',
    configFile: 'scripts/cli.config.ts',
    folder: 'cli',
    entryName: 'main.js',
    inputs: ofPrograms,
  },
  {
    name: 'command line in one file',
    configFile: 'scripts/cli-file.config.ts',
    folder: 'cli-file',
    entryName: 'waybill.mjs',
    inputs: ofPrograms,
  },
];

/** A file with the hash of the inputs. */
export const stampName = '.inputs';

export function isFresh(target: Target): boolean {
  const folder = join(repositoryRoot, 'dist', target.folder);
  const stamp = join(folder, stampName);
  return (
    existsSync(join(folder, target.entryName)) &&
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === hashInputs(target)
  );
}

export function hashInputs({ inputs }: Target): string {
  const hash = createHash('sha256');
  for (const path of [...listFiles(repositoryRoot, inputs.folders), ...inputs.files]) {
    if (/\.(test|suite)\.tsx?$|\.md$/.test(path)) continue;
    const content = readFileSync(join(repositoryRoot, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
