// Running test files against a service in processes of its own (the executable file, several machines): tests that put
// something into the service, or reach into its process, say nothing about it there and count as skipped.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsInside } from '../test/kit/executable.ts';
import { folderInMemory } from '../test/kit/servers/memory.ts';
import { listFiles, repositoryRoot } from './source-files.ts';
import { createQueue, type FileResult, type QueueRun, runQueue } from './test-process.ts';
import { startReport } from './test-report.ts';
import type { Verdict } from './test-reporter.ts';

/** `insideNames`: tests that reach inside without an option of the kit, by the end of their names. */
export function withoutInside(result: FileResult, insideNames: readonly string[]): FileResult {
  const names = result.verdicts.filter(({ error }) => error?.includes(needsInside) === true).map(({ name }) => name);
  const isApart = ({ name, outcome }: Verdict) =>
    names.includes(name) ||
    insideNames.some((inside) => name === inside || name.endsWith(` › ${inside}`)) ||
    (outcome === 'cancelled' && names.some((suite) => name.startsWith(`${suite} › `)));
  const verdicts = result.verdicts.map((verdict) =>
    isApart(verdict) ? { ...verdict, outcome: 'skipped' as const, error: null } : verdict,
  );
  return { ...result, verdicts };
}

export interface ApartRun {
  files: string[];
  /** What tells the kit where the service is. */
  env: NodeJS.ProcessEnv;
  /** See `withoutInside`. */
  insideNames: readonly string[];
}

/** How long a file may say nothing: each of its suites starts and prepares processes. */
const silenceLimitMs = 600_000;
/** Files beside each other: their time is mostly that of the processes that serve. */
const lanes = 2;

/** Runs the files, prints the report, returns the exit code. */
export async function runApart({ files, env, insideNames }: ApartRun): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), 'waybill-test-'));
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
  const report = startReport({ withNames: false, print: console.log });
  const run: QueueRun = {
    root: repositoryRoot,
    queue: createQueue(scratch, files),
    silenceLimitMs,
    env: { ...process.env, NO_COLOR: '1', TMPDIR: folderInMemory() ?? scratch, ...env },
    add: (result) => report.add(withoutInside(result, insideNames)),
  };
  await Promise.all(Array.from({ length: lanes }, () => runQueue(run)));
  return report.finish();
}

/** The test files of these folders; with words, those with one of them in their path. */
export function testFilesOf(folders: string[], words: string[]): string[] {
  return listFiles(repositoryRoot, folders).filter(
    (path) => path.endsWith('.test.ts') && (words.length === 0 || words.some((word) => path.includes(word))),
  );
}
