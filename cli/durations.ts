// Dates and amounts as people type them: `14d`, `2w`, `2026-12-31`, `8MiB`, `5MB/s`, `60s`.
import { usageFailure } from './failures.ts';
import type { World } from './world.ts';

const dayMs = 86_400_000;

/** Reads `14d`, `2w` or a date into the expiry date of the API. */
export function readExpiry(text: string, now: number): string {
  const span = /^(\d{1,4})([dw])$/.exec(text.trim());
  if (span !== null) {
    const days = Number(span[1]) * (span[2] === 'w' ? 7 : 1);
    return new Date(now + days * dayMs).toISOString().slice(0, 10);
  }
  return readDate(text);
}

export function readDate(text: string): string {
  const isShaped = /^\d{4}-\d{2}-\d{2}$/.test(text.trim());
  const date = new Date(`${text.trim()}T00:00:00Z`);
  if (!isShaped || Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text.trim())
    throw usageFailure(`“${text}” is not a date`, 'Write it as 2026-12-31, or as 14d or 2w from today.');
  return text.trim();
}

/** A whole number of at least 1. */
export function readCount(flag: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw usageFailure(`${flag}: “${text}” is not a number of at least 1`);
  return Number(text);
}

const units: Record<string, number> = {
  '': 1,
  b: 1,
  k: 1000,
  kb: 1000,
  kib: 1024,
  m: 1000 ** 2,
  mb: 1000 ** 2,
  mib: 1024 ** 2,
  g: 1000 ** 3,
  gb: 1000 ** 3,
  gib: 1024 ** 3,
};

export function readSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim().replace(/\/s$/i, ''));
  const unit = match === null ? undefined : units[match[2]!.toLowerCase()];
  if (match === null || unit === undefined) throw usageFailure(`“${text}” is not a size`, 'Write it as 8MiB or 500kB.');
  const bytes = Math.round(Number(match[1]) * unit);
  if (bytes < 1) throw usageFailure(`“${text}” is too small`);
  return bytes;
}

export function readSeconds(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)?$/.exec(text.trim());
  if (match === null) throw usageFailure(`“${text}” is not a time`, 'Write it as 60s or 5m.');
  const factor = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[match[2] ?? 's']!;
  const ms = Number(match[1]) * factor;
  if (ms < 1) throw usageFailure(`“${text}” is too short`);
  return ms;
}

/** `Sunday 29 November 2026`. */
export function longDate(date: string): string {
  const at = new Date(`${date.slice(0, 10)}T00:00:00Z`);
  // Other servers may format dates differently.
  if (Number.isNaN(at.getTime())) return date;
  const format = new Intl.DateTimeFormat('en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return format.format(at).replace(',', '');
}

type Clock = Pick<World, 'now' | 'timeZone'>;

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The local date, as the API writes dates. */
export function localDate(at: number, { timeZone }: Pick<World, 'timeZone'>): string {
  return localText(at, timeZone).slice(0, 10);
}

/** `19 Nov 16:37`, or `19 Nov 2025` for another year; local time. */
export function localTime(instant: string, clock: Clock): string {
  const at = Date.parse(instant);
  // Other servers may format times differently.
  if (Number.isNaN(at)) return instant;
  const text = localText(at, clock.timeZone);
  const day = shortDate(text.slice(0, 10), clock);
  return day.length > 6 ? day : `${day} ${text.slice(11, 16)}`;
}

/** `3 Dec`, or `3 Dec 2027` for another year. */
export function shortDate(date: string, clock: Clock): string {
  // Other servers may leave it out.
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(date) ?? [];
  if (year === undefined) return date;
  const text = `${Number(day)} ${months[Number(month) - 1] ?? month}`;
  return localDate(clock.now(), clock).startsWith(year) ? text : `${text} ${year}`;
}

/** `2026-11-19 16:37:00`. */
function localText(at: number, timeZone: string | undefined): string {
  return new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'medium',
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(at);
}

/** `0:40`, `1:02:03`. */
export function clockText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const two = (number: number) => String(number).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
