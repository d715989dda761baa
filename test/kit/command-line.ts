// The `waybill` CLI in the test's process, with pipes or a simulated terminal and its own home folder.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { after, before } from 'node:test';
import { run } from '../../cli/run.ts';
import type { World } from '../../cli/world.ts';
import type { TestApp } from './app.ts';
import type { ApiClient } from './client.ts';

export interface Ran {
  code: number;
  out: string;
  err: string;
}

export interface RunOptions {
  stdin?: string | Uint8Array;
  /** Typed at a terminal; questions are asked only then. */
  typed?: string;
  /** Types the answer to each question that is shown on the terminal. */
  answer?(question: string): string | Promise<string>;
  /** Receive the output while the program runs. */
  onError?(text: string): void;
  onOutput?(text: string): void;
  env?: Record<string, string>;
  /** Columns of a terminal; without it everything is a pipe. */
  columns?: number;
  start?: World['start'];
  signal?: AbortSignal;
  cwd?: string;
}

export interface CommandLine {
  home: string;
  run(args: string[], options?: RunOptions): Promise<Ran>;
}

/** `now` of the service, when dates matter. */
export function useCommandLine(now: () => number = Date.now): CommandLine {
  const line: CommandLine = { home: '', run: (args, options) => runIn(line.home, args, { now, ...options }) };
  before(() => {
    line.home = mkdtempSync(join(tmpdir(), 'waybill-cli-'));
  });
  after(() => rmSync(line.home, { recursive: true, force: true }));
  return line;
}

/** The environment of a person who has signed in. */
export function asPerson(app: TestApp, person: ApiClient): Record<string, string> {
  return { WAYBILL_SERVER: app.url, WAYBILL_API_KEY: person.key ?? '' };
}

async function runIn(home: string, args: string[], options: RunOptions & { now(): number }): Promise<Ran> {
  const stdin = stdinOf(options);
  const [out, err] = [collecting(options.onOutput), collecting(options.onError)];
  const { answer } = options;
  if (answer !== undefined)
    err.stream.on('data', async (part: Buffer) => {
      const question = /([^\n]*[:\]] )$/.exec(part.toString())?.[1];
      if (question !== undefined) stdin.push(`${await answer(question)}\n`);
    });
  const isTerminal = options.columns !== undefined;
  const world: World = {
    args,
    env: { HOME: home, ...options.env },
    cwd: options.cwd ?? home,
    home,
    hostName: 'desk',
    platform: 'linux',
    stdin,
    stdout: Object.assign(out.stream, { isTTY: isTerminal, ...(isTerminal ? { columns: options.columns } : {}) }),
    stderr: Object.assign(err.stream, { isTTY: isTerminal, ...(isTerminal ? { columns: options.columns } : {}) }),
    start: async (...started) => options.start?.(...started) ?? false,
    timeZone: 'Europe/Berlin',
    now: options.now,
    signal: options.signal ?? new AbortController().signal,
  };
  const code = await run(world);
  return { code, out: out.text(), err: err.text() };
}

function stdinOf({ stdin, typed, answer }: RunOptions): World['stdin'] {
  if (answer !== undefined) return Object.assign(new Readable({ read() {} }), { isTTY: true });
  const given = typed ?? stdin;
  return Object.assign(Readable.from(given === undefined ? [] : [Buffer.from(given)]), { isTTY: typed !== undefined });
}

function collecting(onText?: (text: string) => void) {
  const stream = new PassThrough();
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => {
    parts.push(part);
    onText?.(Buffer.concat(parts).toString());
  });
  return { stream, text: () => Buffer.concat(parts).toString() };
}

/** The final screen of a terminal, after redrawn progress bars. */
export function finalScreen(text: string): string {
  const frames = text.split(/\u001b\[\d+A/);
  return frames.at(-1)!.replace(/\r|\u001b\[[0-9;]*[A-Za-z]/g, '');
}
