// The platform's durations. Swedish ones say `dagar` instead of `dygn`.
import { languageOf, regional } from './locale.ts';

export type DurationUnit = 'second' | 'minute' | 'hour' | 'day';

export function durationIn(locale: string, count: number, unit: DurationUnit): string {
  const create = () => new Intl.NumberFormat(regional(locale), { style: 'unit', unit, unitDisplay: 'long' });
  const written = formatter(`${unit} ${locale}`, create).format(count);
  return languageOf(locale) === 'sv' ? written.replace('dygn', count === 1 ? 'dag' : 'dagar') : written;
}

/** Seconds up to a minute and a half, then minutes. */
export function waitIn(locale: string, seconds: number): string {
  return seconds <= 90
    ? durationIn(locale, Math.ceil(seconds), 'second')
    : durationIn(locale, Math.ceil(seconds / 60), 'minute');
}

/** Visitors choose the locale, so the cache has a limit. */
const formatters = new Map<string, Intl.NumberFormat>();
const maxFormatters = 500;

function formatter(key: string, create: () => Intl.NumberFormat): Intl.NumberFormat {
  const cached = formatters.get(key);
  if (cached !== undefined) return cached;
  const created = create();
  if (formatters.size < maxFormatters) formatters.set(key, created);
  return created;
}
