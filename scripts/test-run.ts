// Runs a queue of test files in one process and says what happened to each, whatever happened: passed, failed, crashed
// while loading, hung, ended early, or held no test at all. The last four count as one failure each. A process that is
// lost in the middle of a file is followed by another one for the rest of the queue.
import { closeSync, existsSync, openSync, readSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Child, type Exit, startChild } from '../test/kit/servers/child.ts';
import type { Outcome, TestLine } from './test-events.ts';

export interface Verdict {
  name: string;
  isSuite: boolean;
  outcome: Outcome;
  durationMs: number;
  /** In full, for people; null when there is nothing to say. */
  error: string | null;
}

export interface FileResult {
  path: string;
  verdicts: Verdict[];
  durationMs: number;
  /** Processor time of its process and of the children that ended meanwhile. */
  cpuMs: number;
  /** What the file printed. */
  output: string;
}

export interface LaneRun {
  root: string;
  /** Made by `writeQueue`; other lanes may take from it too. */
  queuePath: string;
  /** A folder of this run for logs. */
  scratch: string;
  /** A process that reports nothing for this long is ended. Each test that begins or ends is a sign of life. */
  silenceLimitMs: number;
  env: NodeJS.ProcessEnv;
  add(result: FileResult): void;
}

/** After its last test a process has nothing to do but end. */
const leaveLimitMs = 60_000;
const lookAgainMs = 100;
const reporter = pathToFileURL(join(import.meta.dirname, 'test-events.ts')).href;
const entry = join(import.meta.dirname, 'test-lane.ts');
let laneCount = 0;

export function writeQueue(scratch: string, paths: string[]): string {
  laneCount += 1;
  const queuePath = join(scratch, `queue-${laneCount}`);
  writeFileSync(queuePath, JSON.stringify({ paths }));
  return queuePath;
}

/** Until nothing is left to take from the queue. */
export async function runLane(run: LaneRun): Promise<void> {
  let isLost: boolean;
  do isLost = await runProcess(run);
  while (isLost);
}

/** True when the process was lost before the queue was empty. */
async function runProcess(run: LaneRun): Promise<boolean> {
  laneCount += 1;
  const stem = join(run.scratch, `lane-${laneCount}`);
  const child = await startChild({
    name: 'a lane of tests',
    command: process.execPath,
    args: [`--test-reporter=${reporter}`, `--test-reporter-destination=${stem}.events`, entry, run.queuePath],
    outputPath: `${stem}.output`,
    cwd: run.root,
    env: run.env,
  });
  const lane = readLane(`${stem}.events`, child, run.add);
  const exit = await untilSilent(child, lane, run.silenceLimitMs);
  await child.stop(0); // what the files themselves started and forgot
  return lane.finish(exit, run.silenceLimitMs);
}

/** Null when it had to be given up. */
async function untilSilent(child: Child, lane: Lane, silenceLimitMs: number): Promise<Exit | null> {
  let heardAt = performance.now();
  let outputSize = 0;
  for (;;) {
    const exit = await Promise.race([child.exited, pause(lookAgainMs, null)]);
    const size = child.outputSize();
    if (lane.look() || size !== outputSize) heardAt = performance.now();
    outputSize = size;
    if (exit !== null) return exit;
    const limitMs = lane.isLeaving() ? Math.min(leaveLimitMs, silenceLimitMs) : silenceLimitMs;
    if (performance.now() - heardAt > limitMs) return null;
  }
}

interface Lane {
  /** Reads on; true when there was something new. */
  look(): boolean;
  isLeaving(): boolean;
  /** Reports what is left to report; true when the process ended in the middle of a file. */
  finish(exit: Exit | null, silenceLimitMs: number): boolean;
}

interface OpenFile {
  path: string;
  lines: TestLine[];
  /** By the wall clock, which both processes share. */
  startedAt: number;
  cpuMs: number;
}

function readLane(eventsPath: string, child: Child, add: (result: FileResult) => void): Lane {
  let readBytes = 0;
  let hasFailed = false;
  let open: OpenFile | null = null;
  let last: OpenFile | null = null;
  const rest: TestLine[] = [];

  const close = (file: OpenFile, now: { at: number; cpuMs: number }, trouble: string | null) => {
    const verdicts: Verdict[] = file.lines.filter((line) => line.kind === 'verdict');
    const isEmpty = verdicts.length === 0 && trouble === null;
    const what = isEmpty ? 'came to its end without a test.' : trouble;
    if (what !== null) verdicts.push(failed('the file as a whole', what));
    hasFailed ||= verdicts.some(({ outcome }) => outcome === 'failed' || outcome === 'cancelled');
    const durationMs = now.at - file.startedAt;
    add({ path: file.path, verdicts, durationMs, cpuMs: now.cpuMs - file.cpuMs, output: outputOf(child, file.path) });
    open = null;
  };
  const take = (line: TestLine) => {
    if (line.kind !== 'file') (open?.lines ?? rest).push(line);
    else if (line.isOver && open !== null) close(open, line, null);
    else if (!line.isOver) {
      open = { path: line.path, lines: [], startedAt: line.at, cpuMs: line.cpuMs };
      last = open;
    }
  };
  return {
    look() {
      const text = readFrom(eventsPath, readBytes);
      const complete = text.subarray(0, text.lastIndexOf('\n') + 1); // without a line that is still being written
      readBytes += complete.length;
      const lines = complete.toString().split('\n').slice(0, -1);
      for (const line of lines) take(JSON.parse(line) as TestLine);
      return lines.length > 0;
    },
    isLeaving: () => rest.some((line) => line.kind === 'over') || (open === null && last !== null),
    finish(exit, silenceLimitMs) {
      open ??= unreported(child, last);
      const ending = endingOf(exit, silenceLimitMs);
      if (open !== null) {
        const trouble = exit === null ? `${ending} ${whatWasRunning(open.lines)}` : `${ending} before its end.`;
        close(open, { at: Date.now(), cpuMs: open.cpuMs }, trouble);
        return true;
      }
      if (exit?.code === 0 || (exit !== null && hasFailed)) return false;
      const complaints = rest.filter((line) => line.kind === 'complaint').map((line) => `\n${line.sentence}`);
      const why = exit === null ? 'something its tests opened (a server, a timer, a connection) was never closed' : '';
      const error = `The process ${ending} after the tests of this file, the last it had: ${why}${complaints.join('')}`;
      const path = last?.path ?? 'a lane of tests';
      const verdicts = [failed('after its last test', error)];
      add({ path, verdicts, durationMs: 0, cpuMs: 0, output: outputOf(child, path) });
      return false;
    },
  };
}

/** What a file that grows has from this byte on. Lanes are looked at ten times a second, for many minutes. */
function readFrom(path: string, position: number): Buffer {
  const size = existsSync(path) ? statSync(path).size : 0;
  if (size <= position) return Buffer.alloc(0);
  const bytes = Buffer.alloc(size - position);
  const file = openSync(path, 'r');
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, position));
  } finally {
    closeSync(file);
  }
}

function failed(name: string, error: string): Verdict {
  return { name, isSuite: true, outcome: 'failed', durationMs: 0, error };
}

function endingOf(exit: Exit | null, silenceLimitMs: number): string {
  if (exit === null) return `was ended after ${silenceLimitMs / 1_000} s in which nothing was heard of it.`;
  return `ended ${exit.signal ? `by ${exit.signal}` : `with code ${exit.code}`}`;
}

/** The file a process was in when it left so suddenly that its reports were lost: its mark in the output was not. */
function unreported(child: Child, last: OpenFile | null): OpenFile | null {
  const path = child.output().split('\u0001').slice(1).at(-1)?.split('\n', 1)[0];
  if (path === undefined || path === last?.path) return null;
  return { path, lines: [], startedAt: Date.now(), cpuMs: 0 };
}

/** Between its own mark and that of the next file (see `test-lane.ts`). */
function outputOf(child: Child, path: string): string {
  const pieces = child.output().split('\u0001');
  const own = pieces.filter((piece) => piece.startsWith(`${path}\n`)).map((piece) => piece.slice(path.length + 1));
  return own.at(-1) ?? pieces.at(-1) ?? '';
}

function whatWasRunning(lines: TestLine[]): string {
  if (lines.length === 0) return 'It hangs while loading, or spins in its first test.';
  const running = new Map<string, string>();
  for (const line of lines) {
    if (line.kind === 'begun') running.set(line.key, line.name);
    if (line.kind === 'ended') running.delete(line.key);
  }
  return `Still running: ${[...running.values()].join(' › ')}.`;
}
