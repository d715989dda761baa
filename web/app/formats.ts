import { useMemo } from 'react';
import { regional } from '#language/locale.ts';
import { sizeIn } from '#language/sizes.ts';
import { dayOf, daysAhead, longDate, shortDateTime, timeOfDay, zoneName } from '../formats.ts';
import { dateText, daysUntil, shortDateText } from './dates.ts';
import { useMe, zoneOf } from './me.ts';
import { useLocale } from './texts.ts';

export interface Formats {
  locale: string;
  /** `30 Nov 2026`, for YYYY-MM-DD. */
  date(date: string): string;
  /** `30 Nov`, with its year unless it is this one, for YYYY-MM-DD. */
  shortDate(date: string): string;
  /** `Monday 30 November 2026`, for YYYY-MM-DD. */
  longDate(date: string): string;
  /** `16 Nov, 09:01`, for an instant. */
  dateTime(instant: string): string;
  /** `09:01`. */
  time(instant: string): string;
  /** YYYY-MM-DD, in the user's zone. */
  dayOf(instant: string): string;
  /** `30 Nov 2026`, in the user's zone. */
  dateOf(instant: string): string;
  /** The last day, YYYY-MM-DD, of what ends at this instant. Days end in the installation's zone. */
  lastDayBefore(instant: string): string;
  /** `today`, `in 15 days`, for YYYY-MM-DD. */
  relative(date: string): string;
  /** The zone in which expiry days end: `Central European Time`. */
  zoneOn(date: string): string;
  size(bytes: number): string;
  /** Of a share from 0 to 1. */
  percent(share: number): string;
  number(value: number): string;
  /** `Ben, Chiara and Dana`; as a `unit`: `Ben, Chiara, Dana`. */
  list(items: readonly string[], type?: 'conjunction' | 'unit'): string;
}

export function useFormats(): Formats {
  const locale = useLocale();
  const me = useMe();
  const zone = zoneOf(me);
  const { today, time_zone } = me;
  return useMemo(
    () => ({
      locale,
      date: (date) => dateText(locale, date),
      shortDate: (date) => shortDateText(locale, date, today),
      longDate: (date) => longDate(locale, date),
      dateTime: (instant) => shortDateTime(locale, zone, instant),
      time: (instant) => timeOfDay(locale, zone, instant),
      dayOf: (instant) => dayOf(zone, instant),
      dateOf: (instant) => dateText(locale, dayOf(zone, instant)),
      lastDayBefore: (instant) => dayOf(time_zone, new Date(Date.parse(instant) - 1).toISOString()),
      relative: (date) => daysAhead(locale, daysUntil(today, date)),
      zoneOn: (date) => zoneName(locale, time_zone, date),
      size: (bytes) => sizeIn(locale, bytes),
      percent: (share) => new Intl.NumberFormat(regional(locale), { style: 'percent' }).format(share),
      number: (value) => new Intl.NumberFormat(regional(locale)).format(value),
      list: (items, type = 'conjunction') => new Intl.ListFormat(regional(locale), { type }).format(items),
    }),
    [locale, zone, today, time_zone],
  );
}
