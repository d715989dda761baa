// Loads the built page layer (docs/adr/0010). Imports neither React nor Vite.
import { type BuiltFiles, filesOfFolder } from '../built-files.ts';
import { type Encoding, encodings, suffixes } from '../encodings.ts';
import type { Asset, Pages } from './page.ts';

export async function loadPages(
  files: BuiltFiles = filesOfFolder(new URL('../../dist/pages/', import.meta.url)),
): Promise<Pages> {
  const pages = (await files.load('entry.js')) as Pages;
  return { ...pages, assets: pages.assets.map((asset) => ({ ...asset, encoded: encodedOf(files, asset) })) };
}

/** Few and small, so cached in memory. */
function encodedOf(files: BuiltFiles, { path }: Asset): Partial<Record<Encoding, Uint8Array>> {
  const found: Partial<Record<Encoding, Uint8Array>> = {};
  for (const encoding of encodings) {
    const file = `${path.slice(1)}${suffixes[encoding]}`;
    if (files.has(file)) found[encoding] = files.read(file);
  }
  return found;
}
