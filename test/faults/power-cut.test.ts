// An acknowledged row survives a power cut at any later moment; without our flush it does not, which proves the test.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { straceRequirement } from '#test/kit/servers/packages.ts';
import { createTracedDisk, readSteps, type Step, traceProgram } from './traced-disk.ts';

/** Rows written by the program; includes a checkpoint. */
const ROWS = 60;

/**
 * Writes rows in pairs, prints each committed id, and exits without closing. Another tool created the WAL without a sync.
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

/** For each moment after an acknowledgement: the acknowledged rows that a power cut would have lost. */
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

/** The same sequence in every run, so that failures are reproducible. */
function seededCoin(seed: number): () => boolean {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >= 0x8000_0000;
  };
}

/** The result of replaying a trace with these calls, each of which concerns the file `a` of a folder `/f`. */
async function stepsOf(calls: string[]): Promise<Step[]> {
  const trace = join(folder, 'written-by-hand.trace');
  const hex = (text: string) => text.replace(/./g, (sign) => `\\x${sign.charCodeAt(0).toString(16)}`);
  const escaped = calls.map((call) => call.replace(/(["<])([^">]*)([">])/g, (_, a, b, c) => `${a}${hex(b)}${c}`));
  writeFileSync(trace, escaped.map((call) => `7 ${call}\n`).join(''));
  const steps: Step[] = [];
  for await (const step of readSteps(trace, '/f')) steps.push(step);
  return steps;
}

describe('the replay of a program’s changes to a folder', () => {
  test('follows the system calls of every architecture', async () => {
    const sync = ['fdatasync(3</f/a>) = 0', 'write(1</dev/null>, "done", 4) = 4'];
    const older = ['creat("/f/a", 0600) = 3</f/a>', 'pwrite(3</f/a>, "xy", 2, 8) = 2', 'ftruncate64(3</f/a>, 4) = 0'];
    const newer = [
      'openat(AT_FDCWD</>, "/f/a", O_RDWR|O_CREAT|O_TRUNC, 0600) = 3</f/a>',
      'pwrite64(3</f/a>, "xy", 2, 8) = 2',
      'ftruncate(3</f/a>, 4) = 0',
    ];
    const expected = ['create', 'truncate', 'write', 'truncate', 'sync-begins', 'sync-ends', 'says', 'unlink'];
    for (const calls of [
      [...older, ...sync, 'unlink("/f/a") = 0'],
      [...newer, ...sync, 'unlinkat(AT_FDCWD</>, "/f/a", 0) = 0'],
      [...newer, ...sync, 'unlinkat(5</f>, "a", 0) = 0'],
    ]) {
      const steps = await stepsOf(calls);
      assert.deepEqual(
        steps.map((step) => step.kind),
        expected,
      );
      assert.deepEqual(steps[2], { kind: 'write', name: 'a', offset: 8, bytes: Buffer.from('xy') });
    }
  });

  test('skips failed calls, other folders and unlinked files', async () => {
    const calls = [
      'unlink("/f/a") = -1 ENOENT',
      'unlinkat(AT_FDCWD</f>, "b/a", 0) = 0',
      'pwrite64(3</f/a>(deleted), "x", 1, 0) = 1',
    ];
    assert.deepEqual(await stepsOf(calls), []);
  });

  test('refuses an unknown call', async () => {
    const calls = ['renameat2(AT_FDCWD</>, "/x", AT_FDCWD</>, "/f/a", 0) = 0', 'pwritev(3</f/a>, [], 1, 0) = 1'];
    for (const call of calls) await assert.rejects(stepsOf([call]), /does not follow/);
  });
});

describe('a power cut', { skip: straceRequirement.isMet() ? false : 'needs the program strace' }, () => {
  test('without the shared flush loses acknowledged rows', async () => {
    const lost = await lostRows('normal', '{ syncDescriptor: async () => {} }', () => false);
    assert.ok(lost.some((count) => count > 0));
  });

  test('never loses an acknowledged row when no unsynced change reached the disk', async () => {
    const lost = await lostRows('ours', '{}', () => false);
    assert.deepEqual([...new Set(lost)], [0]);
  });

  test('never loses an acknowledged row when some unsynced changes reached the disk', async () => {
    const lost = await lostRows('torn', '{}', seededCoin(24));
    assert.deepEqual([...new Set(lost)], [0]);
  });
});
