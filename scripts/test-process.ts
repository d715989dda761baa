// Runs test files with Node's test runner: several processes take files from one queue, so that a process loads the
// server once for many files. Every file gets a result, also when it does not load, hangs or ends its process.
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

export type Outcome = 'passed' | 'failed' | 'cancelled' | 'skipped' | 'todo';

export interface Verdict {
  /** The names of the suites around the test and its own. */
  name: string;
  isSuite: boolean;
  outcome: Outcome;
  durationMs: number;
  error: string | null;
}

export interface FileResult {
  path: string;
  verdicts: Verdict[];
  durationMs: number;
  /** What the process printed since the file before. */
  output: string;
}

export interface Queue {
  paths: string[];
  /** A folder with a file for each path that a process has taken. */
  claims: string;
}

/** What the parent tells a test process in this environment variable. */
export interface QueueTask extends Queue {
  root: string;
  processId: string;
}
export const taskVariable = 'WAYBILL_TEST_QUEUE';

export interface QueueRun {
  root: string;
  queue: Queue;
  /** A process that reports nothing for this long is killed. */
  silenceLimitMs: number;
  env: NodeJS.ProcessEnv;
  add(result: FileResult): void;
}

const entry = join(import.meta.dirname, 'test-entry.ts');
let processCount = 0;

export function createQueue(scratch: string, paths: string[]): Queue {
  return { paths, claims: mkdtempSync(join(scratch, 'queue-')) };
}

/** Ends when the queue is empty. A process that was lost in the middle of a file is followed by another one. */
export async function runQueue(queueRun: QueueRun): Promise<void> {
  while (await runProcess(queueRun));
}

/** Returns whether the process was lost before the queue was empty. */
async function runProcess({ root, queue, silenceLimitMs, env, add }: QueueRun): Promise<boolean> {
  processCount += 1;
  const processId = String(processCount);
  const task: QueueTask = { ...queue, root, processId };
  const controller = new AbortController();
  const stop = () => controller.abort();
  const timer = setTimeout(stop, silenceLimitMs);
  process.once('exit', stop);
  const collected = collectResults(add);
  const stream = run({
    files: [entry],
    isolation: 'process',
    cwd: root,
    signal: controller.signal,
    env: { ...env, [taskVariable]: JSON.stringify(task) },
  });
  for await (const event of stream) {
    timer.refresh();
    collected.take(event);
  }
  clearTimeout(timer);
  process.off('exit', stop);
  const claimed = queue.paths.filter((_, index) => claimOf(queue, index) === processId);
  const how = controller.signal.aborted ? `was killed after ${silenceLimitMs / 1_000} s without a report` : 'ended';
  return collected.finish(claimed, how);
}

function claimOf({ claims }: Queue, index: number): string | null {
  const path = join(claims, String(index));
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

interface Collected {
  take(event: TestEvent): void;
  /** Adds failures for files without a result; returns whether there were any. */
  finish(claimed: string[], how: string): boolean;
}

function collectResults(add: (result: FileResult) => void): Collected {
  const finished = new Set<string>();
  const names: string[] = [];
  const complaints: string[] = [];
  let running = '';
  let verdicts: Verdict[] = [];
  let output = '';

  const addResult = (path: string, durationMs: number) => {
    if (verdicts.length === 0) verdicts.push(failure('the whole file', 'The file has no tests.'));
    finished.add(path);
    add({ path, verdicts, durationMs, output });
    verdicts = [];
    output = '';
  };
  const takeVerdict = (event: Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>) => {
    const { nesting, name, details } = event.data;
    const verdict = verdictOf(event, [...names.slice(1, nesting), name].join(' › '));
    if (nesting > 0 && verdict !== null) verdicts.push(verdict);
    if (nesting > 0) return;
    if (details.type === 'suite') {
      if (verdict !== null && isFailure(verdict)) verdicts.push({ ...verdict, name: 'the whole file' });
      addResult(name, details.duration_ms);
    } else if (verdict?.error) complaints.push(verdict.error);
  };
  return {
    take(event) {
      if (event.type === 'test:start') names.splice(event.data.nesting, names.length, event.data.name);
      else if (event.type === 'test:dequeue') running = event.data.name;
      else if (event.type === 'test:stdout' || event.type === 'test:stderr') output += event.data.message;
      else if (event.type === 'test:pass' || event.type === 'test:fail') takeVerdict(event);
      else if (event.type === 'test:diagnostic' && /^(Error|Warning): /.test(event.data.message))
        complaints.push(event.data.message);
    },
    finish(claimed, how) {
      const lost = claimed.filter((path) => !finished.has(path));
      for (const path of lost) {
        const error = `Its process ${how} before the end of this file. Last begun: ${running}`;
        verdicts.push(failure('the whole file', error));
        addResult(path, 0);
      }
      const last = claimed.at(-1);
      if (lost.length > 0 || last === undefined || complaints.length === 0) return lost.length > 0;
      const error = `The process ${how} after this file, its last one.\n${complaints.join('\n')}`;
      add({ path: last, verdicts: [failure('after the last test', error)], durationMs: 0, output });
      return false;
    },
  };
}

export function isFailure({ outcome }: Verdict): boolean {
  return outcome === 'failed' || outcome === 'cancelled';
}

function failure(name: string, error: string): Verdict {
  return { name, isSuite: true, outcome: 'failed', durationMs: 0, error };
}

interface RunnerError extends Error {
  failureType?: string;
}

/** Null for a suite that passed, or failed only because of a test in it. */
function verdictOf(event: Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>, name: string): Verdict | null {
  const { data } = event;
  const error = event.type === 'test:fail' ? (event.data.details.error as RunnerError) : null;
  const isSuite = data.details.type === 'suite';
  const outcome = outcomeOf(data, error);
  const hasCause = error !== null && error.failureType !== 'subtestsFailed';
  if (isSuite && !hasCause && outcome !== 'skipped' && outcome !== 'todo') return null;
  return {
    name,
    isSuite,
    outcome,
    durationMs: data.details.duration_ms,
    error: hasCause ? describeError(error) : null,
  };
}

function outcomeOf(data: { skip?: string | boolean; todo?: string | boolean }, error: RunnerError | null): Outcome {
  if (data.skip !== undefined && data.skip !== false) return 'skipped';
  if (data.todo !== undefined && data.todo !== false) return 'todo';
  if (error === null) return 'passed';
  return error.failureType === 'cancelledByParent' ? 'cancelled' : 'failed';
}

function describeError(error: RunnerError): string {
  const cause = error.cause ?? error;
  const text = typeof cause === 'string' ? cause : inspect(cause, { depth: 6 });
  return text.replace(/\n +at [^\n]*\bnode:(?:internal|async_hooks)[^\n]*?(?=( \{)?\n|$)/g, '');
}
