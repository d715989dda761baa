// Limits the number of bars.
import { addDays } from '../../dates.ts';

export type SpanUnit = 'day' | 'week' | 'month';

export interface Span {
  from: string;
  to: string;
  downloads: number;
  bytes: number;
}

const mostDays = 100;
const mostWeeks = 100;
const dayMs = 86_400_000;

export function unitOf(from: string, to: string): SpanUnit {
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  return days <= mostDays ? 'day' : days <= mostWeeks * 7 ? 'week' : 'month';
}

/** Includes spans without downloads; the first and last are cut to the period. */
export function spansOf(
  from: string,
  to: string,
  days: readonly { date: string; downloads: number; bytes: number }[],
): Span[] {
  const unit = unitOf(from, to);
  const spans: Span[] = [];
  for (let start = from; start <= to; ) {
    const last = lastDayOf(unit, start);
    const end = last < to ? last : to;
    spans.push({ from: start, to: end, downloads: 0, bytes: 0 });
    start = addDays(end, 1);
  }
  let at = 0;
  for (const day of days) {
    while (at < spans.length - 1 && spans[at]!.to < day.date) at++;
    const span = spans[at];
    if (span === undefined) break;
    span.downloads += day.downloads;
    span.bytes += day.bytes;
  }
  return spans;
}

/** Weeks begin on Monday. */
function lastDayOf(unit: SpanUnit, date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  if (unit === 'day') return date;
  if (unit === 'week') return addDays(date, (7 - day.getUTCDay()) % 7);
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).toISOString().slice(0, 10);
}
