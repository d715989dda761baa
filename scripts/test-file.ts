// Runs one test file in a process of its own and says what happened there, whatever happened: passed, failed, crashed
// while loading, hung, ended early, or held no test at all. The last four count as one failure each.
import { existsSync, readFileSync } from 'node:fs';
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
  /** What the file printed. */
  output: string;
}

export interface FileRun {
  root: string;
  path: string;
  /** A folder of this run for logs. */
  scratch: string;
  /** For the whole file. */
  timeLimitMs: number;
  /** For one test or suite in it. */
  testLimitMs: number;
  env: NodeJS.ProcessEnv;
}

const reporter = pathToFileURL(join(import.meta.dirname, 'test-events.ts')).href;

export async function runTestFile(run: FileRun): Promise<FileResult> {
  const startedAt = performance.now();
  const stem = join(run.scratch, run.path.replaceAll('/', '_'));
  const eventsPath = `${stem}.events`;
  const child = await startChild({
    name: run.path,
    command: process.execPath,
    args: [
      // A hanging test fails by name and lets the others run; the limit of the file is for what is outside of tests.
      `--test-timeout=${run.testLimitMs}`,
      `--test-reporter=${reporter}`,
      `--test-reporter-destination=${eventsPath}`,
      run.path,
    ],
    outputPath: `${stem}.output`,
    cwd: run.root,
    env: run.env,
  });
  const exit = await exitWithin(child, run.timeLimitMs);
  await child.stop(0); // what the file itself started and forgot
  const lines = readLines(eventsPath);
  const verdicts = lines.filter((line) => line.kind === 'verdict');
  const trouble = troubleOf(lines, verdicts, exit, run.timeLimitMs);
  if (trouble !== null) {
    const name = 'the file as a whole';
    verdicts.push({ kind: 'verdict', name, isSuite: true, outcome: 'failed', durationMs: 0, error: trouble });
  }
  return { path: run.path, verdicts, durationMs: performance.now() - startedAt, output: child.output() };
}

/** Null when the time was over. */
async function exitWithin(child: Child, limitMs: number): Promise<Exit | null> {
  const timer = new AbortController();
  const timeUp = pause(limitMs, null, { signal: timer.signal }).catch(() => null);
  const exit = await Promise.race([child.exited, timeUp]);
  timer.abort();
  return exit;
}

/** What is wrong with the file as a whole, beyond the verdicts on its tests. */
function troubleOf(lines: TestLine[], verdicts: Verdict[], exit: Exit | null, limitMs: number): string | null {
  if (exit === null) return `was ended after ${limitMs / 1_000} s. ${whatWasRunning(lines)}`;
  const isOver = lines.some((line) => line.kind === 'over');
  const hasFailure = verdicts.some((verdict) => ['failed', 'cancelled'].includes(verdict.outcome));
  const ending = exit.signal ? `by ${exit.signal}` : `with code ${exit.code}`;
  const complaints = lines.filter((line) => line.kind === 'complaint').map((line) => `\n${line.sentence}`);
  if (!isOver && (exit.code !== 0 || lines.length > 0)) return `ended ${ending} before its tests were over.`;
  if (exit.code !== 0 && !hasFailure) return `ended ${ending}, though no test of it failed.${complaints.join('')}`;
  if (verdicts.length === 0) return 'came to its end without a test: it holds none, or one of them left the process.';
  return null;
}

function whatWasRunning(lines: TestLine[]): string {
  if (lines.length === 0) return 'It had reported nothing by then: it hangs while loading, or spins in its first test.';
  const running = new Map<string, string>();
  for (const line of lines) {
    if (line.kind === 'begun') running.set(line.key, line.name);
    if (line.kind === 'ended') running.delete(line.key);
  }
  if (running.size > 0) return `Still running: ${[...running.values()].join(' › ')}.`;
  return 'No test was running: something the tests opened (a server, a timer, a connection) was never closed.';
}

function readLines(eventsPath: string): TestLine[] {
  if (!existsSync(eventsPath)) return [];
  const lines = readFileSync(eventsPath, 'utf8').split('\n').slice(0, -1); // without a line cut off by a crash
  return lines.map((line) => JSON.parse(line) as TestLine);
}
