// Runs test files against a service in other processes (the executable file, several machines). Tests that need to be inside
// the process of the service count as skipped.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsInside } from '#test/kit/executable.ts';
import { folderInMemory } from '#test/kit/servers/memory.ts';
import { listFiles, repositoryRoot } from './source-files.ts';
import { createQueue, type FileResult, type QueueRun, runQueue } from './test-process.ts';
import { startReport } from './test-report.ts';
import type { Verdict } from './test-reporter.ts';

/** `insideNames`: the ends of the names of tests that need to be inside and do not declare it. */
export function skipInside(result: FileResult, insideNames: readonly string[]): FileResult {
  const names = result.verdicts.filter(({ error }) => error?.includes(needsInside) === true).map(({ name }) => name);
  const isSkipped = ({ name, outcome }: Verdict) =>
    names.includes(name) ||
    insideNames.some((inside) => name === inside || name.endsWith(` › ${inside}`)) ||
    (outcome === 'cancelled' && names.some((suite) => name.startsWith(`${suite} › `)));
  const verdicts = result.verdicts.map((verdict) =>
    isSkipped(verdict) ? { ...verdict, outcome: 'skipped' as const, error: null } : verdict,
  );
  return { ...result, verdicts };
}

export interface ExternalRun {
  files: string[];
  /** Environment variables with the address of the service. */
  env: NodeJS.ProcessEnv;
  insideNames: readonly string[];
}

const silenceLimitMs = 600_000;
const processes = 2;

/** Runs the files, prints the report, returns the exit code. */
export async function runExternal({ files, env, insideNames }: ExternalRun): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), 'waybill-test-'));
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
  const report = startReport({ withNames: false, print: console.log });
  const run: QueueRun = {
    root: repositoryRoot,
    queue: createQueue(scratch, files),
    silenceLimitMs,
    env: { ...process.env, NO_COLOR: '1', TMPDIR: folderInMemory() ?? scratch, ...env },
    add: (result) => report.add(skipInside(result, insideNames)),
  };
  await Promise.all(Array.from({ length: processes }, () => runQueue(run)));
  return report.finish();
}

/** The test files of these folders; if there are words, those whose path contains one. */
export function testFilesOf(folders: string[], words: string[]): string[] {
  return listFiles(repositoryRoot, folders).filter(
    (path) => path.endsWith('.test.ts') && (words.length === 0 || words.some((word) => path.includes(word))),
  );
}
