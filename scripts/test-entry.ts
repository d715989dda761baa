// Started by Node's runner for each test process: takes test files from a queue and runs each as a suite named after it.
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type QueueTask, taskVariable } from './test-process.ts';

const { root, paths, claims, processId } = JSON.parse(process.env[taskVariable]!) as QueueTask;
delete process.env[taskVariable];

// A killed runner closes no process.
const runnerPid = process.ppid;
setInterval(() => process.ppid === runnerPid || process.exit(1), 1_000).unref();

for (const [index, path] of paths.entries()) {
  if (!claim(index)) continue;
  describe(path, async () => void (await import(pathToFileURL(join(root, path)).href)));
  await test('the suite above has ended', () => {});
}

/** False when another process has the file already. */
function claim(index: number): boolean {
  try {
    writeSync(openSync(join(claims, String(index)), 'wx'), processId);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
