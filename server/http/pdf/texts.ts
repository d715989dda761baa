import { type Catalogue, createCatalogue, type TextValues } from '#language/catalogue.ts';
import { regional } from '#language/locale.ts';
import german from '../../../locales/de/receipts.json' with { type: 'json' };
import english from '../../../locales/en/receipts.json' with { type: 'json' };
import spanish from '../../../locales/es/receipts.json' with { type: 'json' };
import french from '../../../locales/fr/receipts.json' with { type: 'json' };
import swedish from '../../../locales/sv/receipts.json' with { type: 'json' };

export type TextKey = keyof typeof english;

const texts: Catalogue<TextKey> = createCatalogue<TextKey>(english, {
  de: german,
  es: spanish,
  fr: french,
  sv: swedish,
});

export interface PdfReader {
  locale: string;
}

export interface PdfTexts {
  text(key: TextKey, values?: TextValues): string;
  /** With its time zone; a dash for null. */
  instant(iso: string | null): string;
  bytes(count: number): string;
}

export function textsFor({ locale }: PdfReader): PdfTexts {
  const language = texts.localeFor(locale);
  const numbers = new Intl.NumberFormat(regional(language));
  return {
    text: (key, values) => texts.text(language, key, values),
    instant: (iso) => (iso === null ? '–' : `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`),
    bytes: (count) => numbers.format(count),
  };
}
