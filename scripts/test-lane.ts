// One process that runs test files one after the other, each taken from a queue that several such lanes share:
// `node test-lane.ts <queue>`. The program under test is loaded, and made fast by use, once for many files.
import { type AsyncHook, createHook } from 'node:async_hooks';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const queuePath = process.argv[2]!;
const { paths } = JSON.parse(readFileSync(queuePath, 'utf8')) as { paths: string[] };
const following = catchFollowing();
/** Errors that no test has caught. The runner counts them as well, but cannot say whose they are. */
const strays: unknown[] = [];
process.on('uncaughtExceptionMonitor', (error) => strays.push(error));
process.on('unhandledRejection', (reason) => strays.push(reason));

for (const [place, path] of paths.entries()) {
  if (!takes(place)) continue;
  await test(`§ begin ${path}`, () => console.log(`\u0001${path}`)); // the line separates what the files print
  await new Promise(setImmediate); // the reporter takes the time before the file keeps the process busy
  following.on();
  try {
    await import(pathToFileURL(resolve(path)).href);
  } catch (error) {
    void test('the file loads', () => {
      throw error;
    });
  }
  following.off();
  // Tests run in the order in which they were written down, so this one resolves when those of the file are over.
  await test(`§ over ${path}`, () => {});
  for (const error of strays.splice(0))
    void test('nothing goes wrong beside the tests', () => {
      throw error;
    });
  await test(`§ end ${path}`, () => {});
}

/** Whoever makes the file has the place. */
function takes(place: number): boolean {
  try {
    closeSync(openSync(`${queuePath}.${place}`, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * The runner follows every promise and callback to know which test it belongs to, which takes a tenth of the processor
 * time of tests of the service. It must know that while a file writes its suites down, and not while they run.
 */
function catchFollowing(): { on(): void; off(): void } {
  const hooks = Object.getPrototypeOf(createHook({})) as { enable(): AsyncHook };
  const { enable } = hooks;
  let caught: AsyncHook | null = null;
  hooks.enable = function (this: AsyncHook) {
    caught ??= this;
    hooks.enable = enable;
    return enable.call(this);
  };
  return { on: () => void caught?.enable(), off: () => void caught?.disable() };
}
