// What reaches the person or the script. Data goes to stdout, everything else to stderr; with `--json` one document,
// with `--events=json` one line for each thing that happens, with `--quiet` only the address or id.
import type { Settings } from './settings.ts';
import type { World } from './world.ts';

export interface Output {
  /** One line of data for people and pipes; not printed with --json. */
  data(line: string): void;
  /** The one line that --quiet leaves, too. */
  essence(line: string): void;
  /** For people only. */
  say(line: string): void;
  /** Always shown: things that somebody must know. */
  warn(line: string): void;
  /** The document of --json. */
  document(value: unknown): void;
  /** A line of --events=json. */
  event(kind: string, facts?: Record<string, unknown>): void;
  bold(text: string): string;
  dim(text: string): string;
}

export function createOutput(world: World, settings: Settings): Output {
  const { isJson, isQuiet, hasEvents, hasColour } = settings;
  const out = (line: string) => void world.stdout.write(`${line}\n`);
  const err = (line: string) => void world.stderr.write(`${line}\n`);
  const styled = (code: number) => (text: string) => (hasColour ? `\u001b[${code}m${text}\u001b[22m` : text);
  return {
    data: (line) => {
      if (!isJson && !isQuiet && !hasEvents) out(line);
    },
    essence: (line) => {
      if (!isJson && !hasEvents) out(line);
    },
    say: (line) => {
      if (!isQuiet && !isJson && !hasEvents) err(line);
    },
    warn: (line) => (hasEvents ? out(JSON.stringify({ event: 'warning', sentence: line })) : err(line)),
    document: (value) => {
      if (isJson) out(JSON.stringify(value, null, 2));
    },
    event: (kind, facts = {}) => {
      if (hasEvents) out(JSON.stringify({ event: kind, ...facts }));
    },
    bold: styled(1),
    dim: styled(2),
  };
}
