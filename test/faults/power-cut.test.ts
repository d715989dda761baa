// A row that was acknowledged survives a power cut at any later moment (security D24); and without our flush it does
// not, which shows that this test can tell.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { createTracedDisk, readSteps, traceProgram } from './traced-disk.ts';

/** Rows written by the program; a checkpoint falls into the middle. */
const ROWS = 60;

/**
 * Writes rows two at a time, says each id when `write` has resolved, and ends without closing anything. The write-ahead
 * log was begun by a tool that syncs nothing, so nobody but us sees to it that the log's name survives.
 */
const program = (path: string, options: string) => `
  import { writeSync } from 'node:fs';
  import { DatabaseSync } from 'node:sqlite';
  import { openSqlite } from ${JSON.stringify(import.meta.resolve('#server/db/engine/sqlite.ts'))};
  const other = new DatabaseSync(${JSON.stringify(path)});
  other.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; CREATE TABLE other (id INTEGER)');
  const db = await openSqlite(${JSON.stringify(path)}, ${options});
  await db.write((tx) => tx.schema.createTable('rows').addColumn('id', 'integer').addColumn('body', 'text').execute());
  writeSync(1, 'ready\\n');
  const insert = async (id) => {
    await db.write((tx) => tx.insertInto('rows').values({ id, body: 'x'.repeat(900) }).execute());
    writeSync(1, id + '\\n');
  };
  for (let id = 1; id < ${ROWS}; id += 2) {
    await Promise.all([insert(id), insert(id + 1)]);
    if (id === 31) await db.scrub();
  }
  process.exit(0);`;

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-test-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** For each moment after an acknowledgement: how many acknowledged rows a power cut would have lost. */
async function lostRows(name: string, options: string, keeps: () => boolean): Promise<number[]> {
  const work = join(folder, name);
  const data = mkdtempSync(`${work}-data-`);
  const trace = `${work}.trace`;
  const code = program(join(data, 'test.db'), options);
  await traceProgram([process.execPath, '--input-type=module', '-e', code], trace);

  const disk = createTracedDisk();
  const acknowledged: number[] = [];
  const lost: number[] = [];
  let isReady = false;
  for await (const step of readSteps(trace, data)) {
    disk.apply(step);
    if (step.kind !== 'says') continue;
    if (step.text === 'ready\n') isReady = true;
    else acknowledged.push(Number(step.text));
    if (!isReady) continue;
    const ruin = `${work}-after-${acknowledged.length}`;
    disk.cutPower(ruin, keeps);
    const found = survivors(join(ruin, 'test.db'));
    lost.push(acknowledged.filter((id) => !found.has(id)).length);
    rmSync(ruin, { recursive: true });
  }
  assert.equal(acknowledged.length, ROWS, 'the trace has every acknowledgement');
  return lost;
}

/** What SQLite finds when it opens the files again. */
function survivors(path: string): Set<unknown> {
  const database = new DatabaseSync(path);
  try {
    if (!database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'rows'").get()) return new Set();
    assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
    return new Set(
      database
        .prepare('SELECT id FROM rows')
        .all()
        .map(({ id }) => id),
    );
  } finally {
    database.close();
  }
}

/** The same sequence in every run, so that a failure can be looked at again. */
function seededCoin(seed: number): () => boolean {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >= 0x8000_0000;
  };
}

describe('a power cut', () => {
  test('without the shared flush loses rows that were acknowledged', async () => {
    const lost = await lostRows('normal', '{ syncDescriptor: async () => {} }', () => false);
    assert.ok(lost.some((count) => count > 0));
  });

  test('at no moment loses a row that was acknowledged, when nothing unsynced reached the disk', async () => {
    const lost = await lostRows('ours', '{}', () => false);
    assert.deepEqual([...new Set(lost)], [0]);
  });

  test('at no moment loses a row that was acknowledged, when any part of the unsynced did', async () => {
    const lost = await lostRows('torn', '{}', seededCoin(24));
    assert.deepEqual([...new Set(lost)], [0]);
  });
});
