// The one door to the catalogues in `locales/`: key and values in, sentence out. Never returns markup.
import english from '../../locales/en.json' with { type: 'json' };
import { fillMessage } from './icu.ts';

export type TextKey = keyof typeof english;
export type TextValues = Record<string, string | number>;

const catalogues: Record<string, Partial<Record<TextKey, string>>> = { en: english };

/** A sentence. */
export function text(locale: string, key: TextKey, values: TextValues = {}): string {
  return textParts<never>(locale, key, values).join('');
}

/** A sentence in pieces, for values that are not text (an element around a name); pieces stay in reading order. */
export function textParts<T>(
  locale: string,
  key: TextKey,
  values: Record<string, string | number | T>,
): (string | T)[] {
  return fillMessage(message(locale, key), { locale, key, values });
}

export function isTextKey(key: string): key is TextKey {
  return Object.hasOwn(english, key);
}

/** The raw message, from the nearest catalogue that has it. */
export function message(locale: string, key: TextKey): string {
  const language = locale.split('-')[0] ?? '';
  return catalogues[locale]?.[key] ?? catalogues[language]?.[key] ?? english[key];
}
