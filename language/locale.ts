// Names of languages: which of them is nearest to a wish, how the platform calls ours, which way they are written.
// Knows no sentence; runs in Node and in browsers.

/** The wish itself, with its region, where its language has sentences; English for all others. */
export function nearestLocale(wanted: string, hasSentences: (language: string) => boolean): string {
  const language = wanted.split('-')[0] ?? '';
  if (language !== 'en' && !hasSentences(wanted) && !hasSentences(language)) return 'en';
  return canonical.get(wanted) ?? canonicalOf(wanted);
}

const canonical = new Map<string, string>();
const maxCanonical = 500;

function canonicalOf(wanted: string): string {
  let found = 'en';
  try {
    found = Intl.getCanonicalLocales(wanted)[0] ?? 'en';
  } catch {
    // Not a name of a language at all.
  }
  if (canonical.size < maxCanonical) canonical.set(wanted, found);
  return found;
}

/** Our English is British-neutral; the platform would take plain `en` as American. */
export function regional(locale: string): string {
  return locale === 'en' ? 'en-GB' : locale;
}

export function directionOf(locale: string): 'ltr' | 'rtl' {
  return rightToLeftScripts.has(new Intl.Locale(locale).maximize().script ?? '') ? 'rtl' : 'ltr';
}

const rightToLeftScripts = new Set(['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm', 'Rohg']);
