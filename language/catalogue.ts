// Formats the sentences of `locales/`. Runs in Node and in browsers; never creates markup.
import { IntlMessageFormat } from 'intl-messageformat';
import { languageOf, nearestLocale, regional } from './locale.ts';
import { isPseudo, type MessageElement, pseudoElements } from './pseudo.ts';

export type TextValues = Record<string, string | number>;

export interface Catalogue<Key extends string> {
  /** Throws when a value is missing. */
  text(locale: string, key: Key, values?: TextValues): string;
  /** Values may be elements. */
  parts<T>(locale: string, key: Key, values: Record<string, string | number | T>): (string | T)[];
  elements(locale: string, key: Key): MessageElement[];
  has(key: string): key is Key;
  /** English for unsupported and invalid languages. */
  localeFor(requested: string): string;
}

/** English is the fallback for each sentence. `others` may be filled later, when a browser has loaded a language. */
export function createCatalogue<Key extends string>(
  english: Readonly<Record<Key, string>>,
  others: Readonly<Record<string, Readonly<Partial<Record<string, string>>>>> = {},
): Catalogue<Key> {
  const parsed = new Map<string, IntlMessageFormat>();
  const localeFor = (requested: string) => nearestLocale(requested, (language) => Object.hasOwn(others, language));

  function sourceOf(locale: string, key: Key): string {
    const language = languageOf(locale);
    const near = [locale, language].find((candidate) => Object.hasOwn(others, candidate));
    return (near === undefined ? undefined : others[near]?.[key]) ?? english[key];
  }

  function formatOf(locale: string, key: Key): IntlMessageFormat {
    const cacheKey = `${locale} ${key}`;
    const cached = parsed.get(cacheKey);
    if (cached) return cached;
    // Sentences contain no markup, so `<` is an ordinary character.
    const options = { ignoreTag: true, formatters };
    const source = isPseudo(locale) ? pseudoElements(elementsOf('en', key)) : sourceOf(locale, key);
    const created = new IntlMessageFormat(source, regional(locale), undefined, options);
    if (parsed.size < maxParsed) parsed.set(cacheKey, created);
    return created;
  }

  function elementsOf(locale: string, key: Key): MessageElement[] {
    return formatOf(localeFor(locale), key).getAst();
  }

  function parts<T>(locale: string, key: Key, values: Record<string, string | number | T>): (string | T)[] {
    try {
      return formatOf(localeFor(locale), key)
        .formatToParts<T>(values as Record<string, string | number>)
        .map((part) => part.value);
    } catch (error) {
      throw new TypeError(`text ${key}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  return {
    text: (locale, key, values = {}) => parts<never>(locale, key, values).join(''),
    parts,
    elements: elementsOf,
    has: (key): key is Key => Object.hasOwn(english, key),
    localeFor,
  };
}

/** Visitors choose the locale, so the cache has a limit. */
const maxParsed = 20_000;

/** Shared, because formatters are expensive to create. */
const formatters = {
  getNumberFormat: memoized(
    (...args: ConstructorParameters<typeof Intl.NumberFormat>) => new Intl.NumberFormat(...args),
  ),
  getDateTimeFormat: memoized(
    (...args: ConstructorParameters<typeof Intl.DateTimeFormat>) => new Intl.DateTimeFormat(...args),
  ),
  getPluralRules: memoized((...args: ConstructorParameters<typeof Intl.PluralRules>) => new Intl.PluralRules(...args)),
};

function memoized<Args extends unknown[], T>(create: (...args: Args) => T): (...args: Args) => T {
  const cached = new Map<string, T>();
  return (...args) => {
    const key = JSON.stringify(args);
    const found = cached.get(key);
    if (found !== undefined) return found;
    const created = create(...args);
    if (cached.size < 500) cached.set(key, created);
    return created;
  };
}
