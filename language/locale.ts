// Shipped languages, and the choice of one. Runs in Node and in browsers.
import { isPseudo } from './pseudo.ts';

/** Shown in this order by the language switch. */
export const shippedLanguages: readonly string[] = ['en', 'de', 'es', 'fr', 'sv'];

const tagPattern = /^[a-zA-Z]{2,8}(-[a-zA-Z0-9]{1,8}){0,4}$/;

export function languageOf(locale: string): string {
  return (locale.split('-')[0] ?? '').toLowerCase();
}

/** `requested` in order of preference; null when none is shipped. */
export function firstShipped(requested: readonly (string | null | undefined)[]): string | null {
  for (const tag of requested) {
    if (typeof tag === 'string' && tagPattern.test(tag) && shippedLanguages.includes(languageOf(tag)))
      return languageOf(tag);
  }
  return null;
}

/** Sorted by quality; excludes `*` and refused languages. */
export function readAcceptLanguage(header: string): string[] {
  return header
    .slice(0, 1000)
    .split(',')
    .map((item) => {
      const [tag = '', ...parameters] = item.split(';').map((part) => part.trim());
      const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2) ?? '1';
      return { tag, quality: Number(quality) };
    })
    .filter(({ tag, quality }) => tagPattern.test(tag) && quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);
}

/** Keeps the region if the language has sentences; else English. */
export function nearestLocale(requested: string, hasSentences: (language: string) => boolean): string {
  if (isPseudo(requested)) return requested;
  const language = languageOf(requested);
  if (language !== 'en' && !hasSentences(requested) && !hasSentences(language)) return 'en';
  return canonical.get(requested) ?? canonicalOf(requested);
}

const canonical = new Map<string, string>();
const maxCanonical = 500;

function canonicalOf(requested: string): string {
  let found = 'en';
  try {
    found = Intl.getCanonicalLocales(requested)[0] ?? 'en';
  } catch {
    // An invalid tag.
  }
  if (canonical.size < maxCanonical) canonical.set(requested, found);
  return found;
}

/** English is `en-GB`, because the platform takes plain `en` as American; so are pseudo-languages. */
export function regional(locale: string): string {
  return locale === 'en' || isPseudo(locale) ? 'en-GB' : locale;
}

export function directionOf(locale: string): 'ltr' | 'rtl' {
  let direction = directions.get(locale);
  if (direction === undefined) {
    direction = rightToLeftScripts.has(new Intl.Locale(locale).maximize().script ?? '') ? 'rtl' : 'ltr';
    if (directions.size < maxCanonical) directions.set(locale, direction);
  }
  return direction;
}

/** Cached, because a lookup costs as much as rendering a paragraph. */
const directions = new Map<string, 'ltr' | 'rtl'>();

const rightToLeftScripts = new Set(['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm', 'Rohg']);
