// A length of time in the reader's language, as the platform writes it, apart from the one word it gets wrong for us:
// Swedish calls 24 hours a `dygn`, while files are kept for a number of `dagar`.
import { languageOf, regional } from './locale.ts';

export type DurationUnit = 'second' | 'minute' | 'hour' | 'day';

/** `10 minutes`, `14 Tage`, `1 dag`. */
export function durationIn(locale: string, count: number, unit: DurationUnit): string {
  const make = () => new Intl.NumberFormat(regional(locale), { style: 'unit', unit, unitDisplay: 'long' });
  const written = formatter(`${unit} ${locale}`, make).format(count);
  return languageOf(locale) === 'sv' ? written.replace('dygn', count === 1 ? 'dag' : 'dagar') : written;
}

/** How long to wait: up to a minute and a half in seconds, then in minutes. */
export function waitIn(locale: string, seconds: number): string {
  return seconds <= 90
    ? durationIn(locale, Math.ceil(seconds), 'second')
    : durationIn(locale, Math.ceil(seconds / 60), 'minute');
}

/** Formatters are expensive to create; there are few languages, but people choose them, so there is a limit. */
const formatters = new Map<string, Intl.NumberFormat>();
const maxFormatters = 500;

function formatter(key: string, make: () => Intl.NumberFormat): Intl.NumberFormat {
  const known = formatters.get(key);
  if (known !== undefined) return known;
  const made = make();
  if (formatters.size < maxFormatters) formatters.set(key, made);
  return made;
}
