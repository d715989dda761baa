// One process that runs test files one after the other, each taken from a queue that several such lanes share:
// `node test-lane.ts <queue>`. The program under test is loaded, and made fast by use, once for many files.
import { closeSync, openSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const queuePath = process.argv[2]!;
const { paths } = JSON.parse(readFileSync(queuePath, 'utf8')) as { paths: string[] };
for (const [place, path] of paths.entries()) {
  if (!takes(place)) continue;
  await test(`§ begin ${path}`, () => console.log(`\u0001${path}`)); // the line separates what the files print
  await new Promise(setImmediate); // the reporter takes the time before the file keeps the process busy
  try {
    await import(pathToFileURL(resolve(path)).href);
  } catch (error) {
    void test('the file loads', () => {
      throw error;
    });
  }
  // Tests run in the order in which they were written down, so this one resolves when those of the file are over.
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
