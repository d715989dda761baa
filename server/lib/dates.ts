// Calendar dates and instants. Never uses `new Date(text)`, which turns 30 February into 1 March.

export interface CalendarDate {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
}

const FIRST_YEAR = 1970;
const LAST_YEAR = 9999;
const DAY_MS = 86_400_000;
/** No zone is further than 16 hours from UTC; a whole day may be skipped. */
const SEARCH_MARGIN_MS = 40 * 3_600_000;

/** Existing days from 1970 to 9999; else null. */
export function parseDate(text: string): CalendarDate | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  return match === null ? null : realDate(Number(match[1]), Number(match[2]), Number(match[3]));
}

export function formatDate(date: CalendarDate): string {
  return `${String(date.year).padStart(4, '0')}-${twoDigits(date.month)}-${twoDigits(date.day)}`;
}

/**
 * Something that expires on the date works while `now < endOfDay(date, zone)`. Handles days of 23 or 25 hours and
 * missing midnights. Throws a RangeError for an invalid date or zone.
 */
export function endOfDay(dateText: string, timeZone: string): number {
  return firstInstantAfter(dayNumber(dateText), timeZone);
}

export function startOfDay(dateText: string, timeZone: string): number {
  return firstInstantAfter(dayNumber(dateText) - 1, timeZone);
}

export function dateOf(instant: number, timeZone: string): string {
  return formatDayNumber(localDayNumber(instant, timeZone));
}

const FIRST_DAY = 0;
const LAST_DAY = Date.UTC(LAST_YEAR, 11, 31) / DAY_MS;

/** Clamps to the range of dates. Throws a RangeError for an invalid date. */
export function addDays(dateText: string, days: number): string {
  return formatDayNumber(Math.min(Math.max(dayNumber(dateText) + days, FIRST_DAY), LAST_DAY));
}

export function daysBetween(first: string, second: string): number {
  return dayNumber(second) - dayNumber(first);
}

/** Both included. */
export function* datesFrom(first: string, last: string): Generator<string> {
  const end = dayNumber(last);
  for (let day = dayNumber(first); day <= end; day++) yield formatDayNumber(day);
}

/** A period of constant UTC offset. */
export interface ZoneStretch {
  from: number;
  to: number;
  offsetMs: number;
}

/** No zone changes its offset twice within this time. */
const CHANGE_APART_MS = 7 * DAY_MS;

/** Splits a period at the offset changes of a zone. */
export function* zoneStretches(timeZone: string, from: number, to: number): Generator<ZoneStretch> {
  for (let start = from; start < to; ) {
    const offsetMs = offsetOf(start, timeZone);
    let end = start;
    while (end < to && offsetOf(end, timeZone) === offsetMs) end = Math.min(end + CHANGE_APART_MS, to);
    if (offsetOf(end, timeZone) !== offsetMs) end = changeBetween(start, end, timeZone);
    yield { from: start, to: end, offsetMs };
    start = end;
  }
}

/** Shifts an instant within this period so that its UTC fields are those of the zone. */
export function zoneClock(timeZone: string, from: number, to: number): (instant: number) => number {
  const stretches = [...zoneStretches(timeZone, from, to)];
  return (instant) => {
    const { offsetMs } = stretches.find((stretch) => instant < stretch.to) ?? stretches.at(-1)!;
    return instant + offsetMs;
  };
}

/** Maps an instant within this period to its local day, in days since 1970. */
export function dayFinder(timeZone: string, from: number, to: number): (instant: number) => number {
  const clockAt = zoneClock(timeZone, from, to);
  return (instant) => Math.floor(clockAt(instant) / DAY_MS);
}

/** The first instant after `before` with another offset, which must exist. */
function changeBetween(before: number, after: number, timeZone: string): number {
  const offsetMs = offsetOf(before, timeZone);
  let [low, high] = [before, after];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetOf(middle, timeZone) === offsetMs) low = middle;
    else high = middle;
  }
  return high;
}

/** Local time minus UTC. */
function offsetOf(instant: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  const parts: Record<string, number> = {};
  for (const part of formatterFor(timeZone).formatToParts(instant)) parts[part.type] = Number(part.value);
  const { year, month, day, hour, minute, second } = parts;
  return Date.UTC(year!, month! - 1, day!, hour! % 24, minute!, second!) - Math.floor(instant / 1000) * 1000;
}

/** The wire form of instants. */
export function isoInstant(instant: number): string {
  return new Date(instant).toISOString();
}

/** Parses `YYYYMMDD`, `YYYY-MM-DD` or an ISO date-time with a zone; else null. */
export function parseDateOrInstant(text: string, timeZone = 'UTC'): number | null {
  const compact = /^(\d{4})(\d{2})(\d{2})$/.exec(text);
  const dateText = compact === null ? text : `${compact[1]}-${compact[2]}-${compact[3]}`;
  return parseDate(dateText) === null ? parseInstant(text) : startOfDay(dateText, timeZone);
}

/** `YYYY-MM-DDTHH:MM[:SS[.fraction]]` with `Z` or an offset. */
export function parseInstant(text: string): number | null {
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})$/i.exec(text);
  if (match === null || parseDate(match[1]!) === null) return null;
  const [hour, minute, second] = [Number(match[2]), Number(match[3]), Number(match[4] ?? 0)];
  const offsetMinutes = parseOffsetMinutes(match[6]!);
  if (hour > 23 || minute > 59 || second > 59 || offsetMinutes === null) return null;
  const milliseconds = Number((match[5] ?? '').slice(0, 3).padEnd(3, '0'));
  return dayNumber(match[1]!) * DAY_MS + ((hour * 60 + minute - offsetMinutes) * 60 + second) * 1000 + milliseconds;
}

function parseOffsetMinutes(text: string): number | null {
  if (text.toUpperCase() === 'Z') return 0;
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(-2))];
  if (hours > 23 || minutes > 59) return null;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

function realDate(year: number, month: number, day: number): CalendarDate | null {
  if (year < FIRST_YEAR || year > LAST_YEAR || month < 1 || month > 12 || day < 1) return null;
  const daysInMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return day <= daysInMonth ? { year, month, day } : null;
}

/** Days since 1 January 1970. */
function dayNumber(dateText: string): number {
  const date = parseDate(dateText);
  if (date === null) throw new RangeError('A date must be a real day written YYYY-MM-DD.');
  return Date.UTC(date.year, date.month - 1, date.day) / DAY_MS;
}

function formatDayNumber(day: number): string {
  const utc = new Date(day * DAY_MS);
  return formatDate({ year: utc.getUTCFullYear(), month: utc.getUTCMonth() + 1, day: utc.getUTCDate() });
}

/** A binary search, because offsets differ between both sides of the border. */
function firstInstantAfter(day: number, timeZone: string): number {
  const nextMidnightUtc = (day + 1) * DAY_MS;
  if (timeZone === 'UTC') return nextMidnightUtc;
  let before = nextMidnightUtc - SEARCH_MARGIN_MS;
  let after = nextMidnightUtc + SEARCH_MARGIN_MS;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (localDayNumber(middle, timeZone) > day) after = middle;
    else before = middle;
  }
  return after;
}

function localDayNumber(instant: number, timeZone: string): number {
  if (timeZone === 'UTC') return Math.floor(instant / DAY_MS);
  const parts: Record<string, number> = {};
  for (const part of formatterFor(timeZone).formatToParts(instant)) parts[part.type] = Number(part.value);
  return Date.UTC(parts.year!, parts.month! - 1, parts.day!) / DAY_MS;
}

/** Formatters are expensive to create. The limit is for spelling variants of zones. */
const formatters = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATTERS = 256;

function formatterFor(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const formatter = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  });
  if (formatters.size >= MAX_FORMATTERS) formatters.clear();
  formatters.set(timeZone, formatter);
  return formatter;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

/** `Monday 30 November 2026`, for English sentences of the API. */
export function dateInWords(dateText: string): string {
  const parts = wordsOfDay.formatToParts(new Date(`${dateText}T00:00:00Z`));
  // Locale data differ on a comma after the weekday; we write none.
  return parts.map((part) => (part.type === 'literal' ? ' ' : part.value)).join('');
}

/** `30 Nov 2026, 14:02 UTC`. */
export function momentInWords(instant: number): string {
  return `${wordsOfMoment.format(instant)} UTC`;
}

const wordsOfDay = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

const wordsOfMoment = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});
