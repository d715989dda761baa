// Tables for people: columns with headers that fit the width of the terminal.
import { plainText } from './plain-text.ts';
import { cutEnd, padded, textWidth } from './text-width.ts';

export interface Column {
  header: string;
  /** A column that may be cut, down to this width. */
  least?: number;
  /** Left out when the terminal is too narrow. */
  isOptional?: boolean;
  isRight?: boolean;
}

const gap = 2;

export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  maxWidth: number,
): { header: string; lines: string[] } {
  // Other servers may leave fields out.
  const cells = rows.map((row) => row.map((cell: string | undefined) => plainText(cell ?? '')));
  const natural = columns.map(({ header }, at) =>
    Math.max(textWidth(header), ...cells.map((row) => textWidth(row[at] ?? ''))),
  );
  const shown = chooseColumns(columns, natural, maxWidth);
  const widths = fitWidths(columns, natural, { shown, maxWidth });
  const lineOf = (row: readonly string[]) =>
    shown
      .map((at) => padded(cutEnd(row[at] ?? '', widths[at]!), widths[at]!, columns[at]!.isRight))
      .join(' '.repeat(gap))
      .trimEnd();
  return { header: lineOf(columns.map(({ header }) => header)), lines: cells.map(lineOf) };
}

function sumOf(widths: readonly number[], shown: readonly number[]): number {
  return shown.reduce((sum, at) => sum + widths[at]!, (shown.length - 1) * gap);
}

/** Leaves out optional columns, the last first, before others are cut. */
function chooseColumns(columns: readonly Column[], natural: readonly number[], maxWidth: number): number[] {
  let shown = columns.map((_, at) => at);
  while (sumOf(natural, shown) > maxWidth) {
    const last = shown.findLast((at) => columns[at]!.isOptional === true);
    if (last === undefined) break;
    shown = shown.filter((at) => at !== last);
  }
  return shown;
}

/** Cuts the widest columns first. */
function fitWidths(
  columns: readonly Column[],
  natural: readonly number[],
  { shown, maxWidth }: { shown: readonly number[]; maxWidth: number },
): number[] {
  const widths = [...natural];
  while (sumOf(widths, shown) > maxWidth) {
    const cuttable = shown.filter((at) => widths[at]! > (columns[at]!.least ?? Number.POSITIVE_INFINITY));
    if (cuttable.length === 0) break;
    const widest = cuttable.reduce((one, other) => (widths[other]! > widths[one]! ? other : one));
    widths[widest]! -= 1;
  }
  return widths;
}
