// Values are YYYY-MM-DD; texts have the customary form of a language.
import { regional } from '#language/locale.ts';

/** `30 Nov 2026`. */
export function dateText(locale: string, date: string): string {
  const style = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(regional(locale), style).format(new Date(`${date}T00:00:00Z`));
}

/** `30 Nov`; with the year unless it is that of `today`. */
export function shortDateText(locale: string, date: string, today: string): string {
  if (date.slice(0, 4) !== today.slice(0, 4)) return dateText(locale, date);
  const style = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(regional(locale), style).format(new Date(`${date}T00:00:00Z`));
}

/** Accepts `2026-11-30`, `30 Nov 2026`, `30.11.2026`, and `11/30/2026` where customary. */
export function readDate(locale: string, text: string): string | null {
  const typed = text.trim().toLowerCase();
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(typed);
  if (iso) return dateOf(iso[1]!, iso[2]!, iso[3]!);
  const numbers = typed.match(/\d+/g) ?? [];
  const month = monthNamed(locale, typed);
  if (month !== null && numbers.length === 2) {
    const [first, second] = numbers as [string, string];
    return first.length > 2 ? dateOf(first, month, second) : dateOf(fullYear(second), month, first);
  }
  if (numbers.length !== 3 || !/^[\d\s./-]+$/.test(typed)) return null;
  const found = Object.fromEntries(orderOf(locale).map((part, index) => [part, numbers[index]!]));
  return dateOf(fullYear(found.year!), found.month!, found.day!);
}

export function addDays(date: string, days: number): string {
  const moved = new Date(`${date}T00:00:00Z`);
  moved.setUTCDate(moved.getUTCDate() + days);
  return moved.toISOString().slice(0, 10);
}

/** Negative for a past day. */
export function daysUntil(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000);
}

export function laterOf(one: string, other: string): string {
  return one > other ? one : other;
}

export function earlierOf(one: string, other: string): string {
  return one < other ? one : other;
}

/** Null for days such as 31 February. */
function dateOf(year: string, month: string | number, day: string): string | null {
  const date = `${year.padStart(4, '0')}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
  const instant = new Date(`${date}T00:00:00Z`);
  return Number.isNaN(instant.getTime()) || instant.toISOString().slice(0, 10) !== date ? null : date;
}

function fullYear(year: string): string {
  return year.length <= 2 ? String(2000 + Number(year)) : year;
}

function monthNamed(locale: string, typed: string): number | null {
  const word = /\p{L}[\p{L}.]*/u.exec(typed.replace(/\bde\b/g, ' '))?.[0]?.replace(/\.$/, '');
  if (word === undefined || word.length < 3) return null;
  for (let month = 1; month <= 12; month += 1) {
    const day = new Date(Date.UTC(2024, month - 1, 1));
    for (const style of ['long', 'short'] as const) {
      const name = new Intl.DateTimeFormat(regional(locale), { month: style, timeZone: 'UTC' })
        .format(day)
        .toLowerCase();
      if (name.replace(/\.$/, '').startsWith(word)) return month;
    }
  }
  return null;
}

function orderOf(locale: string): string[] {
  const parts = new Intl.DateTimeFormat(regional(locale), { timeZone: 'UTC' }).formatToParts(new Date(0));
  return parts.map(({ type }) => type).filter((type) => type !== 'literal');
}
