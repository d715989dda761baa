// A test process: takes test files from a queue and runs each as a suite named after it.
import { type AsyncHook, createHook } from 'node:async_hooks';
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { QueueTask } from './test-process.ts';

const { root, paths, claims, processId } = JSON.parse(process.argv[2]!) as QueueTask;
const tracking = holdTracking();
/** Errors that no test has caught. The runner counts them too, but does not know their file. */
const uncaught: unknown[] = [];
process.on('uncaughtExceptionMonitor', (error) => uncaught.push(error));
process.on('unhandledRejection', (reason) => uncaught.push(reason));

// The parent cannot end this process if it is killed itself.
const parentPid = process.ppid;
setInterval(() => process.ppid === parentPid || process.exit(1), 1_000).unref();

for (const [index, path] of paths.entries()) {
  if (!claim(index)) continue;
  const { promise: isLoaded, resolve } = Promise.withResolvers<void>();
  tracking.on();
  describe(path, async () => void (await import(pathToFileURL(join(root, path)).href).finally(resolve)));
  await isLoaded;
  tracking.off();
  await test('the suite above has ended', () => {});
  for (const error of uncaught.splice(0)) failOutside(path, error);
}

function failOutside(path: string, error: unknown): void {
  tracking.on();
  describe(path, () => {
    test('no error outside of tests', () => {
      throw error;
    });
  });
  tracking.off();
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

/**
 * The runner tracks every promise to know which test it belongs to. Only needed while a file declares its tests; turned off
 * later, tests of the service take a tenth less processor time.
 */
function holdTracking(): { on(): void; off(): void } {
  const hooks = Object.getPrototypeOf(createHook({})) as { enable(): AsyncHook };
  const { enable } = hooks;
  let held: AsyncHook | null = null;
  hooks.enable = function (this: AsyncHook) {
    held ??= this;
    hooks.enable = enable;
    return enable.call(this);
  };
  return { on: () => void held?.enable(), off: () => void held?.disable() };
}
