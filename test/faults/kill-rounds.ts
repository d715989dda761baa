// Rounds of load and kill -9 on one installation, and the checks afterwards.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { verifyLog } from '#server/actions/evidence/verify.ts';
import { startApp } from '#server/app.ts';
import { readConfig } from '#server/config.ts';
import { manualClock } from '#server/lib/clock.ts';
import { silentLog } from '#server/lib/log.ts';
import type { Engine } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { createInstallation, type Installation, membersOf, type Program } from '#test/kit/program.ts';
import { checkBytes, checkLists, Ledger } from './kill-ledger.ts';
import { startLoad } from './kill-load.ts';

/** Each round ends with SIGKILL to the process group at a random moment, with two workers and one in turn. */
export async function surviveKills(engine: Engine, rounds: number): Promise<Ledger> {
  const place = await createInstallation(engine, { WAYBILL_SHUTDOWN_GRACE: '5s' });
  const ledger = new Ledger();
  try {
    for (let round = 0; round < rounds; round++) await runRound(place, ledger, round % 2 === 0 ? 2 : 1);
    await killWhileStarting(place);
    const program = await place.start({ environment: { WAYBILL_WORKERS: '1' } });
    await checkLists(ledger, place.admin);
    await checkBytes(ledger, place.admin);
    program.signal('SIGTERM');
    assert.equal((await program.exited).code, 0);
    await checkRemains(place);
    return ledger;
  } finally {
    await place.drop();
  }
}

async function runRound(place: Installation, ledger: Ledger, workers: number): Promise<void> {
  const program = await place.start({ environment: { WAYBILL_WORKERS: String(workers) } });
  await checkLists(ledger, place.admin);
  const load = startLoad(place.admin, ledger);
  const enough = ledger.files.size + 3;
  await eventually('the load has got going', async () => ledger.files.size >= enough || load.faults.length > 0);
  await pause(randomInt(600)); // the random moment
  program.signalAll('SIGKILL');
  await program.exited;
  await load.stop();
  assert.deepEqual(load.faults, [], errorsIn(program));
  await eventually('the group is gone', async () => (await membersOf(program.child.pid)).length === 0);
}

function errorsIn(program: Program): string {
  const lines = program.output().split('\n');
  return `wrong answers under load; the log says:\n${lines.filter((line) => /"level":(40|50)/.test(line)).join('\n')}`;
}

async function killWhileStarting(place: Installation): Promise<void> {
  const program = await place.start({ waits: false });
  await pause(randomInt(1_500));
  program.signalAll('SIGKILL');
  await program.exited;
}

/** A day later, after the service's jobs: no unfinished upload, no orphan blob, a complete log. */
export async function checkRemains(place: Pick<Installation, 'environment'>): Promise<void> {
  const config = readConfig({ ...place.environment, WAYBILL_ROLE: 'web', WAYBILL_LISTEN: '127.0.0.1:0' });
  const app = await startApp(config, silentLog, { clock: manualClock(Date.now() + 25 * 3_600_000) });
  try {
    for (const name of ['finish-uploads', 'abandon-uploads', 'remove-erased', 'sweep-orphans', 'tidy', 'seal-events'])
      assert.notEqual(await app.jobs.runOnce(name, { isConfirmed: true }), null, `${name} did not run`);
    const { db, blobs } = app.ctx;
    const stored: string[] = [];
    for await (const blob of blobs.list()) stored.push(blob.key);
    const parts = await db.read.selectFrom('parts').select('blob_key').execute();
    assert.deepEqual(stored.sort(), parts.map((part) => part.blob_key).sort());
    if (config.storage === 'file') assert.deepEqual(await readdir(join(config.storageDir, 'tmp')), []);
    const unfinished = await db.read
      .selectFrom('uploads')
      .select('id')
      .where('state', 'in', ['open', 'sealing'])
      .execute();
    assert.deepEqual(unfinished, []);
    const files = await db.read.selectFrom('attachments').select('size_bytes').where('state', '<>', 'erased').execute();
    const owner = await db.read
      .selectFrom('users')
      .select(['stored_bytes', 'reserved_bytes'])
      .executeTakeFirstOrThrow();
    const storedBytes = files.reduce((sum, file) => sum + file.size_bytes, 0);
    assert.deepEqual({ ...owner }, { stored_bytes: storedBytes, reserved_bytes: 0 });
    assert.equal((await verifyLog(app.ctx)).fault, null);
  } finally {
    await app.close();
  }
}
