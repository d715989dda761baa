// A browser loads only the subsets it needs. Only for the built entry.

import { base64 as cyrillicExt } from '@fontsource-variable/inter/files/inter-cyrillic-ext-wght-normal.woff2?bytes';
import { base64 as cyrillic } from '@fontsource-variable/inter/files/inter-cyrillic-wght-normal.woff2?bytes';
import { base64 as greekExt } from '@fontsource-variable/inter/files/inter-greek-ext-wght-normal.woff2?bytes';
import { base64 as greek } from '@fontsource-variable/inter/files/inter-greek-wght-normal.woff2?bytes';
import { base64 as latinExt } from '@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2?bytes';
import { base64 as latin } from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?bytes';
import { base64 as vietnamese } from '@fontsource-variable/inter/files/inter-vietnamese-wght-normal.woff2?bytes';
import list from '@fontsource-variable/inter/wght.css?raw';
import { hashed } from './hashed.ts';
import type { Asset } from './page.ts';

const parts: Record<string, string> = {
  cyrillic,
  'cyrillic-ext': cyrillicExt,
  greek,
  'greek-ext': greekExt,
  latin,
  'latin-ext': latinExt,
  vietnamese,
};

const files = Object.entries(parts).map(
  ([part, base64]) => [part, hashed(`inter-${part}`, 'woff2', 'font/woff2', Buffer.from(base64, 'base64'))] as const,
);

export const fonts: Asset[] = files.map(([, font]) => font);

/** Relative to the style sheet, so they work with any base path. */
export const fontFaces: string = files.map(([part, font]) => face(lettersOf(part), font)).join('');

function face(letters: string, font: Asset): string {
  const file = font.path.slice(font.path.lastIndexOf('/') + 1);
  return `@font-face{font-family:Inter;font-weight:100 900;font-display:swap;src:url(${file}) format("woff2");unicode-range:${letters}}`;
}

function lettersOf(part: string): string {
  const letters = new RegExp(`inter-${part}-wght-normal\\.woff2[^}]*unicode-range:\\s*([^;}]+)`).exec(list)?.[1];
  if (letters === undefined) throw new Error(`the list of Inter does not have the letters of ${part}`);
  return letters.trim();
}
