// Output. Data goes to stdout, everything else to stderr; with `--json` one document,
// with `--events=json` one line for each event, with `--quiet` only the address or id. All text is
// made safe for terminals here.

import type { Writable } from 'node:stream';
import { jsonText, plainText } from './plain-text.ts';
import type { Settings } from './settings.ts';
import { type Column, tableLines } from './tables.ts';
import type { World } from './world.ts';

export interface Output {
  /** One line of data for people and pipes; not printed with --json. */
  data(line: string, style?: Style): void;
  /** The same as columns with tabs between them. */
  row(cells: readonly string[]): void;
  /** A table with headers on a terminal; in a pipe columns with tabs between them. */
  table(table: Table): void;
  /** Also printed with --quiet. */
  essence(line: string): void;
  /** For people only. */
  say(line: string, style?: Style): void;
  /** For people only, also with --quiet and --json. */
  show(line: string, style?: Style): void;
  /** Always shown. */
  warn(line: string): void;
  /** The document of --json. */
  document(value: unknown): void;
  /** A line of --events=json. */
  event(kind: string, facts?: Record<string, unknown>): void;
}

export interface Table {
  columns: readonly Column[];
  /** For a terminal. */
  rows: readonly (readonly string[])[];
  /** For a pipe; stable for scripts. */
  plain: readonly (readonly string[])[];
}

export type Style = 'bold' | 'dim';

const styleCodes = { bold: 1, dim: 2 } as const;

/** Columns of the terminal. */
export function widthOf({ stdout, stderr }: Pick<World, 'stdout' | 'stderr'>): number {
  return Math.max(40, stderr.columns ?? stdout.columns ?? 80);
}

/** Writes one line, even if the text has line breaks. */
export function writeLine(stream: Writable, text: string, style: Style | null = null): void {
  const line = plainText(text);
  stream.write(style === null ? `${line}\n` : `\u001b[${styleCodes[style]}m${line}\u001b[22m\n`);
}

/** Text of the program itself that has several lines, such as help. */
export function writeLines(stream: Writable, text: string): void {
  stream.write(text.split('\n').map(plainText).join('\n'));
}

/** How scripts asked for the output, read before the flags are parsed, because wrong flags are reported that way as well. */
export function scriptFormat(args: readonly string[]): 'json' | 'events' | null {
  const end = args.indexOf('--');
  const flags = end === -1 ? args : args.slice(0, end);
  const hasEvents = flags.some(
    (flag, at) => flag === '--events=json' || (flag === '--events' && flags[at + 1] === 'json'),
  );
  if (hasEvents) return 'events';
  return flags.includes('--json') ? 'json' : null;
}

export function createOutput(world: World, settings: Settings): Output {
  const { isJson, isQuiet, hasEvents, hasColour } = settings;
  const out = (line: string, style?: Style) => writeLine(world.stdout, line, hasColour ? style : null);
  const err = (line: string, style?: Style) => writeLine(world.stderr, line, hasColour ? style : null);
  const outJson = (value: unknown, indent = 0) => void world.stdout.write(`${jsonText(value, indent)}\n`);
  const row = (cells: readonly string[]) => {
    if (!isJson && !isQuiet && !hasEvents) world.stdout.write(`${cells.map(plainText).join('\t')}\n`);
  };
  return {
    data: (line, style) => {
      if (!isJson && !isQuiet && !hasEvents) out(line, style);
    },
    row,
    table({ columns, rows, plain }) {
      if (world.stdout.isTTY !== true) return plain.forEach(row);
      if (isJson || isQuiet || hasEvents || rows.length === 0) return;
      const { header, lines } = tableLines(columns, rows, widthOf(world));
      for (const [at, line] of [header, ...lines].entries())
        writeLine(world.stdout, line, hasColour && at === 0 ? 'bold' : null);
    },
    essence: (line) => {
      if (!isJson && !hasEvents) out(line);
    },
    say: (line, style) => {
      if (!isQuiet && !isJson && !hasEvents) err(line, style);
    },
    show: err,
    warn: (line) => (hasEvents ? outJson({ event: 'warning', sentence: line }) : err(line)),
    document: (value) => {
      if (isJson) outJson(value, 2);
    },
    event: (kind, facts = {}) => {
      // A field of the server's answer must not replace the kind.
      if (hasEvents) outJson(Object.assign({ event: kind }, facts, { event: kind }));
    },
  };
}
