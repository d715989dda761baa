// Formats byte counts for people: API (`size_human`), pages, mail and command line.
// Runs in Node and in browsers; must never import anything.

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;

/** The first unit that gets a decimal; whole bytes and kilobytes are exact enough. */
const FIRST_UNIT_WITH_DECIMAL = 2;

/**
 * `50543821` becomes `48.2 MB`. 1 KB is 1024 bytes. A value that would round to 1024 moves to the next unit, so
 * "1024 KB" never appears. Throws a RangeError for anything that is not a size.
 */
export function humanSize(bytes: number): string {
  if (!Number.isFinite(bytes) || bytes < 0) throw new RangeError('A size must be a finite number of at least 0.');
  let unit = 0;
  let shown = inUnit(bytes, unit);
  while (shown >= 1024 && unit < UNITS.length - 1) {
    unit += 1;
    shown = inUnit(bytes, unit);
  }
  const digits = unit < FIRST_UNIT_WITH_DECIMAL ? shown.toFixed(0) : shown.toFixed(1);
  return `${digits} ${UNITS[unit]}`;
}

/** The value in that unit, already rounded as it will be shown. */
function inUnit(bytes: number, unit: number): number {
  const value = bytes / 1024 ** unit;
  return unit < FIRST_UNIT_WITH_DECIMAL ? Math.round(value) : Math.round(value * 10) / 10;
}
