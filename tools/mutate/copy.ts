// A copy of the repository in which one fault at a time is planted and tested.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createQueue, isFailure, runQueue } from '#scripts/test-process.ts';
import { type Fault, plant } from './faults.ts';

export interface Copy {
  folder: string;
  textOf(path: string): string;
  /** The first of these test files that fails; null if all pass. */
  firstFailure(tests: string[], environment?: Record<string, string>): Promise<string | null>;
  /** The test file or check that noticed the fault; null if it survived. */
  tryFault(fault: Fault, tests: string[]): Promise<string | null>;
  close(): void;
}

const sharedFolders = ['node_modules', 'dist'];
const leftOut = new Set([...sharedFolders, '.git', 'data', '.test']);
/** A test that hangs because of the fault has noticed it. */
const silenceLimitMs = 100_000;

export function openCopy(root: string): Copy {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-mutate-'));
  cpSync(root, folder, { recursive: true, filter: (path) => path === root || !leftOut.has(basename(path)) });
  for (const shared of sharedFolders) symlinkSync(join(root, shared), join(folder, shared));
  const textOf = (path: string) => readFileSync(join(folder, path), 'utf8');
  const firstFailure = (tests: string[], environment = {}) => runUntilFailure(folder, tests, environment);
  return {
    folder,
    textOf,
    firstFailure,
    async tryFault(fault, tests) {
      const text = textOf(fault.path);
      const path = join(folder, fault.path);
      try {
        writeFileSync(path, plant(text, fault));
        const failed = await firstFailure(tests);
        if (failed === null) return (await passesTypes(folder)) ? null : 'tsc';
        writeFileSync(path, text);
        // A test that fails without the fault too has noticed nothing.
        if ((await firstFailure([failed])) === null) return failed;
        return await this.tryFault(
          fault,
          tests.filter((test) => test !== failed),
        );
      } finally {
        writeFileSync(path, text);
      }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function runUntilFailure(
  folder: string,
  tests: string[],
  environment: Record<string, string>,
): Promise<string | null> {
  if (tests.length === 0) return null;
  const scratch = mkdtempSync(join(tmpdir(), 'waybill-mutate-run-'));
  const stop = new AbortController();
  let failed: string | null = null;
  try {
    await runQueue({
      root: folder,
      queue: createQueue(scratch, tests),
      silenceLimitMs,
      env: { ...process.env, NO_COLOR: '1', TMPDIR: scratch, ...environment },
      signal: stop.signal,
      add({ path, verdicts }) {
        if (!verdicts.some(isFailure)) return;
        failed ??= path;
        if (environment.NODE_V8_COVERAGE === undefined) stop.abort();
      },
    });
    return failed;
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

function passesTypes(folder: string): Promise<boolean> {
  const tsc = join(folder, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [tsc, '-p', '.', '--noEmit', '--incremental', '--tsBuildInfoFile', join(folder, '.types')];
  return new Promise((resolve) =>
    execFile(process.execPath, args, { cwd: folder }, (error) => resolve(error === null)),
  );
}
