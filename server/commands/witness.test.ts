import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { holeIn } from './witness.ts';
import { openWitnessFolder, WitnessProblem } from './witness-memory.ts';

test('finds the first missing number after a place, and none before it', () => {
  const bundle = [3, 4, 6, 7, 9, 10].map((seq) => Buffer.from(JSON.stringify({ seq })));
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((from) => holeIn(bundle, from)),
    [5, 5, 5, 8, 8, null],
  );
  assert.equal(holeIn(bundle.slice(0, 2), 0), null);
  assert.equal(holeIn(bundle.slice(0, 1), 0), null);
});

test('an unreadable key or memory is not treated as a first visit', async () => {
  for (const name of ['witness.key', 'memory.json']) {
    const folder = await mkdtemp(join(tmpdir(), 'witness-'));
    await writeFile(join(folder, 'api-key'), 'a key');
    await mkdir(join(folder, name));
    await assert.rejects(openWitnessFolder(folder), (error) => {
      assert.ok(error instanceof WitnessProblem, String(error));
      assert.match(error.message, new RegExp(`${name} can’t be read \\(EISDIR\\)`));
      return true;
    });
    assert.ok((await readdir(folder)).includes(name));
    await rm(folder, { recursive: true });
  }
});
