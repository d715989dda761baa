// Formats with the platform's locale data, never with the viewer's clock or zone.
import { durationIn } from '#language/durations.ts';
import { regional } from '#language/locale.ts';

/** `Monday 30 November 2026` for a YYYY-MM-DD date. */
export function longDate(locale: string, date: string): string {
  const format = cached(`date ${locale}`, () => new Intl.DateTimeFormat(regional(locale), longDateStyle));
  const parts = format.formatToParts(new Date(`${date}T00:00:00Z`));
  // ICU releases differ on a comma after the weekday in British English.
  const isEnglish = locale === 'en' || locale.startsWith('en-');
  return parts.map((part) => (isEnglish && part.type === 'literal' ? ' ' : part.value)).join('');
}

/** `today`, `tomorrow`, `in 15 days`. */
export function daysAhead(locale: string, days: number): string {
  const create = () => new Intl.RelativeTimeFormat(regional(locale), { numeric: 'auto' });
  return cached(`relative ${locale}`, create).format(days, 'day');
}

/** `10 minutes`; seconds below two minutes. */
export function duration(locale: string, seconds: number): string {
  return seconds < 120 ? durationIn(locale, Math.max(1, Math.ceil(seconds)), 'second') : minutes(locale, seconds / 60);
}

export function minutes(locale: string, count: number): string {
  return durationIn(locale, Math.max(1, Math.ceil(count)), 'minute');
}

/** `12 hours`, from two days on `30 days`. */
export function hours(locale: string, count: number): string {
  return count < 48 ? durationIn(locale, count, 'hour') : durationIn(locale, Math.round(count / 24), 'day');
}

export function days(locale: string, count: number): string {
  return durationIn(locale, count, 'day');
}

/** `Central European Time`; without summer or winter if the language allows. */
export function zoneName(locale: string, timeZone: string, date: string): string {
  const style = timeZone === 'UTC' ? 'long' : 'longGeneric';
  const create = () => new Intl.DateTimeFormat(regional(locale), { timeZone, timeZoneName: style });
  const parts = cached(`zone ${locale} ${timeZone}`, create).formatToParts(new Date(`${date}T12:00:00Z`));
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? timeZone;
}

/** `12 Nov, 14:02`. */
export function shortDateTime(locale: string, timeZone: string, instant: string): string {
  const create = () => new Intl.DateTimeFormat(regional(locale), { ...shortDateTimeStyle, timeZone });
  return cached(`moment ${locale} ${timeZone}`, create).format(new Date(instant));
}

/** Separate from the day, because ICU releases join them differently. */
export function timeOfDay(locale: string, timeZone: string, instant: string): string {
  const create = () => new Intl.DateTimeFormat(regional(locale), { hour: '2-digit', minute: '2-digit', timeZone });
  return cached(`time ${locale} ${timeZone}`, create).format(new Date(instant));
}

/** YYYY-MM-DD. */
export function dayOf(timeZone: string, instant: string): string {
  const create = () =>
    new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit', timeZone });
  return cached(`day ${timeZone}`, create).format(new Date(instant));
}

/** `.pdf, .docx or .txt`. */
export function anyOf(locale: string, items: string[]): string {
  const create = () => new Intl.ListFormat(regional(locale), { type: 'disjunction' });
  return cached(`list ${locale}`, create).format(items);
}

/** The name in the language itself. */
export function languageName(locale: string): string {
  // `DisplayNames.of` takes longer than the rest of a small page.
  return cached(`language ${locale}`, () => {
    const name = new Intl.DisplayNames([locale], { type: 'language', fallback: 'code' }).of(locale) ?? locale;
    return { name: name.charAt(0).toLocaleUpperCase(locale) + name.slice(1) };
  }).name;
}

const longDateStyle = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;

const shortDateTimeStyle = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;

const formatters = new Map<string, object>();
const maxFormatters = 500;

/** Formatters are expensive to create; languages and zones are few. */
function cached<T extends object>(key: string, create: () => T): T {
  const known = formatters.get(key) as T | undefined;
  if (known) return known;
  const value = create();
  if (formatters.size < maxFormatters) formatters.set(key, value);
  return value;
}
