// How dates, lengths of time, languages and directions are written, by the platform's own data for the locale.
// Never the viewer's clock or zone: pages are made on the server.

/** `Monday 30 November 2026` for a YYYY-MM-DD date. */
export function longDate(locale: string, date: string): string {
  const format = new Intl.DateTimeFormat(regional(locale), {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  const parts = format.formatToParts(new Date(`${date}T00:00:00Z`));
  // Releases of the locale data differ on a comma after the weekday in British English; we write none.
  const isEnglish = locale === 'en' || locale.startsWith('en-');
  return parts.map((part) => (isEnglish && part.type === 'literal' ? ' ' : part.value)).join('');
}

/** `today`, `tomorrow`, `in 15 days`. */
export function daysAhead(locale: string, days: number): string {
  return new Intl.RelativeTimeFormat(regional(locale), { numeric: 'auto' }).format(days, 'day');
}

/** `10 minutes`; seconds below two minutes. */
export function duration(locale: string, seconds: number): string {
  return seconds < 120 ? unit(locale, Math.max(1, Math.ceil(seconds)), 'second') : minutes(locale, seconds / 60);
}

export function minutes(locale: string, count: number): string {
  return unit(locale, Math.max(1, Math.ceil(count)), 'minute');
}

export function days(locale: string, count: number): string {
  return unit(locale, count, 'day');
}

/** `Central European Time` on a day: without summer or winter where the language can say so. */
export function zoneName(locale: string, timeZone: string, date: string): string {
  const style = timeZone === 'UTC' ? 'long' : 'longGeneric';
  const parts = new Intl.DateTimeFormat(regional(locale), { timeZone, timeZoneName: style }).formatToParts(
    new Date(`${date}T12:00:00Z`),
  );
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? timeZone;
}

/** A language in its own words. */
export function languageName(locale: string): string {
  const name = new Intl.DisplayNames([locale], { type: 'language', fallback: 'code' }).of(locale) ?? locale;
  return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1);
}

export function direction(locale: string): 'ltr' | 'rtl' {
  return rightToLeft.has(new Intl.Locale(locale).maximize().script ?? '') ? 'rtl' : 'ltr';
}

const rightToLeft = new Set(['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm', 'Rohg']);

/** Our English is British-neutral; the platform would take plain `en` as American. */
function regional(locale: string): string {
  return locale === 'en' ? 'en-GB' : locale;
}

function unit(locale: string, count: number, name: 'second' | 'minute' | 'day'): string {
  return new Intl.NumberFormat(regional(locale), { style: 'unit', unit: name, unitDisplay: 'long' }).format(count);
}
