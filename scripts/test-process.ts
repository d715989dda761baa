// Runs test files with Node's test runner in processes that take files from one queue, so that each loads the server once
// for many files. Every file gets a result, also if it does not load, hangs or ends its process.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { TestLine, Verdict } from './test-reporter.ts';

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

/** The argument of a test process. */
export interface QueueTask extends Queue {
  root: string;
  processId: string;
}

export interface QueueRun {
  root: string;
  queue: Queue;
  /** A process that reports nothing for this long is killed. */
  silenceLimitMs: number;
  env: NodeJS.ProcessEnv;
  /** Ends the processes; files without a result then get none. */
  signal?: AbortSignal;
  add(result: FileResult): void;
}

const entry = join(import.meta.dirname, 'test-entry.ts');
const reporter = pathToFileURL(join(import.meta.dirname, 'test-reporter.ts')).href;
let processCount = 0;

export function createQueue(scratch: string, paths: string[]): Queue {
  return { paths, claims: mkdtempSync(join(scratch, 'queue-')) };
}

/** Ends when the queue is empty. A process that was lost in the middle of a file is followed by another one. */
export async function runQueue(queueRun: QueueRun): Promise<void> {
  while (await runProcess(queueRun));
}

/** Returns whether the process was lost before the queue was empty. */
async function runProcess({ root, queue, silenceLimitMs, env, signal, add }: QueueRun): Promise<boolean> {
  processCount += 1;
  const processId = String(processCount);
  const task: QueueTask = { ...queue, root, processId };
  const child = spawn(process.execPath, [`--test-reporter=${reporter}`, entry, JSON.stringify(task)], {
    cwd: root,
    env,
    detached: true, // a group of its own, which is killed as a whole
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const killGroup = () => kill(-child.pid!);
  process.once('exit', killGroup);
  signal?.addEventListener('abort', killGroup);
  let isSilent = false;
  const timer = setTimeout(() => {
    isSilent = true;
    killGroup();
  }, silenceLimitMs);
  const results = collectResults(add);
  createInterface(child.stdio[3] as Readable).on('line', (line) => {
    timer.refresh();
    results.take(JSON.parse(line) as TestLine);
  });
  for (const stream of [child.stdout, child.stderr])
    stream!.setEncoding('utf8').on('data', (text: string) => {
      timer.refresh();
      results.takeOutput(text);
    });
  child.once('exit', killGroup); // what the files started and did not end
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  process.off('exit', killGroup);
  if (signal?.aborted) return false;
  const claimed = queue.paths.filter((_, index) => claimOf(queue, index) === processId);
  const ending = isSilent ? `was killed after ${silenceLimitMs / 1_000} s without a report` : `ended with code ${code}`;
  return results.finish(claimed, { isClean: code === 0, ending });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function claimOf({ claims }: Queue, index: number): string | null {
  const path = join(claims, String(index));
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

interface Results {
  take(line: TestLine): void;
  takeOutput(text: string): void;
  /** Adds failures for files without a result; returns whether there were any. */
  finish(claimed: string[], exit: { isClean: boolean; ending: string }): boolean;
}

function collectResults(add: (result: FileResult) => void): Results {
  const ended = new Set<string>();
  const complaints: string[] = [];
  let lastBegun = '';
  let verdicts: Verdict[] = [];
  let output = '';
  let hasFailed = false;

  const addResult = (path: string, durationMs: number) => {
    if (verdicts.length === 0) verdicts.push(failure('the whole file', 'The file has no tests.'));
    hasFailed ||= verdicts.some(isFailure);
    ended.add(path);
    add({ path, verdicts, durationMs, output });
    verdicts = [];
    output = '';
  };
  return {
    take(line) {
      if (line.kind === 'begun') lastBegun = line.name;
      else if (line.kind === 'complaint') complaints.push(line.sentence);
      else if (line.kind === 'file ended') addResult(line.path, line.durationMs);
      else verdicts.push(line);
    },
    takeOutput(text) {
      output += text;
    },
    finish(claimed, { isClean, ending }) {
      const lost = claimed.filter((path) => !ended.has(path));
      for (const path of lost) {
        const error = `Its process ${ending} before the end of this file. Last begun: ${lastBegun}`;
        verdicts.push(failure('the whole file', error));
        addResult(path, 0);
      }
      if (lost.length > 0 || isClean || hasFailed) return lost.length > 0;
      verdicts.push(failure('after the last test', `The process ${ending} after this file.\n${complaints.join('\n')}`));
      addResult(claimed.at(-1) ?? 'a test process', 0);
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
