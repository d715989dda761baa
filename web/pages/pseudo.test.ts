// Text that looks normal in a pseudo-language did not come from the catalogue.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shippedLanguages } from '#language/locale.ts';
import { readMarkup } from '#test/pages/markup.ts';
import { frameOf, samplePages } from '#test/pages/samples.ts';
import { visibleText } from '../visible.ts';
import { loadPages } from './load.ts';
import type { Page } from './page.ts';

const pages = await loadPages();

const languageSwitch = { form: { action: '/language', hidden: { to: '/' } }, locales: [...shippedLanguages] };

/** Written by the platform for `en-GB`, or the same in every language. */
const platformWords = new Set(
  `today tomorrow yesterday in seconds second minutes minute hours hour days day or and at
  January February March April May June July August September October November December
  Jan Feb Mar Apr Jun Jul Aug Sept Oct Nov Dec Monday Tuesday Wednesday Thursday Friday Saturday Sunday
  Central European Time B KB MB GB TB PB English Deutsch Español Français Svenska Pseudo Accents
  SHA sha sha256sum shasum Get FileHash Algorithm Hash eq FILE curl openapi json`.split(/\s+/),
);

const textAttributes = [
  'aria-label',
  'title',
  'placeholder',
  'alt',
  'data-short',
  'data-enough',
  'data-download-started',
];

describe('pages in en-XA', () => {
  for (const [name, page] of Object.entries(samplePages)) {
    it(`"${name}" takes all text from the catalogue`, () => {
      const frame = { ...frameOf(page), locale: 'en-XA', languageSwitch };
      const html = pages.renderPage(page, frame);
      const markup = readMarkup(withoutCode(html));
      const attributes = markup.elements.flatMap((element) =>
        textAttributes.map((attribute) => element.attributes[attribute]),
      );
      const known = dataWords([page, frame]);
      const left = [markup.text, ...attributes].flatMap((text) => plainWords(text ?? '', known));
      assert.deepEqual([...new Set(left)], []);
      assert.match(html, /^<!doctype html><html lang="en-XA" dir="ltr">/);
    });
  }

  it('untranslated text would be found', () => {
    assert.deepEqual(plainWords('⟦Öþéñ⟧ Open the file', new Set(['the', 'file'])), ['Open']);
  });
});

describe('pages in ar-XB', () => {
  it('are written from right to left', () => {
    const page = samplePages.link as Page;
    const html = pages.renderPage(page, { ...frameOf(page), locale: 'ar-XB' });
    assert.match(html, /^<!doctype html><html lang="ar-XB" dir="rtl">/);
  });
});

/** script-messages.test.ts checks sentences for the script. */
function withoutCode(html: string): string {
  return html.replace(/<(code|template|pre|kbd)\b[^>]*>.*?<\/\1>/gs, ' ').replaceAll('><', '> <');
}

/** That neither people nor the platform wrote. */
function plainWords(text: string, known: Set<string>): string[] {
  return wordsOf(text).filter((word) => !platformWords.has(word) && !known.has(word));
}

function wordsOf(text: string): string[] {
  return text.replace(/U\+[0-9A-F]{4}/g, ' ').match(/(?<!\p{L})[A-Za-z]{2,}(?!\p{L})/gu) ?? [];
}

/** Words that people could have written; not the names of states. */
function dataWords(value: unknown): Set<string> {
  if (typeof value === 'string') {
    const extension = /\.(\w{1,5})$/.exec(value)?.[1]?.toUpperCase() ?? '';
    return new Set(/^[a-z-]*$/.test(value) ? [] : [...wordsOf(visibleText(value)), extension]);
  }
  if (typeof value !== 'object' || value === null) return new Set();
  // File extensions are in lists.
  const listed = Array.isArray(value) ? value.filter((item) => typeof item === 'string').flatMap(wordsOf) : [];
  return new Set([...listed, ...Object.values(value).flatMap((inner) => [...dataWords(inner)])]);
}
