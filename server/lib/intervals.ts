// Sets of whole numbers as merged half-open intervals: `0-100,250-300` is 0 to 99 and 250 to 299.

export interface Interval {
  start: number;
  end: number;
}

/** Bounds the stored text for any input. */
export const maxIntervals = 1000;

/** Beyond the limit the shortest intervals are dropped, so the set never claims too much. */
export function joinInterval(set: readonly Interval[], added: Interval): Interval[] {
  if (added.start >= added.end) return [...set];
  let { start, end } = added;
  const apart: Interval[] = [];
  for (const interval of set) {
    if (interval.end < start || interval.start > end) apart.push(interval);
    else [start, end] = [Math.min(start, interval.start), Math.max(end, interval.end)];
  }
  const joined = [...apart, { start, end }].toSorted((one, other) => one.start - other.start);
  return joined.length <= maxIntervals ? joined : withoutShortest(joined);
}

function withoutShortest(set: Interval[]): Interval[] {
  const shortest = set.reduce((least, interval) => (lengthOf(interval) < lengthOf(least) ? interval : least));
  return set.filter((interval) => interval !== shortest);
}

function lengthOf({ start, end }: Interval): number {
  return end - start;
}

/** Any number of intervals, without a limit. */
export function unionOf(intervals: readonly Interval[]): Interval[] {
  const union: Interval[] = [];
  for (const { start, end } of intervals.toSorted((one, other) => one.start - other.start)) {
    const last = union.at(-1);
    if (start >= end) continue;
    if (last === undefined || start > last.end) union.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  return union;
}

/** How many numbers of `within` are in the set. */
export function coveredBy(set: readonly Interval[], within: Interval): number {
  return set.reduce(
    (sum, { start, end }) => sum + Math.max(0, Math.min(end, within.end) - Math.max(start, within.start)),
    0,
  );
}

export function formatIntervals(set: readonly Interval[]): string {
  return set.map(({ start, end }) => `${start}-${end}`).join(',');
}

export function parseIntervals(text: string): Interval[] {
  if (text === '') return [];
  return text.split(',').map((part) => {
    const [start, end] = part.split('-').map(Number);
    return { start: start!, end: end! };
  });
}
