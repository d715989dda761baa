// How the server gets at the built web app (docs/adr/0026). Needs `npm run build` once; imports nothing of the app itself.
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Encoding, encodings, suffixes } from '../encodings.ts';

export interface AppAsset {
  contentType: string;
  /** The body as it is, or compressed beforehand where that exists. */
  read(encoding: Encoding | null): Promise<Buffer>;
  encodings: Encoding[];
}

export interface BuiltApp {
  /** index.html with `{{name}}` where the server fills in. */
  shell: string;
  /** By file name, such as `main-4f2a.js`. Names carry the hash of their content. */
  assets: ReadonlyMap<string, AppAsset>;
}

const contentTypes: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json; charset=utf-8',
  woff2: 'font/woff2',
};

export function loadApp(folder = new URL('../../dist/app/', import.meta.url)): BuiltApp {
  const assetFolder = new URL('assets/', folder);
  const names = new Set(readdirSync(assetFolder));
  const assets = new Map<string, AppAsset>();
  for (const name of names) {
    const contentType = contentTypes[name.split('.').at(-1) ?? ''];
    if (contentType === undefined) continue;
    assets.set(name, {
      contentType,
      encodings: encodings.filter((encoding) => names.has(name + suffixes[encoding])),
      read: (encoding) => readFile(new URL(name + (encoding === null ? '' : suffixes[encoding]), assetFolder)),
    });
  }
  return { shell: readFileSync(new URL('index.html', folder), 'utf8'), assets };
}
