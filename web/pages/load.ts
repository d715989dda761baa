// How the server gets at the built page layer (docs/adr/0010). Needs `npm run build` once; imports neither React nor Vite
// itself.
import { existsSync, readFileSync } from 'node:fs';
import { type Encoding, encodings, suffixes } from '../encodings.ts';
import type { Asset, Pages } from './page.ts';

export async function loadPages(folder = new URL('../../dist/pages/', import.meta.url)): Promise<Pages> {
  const pages = (await import(new URL('entry.js', folder).href)) as Pages;
  return { ...pages, assets: pages.assets.map((asset) => ({ ...asset, encoded: encodedOf(folder, asset) })) };
}

/** What the build has compressed; few and small, so they are kept in memory. */
function encodedOf(folder: URL, { path }: Asset): Partial<Record<Encoding, Uint8Array>> {
  const found: Partial<Record<Encoding, Uint8Array>> = {};
  for (const encoding of encodings) {
    const file = new URL(`.${path}${suffixes[encoding]}`, folder);
    if (existsSync(file)) found[encoding] = readFileSync(file);
  }
  return found;
}
