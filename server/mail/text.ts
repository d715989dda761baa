// Instants are in the installation's zone, with its name.
import { createCatalogue, type TextValues } from '#language/catalogue.ts';
import { durationIn } from '#language/durations.ts';
import { regional } from '#language/locale.ts';
import { sizeIn } from '#language/sizes.ts';
import german from '../../locales/de/mail.json' with { type: 'json' };
import english from '../../locales/en/mail.json' with { type: 'json' };
import spanish from '../../locales/es/mail.json' with { type: 'json' };
import french from '../../locales/fr/mail.json' with { type: 'json' };
import swedish from '../../locales/sv/mail.json' with { type: 'json' };

export type MailTextKey = keyof typeof english;

export const mailTexts = createCatalogue<MailTextKey>(english, { de: german, es: spanish, fr: french, sv: swedish });

export interface Texts {
  locale: string;
  say(key: MailTextKey, values?: TextValues): string;
  /** `Monday 30 November 2026` for a `YYYY-MM-DD` date. */
  date(day: string): string;
  /** `15 Nov 2026, 14:02 CET` for an instant. */
  time(instant: number): string;
  /** `10 minutes`, `1 hour`, `2 days`: the largest exact unit. */
  duration(minutes: number): string;
  size(bytes: number): string;
  number(value: number): string;
  list(items: string[]): string;
}

/** English throughout for a language without a catalogue. */
export function textsFor(requestedLocale: string, timeZone: string): Texts {
  const locale = mailTexts.localeFor(requestedLocale);
  const tag = regional(locale);
  const numbers = cached(`number ${tag}`, () => new Intl.NumberFormat(tag));
  return {
    locale,
    say: (key, values = {}) => mailTexts.text(locale, key, values),
    date: (day) => longDate(tag, day),
    time: (instant) => cached(`time ${tag} ${timeZone}`, () => timeFormat(tag, timeZone)).format(instant),
    duration: (minutes) => duration(tag, minutes),
    size: (bytes) => sizeIn(locale, bytes),
    number: (value) => numbers.format(value),
    list: (items) => cached(`list ${tag}`, () => new Intl.ListFormat(tag, { type: 'conjunction' })).format(items),
  };
}

/** `one`, `few`, `other` … */
export function pluralForm(locale: string, value: number): string {
  return cached(`plural ${locale}`, () => new Intl.PluralRules(regional(locale))).select(value);
}

const days = new Map<string, string>();
const maxDays = 2_000;

function longDate(tag: string, day: string): string {
  const key = `${tag} ${day}`;
  const known = days.get(key);
  if (known !== undefined) return known;
  const written = writeDate(tag, day);
  if (days.size >= maxDays) days.clear();
  days.set(key, written);
  return written;
}

function writeDate(tag: string, day: string): string {
  const style = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  const parts = cached(`date ${tag}`, () => new Intl.DateTimeFormat(tag, style)).formatToParts(
    new Date(`${day}T00:00:00Z`),
  );
  // Locale data differ on a comma after the weekday; we write none.
  return parts.map((part) => (tag.startsWith('en-') && part.type === 'literal' ? ' ' : part.value)).join('');
}

function timeFormat(tag: string, timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(tag, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  });
}

function duration(tag: string, minutes: number): string {
  if (minutes % 1440 === 0) return durationIn(tag, minutes / 1440, 'day');
  return minutes % 60 === 0 ? durationIn(tag, minutes / 60, 'hour') : durationIn(tag, minutes, 'minute');
}

/** Formatters and parsed messages are expensive to create. */
const formatters = new Map<string, object>();
const maxFormatters = 5_000;

function cached<T extends object>(key: string, make: () => T): T {
  const known = formatters.get(key) as T | undefined;
  if (known !== undefined) return known;
  const made = make();
  if (formatters.size < maxFormatters) formatters.set(key, made);
  return made;
}
