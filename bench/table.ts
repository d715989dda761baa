// The rows of the result with their bounds, and the table that is printed.

export interface Row {
  work: string;
  ours: string;
  reference: string;
  /** A ratio, or the measured value if there is no reference. Null: not measured. */
  value: number | null;
  valueText: string;
  better: Better;
  must: Bound | null;
  aim: Bound | null;
  /** Why there is no value. */
  reason?: string;
}

export interface Bound {
  value: number;
  text: string;
}

/** `–`: the row has no bounds. */
export type Verdict = 'aim' | 'must' | 'below' | 'not measured' | '–';
export type Better = 'more' | 'less';

export type Unit = 'GB/s' | 'MB/s' | '/s' | 's' | 'MB' | '%' | 'µs';

export interface Target {
  must: number | null;
  aim: number | null;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The median of the ratios of each round. */
export function ratioRow(
  { work, unit }: { work: string; unit: Unit },
  ours: number[],
  reference: { name: string; values: number[] },
  target: Target,
): Row {
  const value = median(ours.map((one, round) => one / reference.values[round]!));
  const bound = (ratio: number | null) => (ratio === null ? null : { value: ratio, text: `${ratio} ×` });
  return {
    work,
    ours: format(median(ours), unit),
    reference: `${format(median(reference.values), unit)} ${reference.name}`,
    value,
    valueText: `${value.toFixed(2)} ×`,
    better: 'more',
    must: bound(target.must),
    aim: bound(target.aim),
  };
}

/** The same for times, of which the shorter is better. */
export function timeRow(...given: Parameters<typeof ratioRow>): Row {
  const row = ratioRow(...given);
  const below = (bound: Bound | null) => (bound === null ? null : { ...bound, text: `< ${bound.text}` });
  return { ...row, better: 'less', must: below(row.must), aim: below(row.aim) };
}

/** A value that must stay below a limit; `over` names the base of an increase. */
export function limitRow(work: string, unit: Unit, value: number, target: Target & { over?: string }): Row {
  const sign = target.over === undefined || value < 0 ? '' : '+';
  const bound = (limit: number | null) => (limit === null ? null : { value: limit, text: `< ${format(limit, unit)}` });
  return {
    work,
    ours: `${sign}${format(value, unit)}`,
    reference: target.over === undefined ? '–' : `over ${target.over}`,
    value,
    valueText: '–',
    better: 'less',
    must: bound(target.must),
    aim: bound(target.aim),
  };
}

export function missingRow(work: string, reason: string): Row {
  const nothing = '–';
  return {
    work,
    ours: nothing,
    reference: nothing,
    value: null,
    valueText: nothing,
    better: 'more',
    must: null,
    aim: null,
    reason,
  };
}

export function verdictOf(row: Row): Verdict {
  if (row.value === null) return 'not measured';
  if (row.must === null && row.aim === null) return '–';
  const reaches = (bound: Bound | null) =>
    bound !== null && (row.better === 'more' ? row.value! >= bound.value : row.value! < bound.value);
  if (reaches(row.aim)) return 'aim';
  return reaches(row.must) ? 'must' : 'below';
}

export function format(value: number, unit: Unit): string {
  if (unit === 'GB/s') return `${(value / 1e9).toFixed(2)} GB/s`;
  if (unit === 'MB/s') return `${(value / 1e6).toFixed(2)} MB/s`;
  if (unit === 'MB') return `${Math.round(value / 1e6)} MB`;
  if (unit === 's') return `${(value / 1000).toFixed(value < 10_000 ? 2 : 0)} s`;
  if (unit === '%') return `${value.toFixed(1)} %`;
  if (unit === 'µs') return `${Math.round(value)} µs`;
  return `${Math.round(value)} /s`;
}

const titles = ['work', 'ours', 'reference', 'ratio', 'must', 'aim', 'verdict'];

/** Plain text in columns, then the reasons for rows that were not measured. */
export function printTable(rows: Row[]): string {
  const lines = [
    titles,
    ...rows.map((row) => [
      row.work,
      row.ours,
      row.reference,
      row.valueText,
      row.must?.text ?? '–',
      row.aim?.text ?? '–',
      verdictOf(row),
    ]),
  ];
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
  text.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '));
  const reasons = rows.flatMap((row) => (row.reason === undefined ? [] : [`not measured: ${row.work}: ${row.reason}`]));
  return [...text, ...reasons].join('\n');
}
