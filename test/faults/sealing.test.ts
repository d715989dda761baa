// Sealing next to a process that commits late, and by a process killed at each step: the next one continues correctly.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { proveEvent } from '#server/actions/evidence/prove.ts';
import { sealAll } from '#server/actions/evidence/seal.ts';
import { verifyLog } from '#server/actions/evidence/verify.ts';
import { prepare } from '#server/app.ts';
import { readConfig } from '#server/config.ts';
import { openInside } from '#server/installation/open.ts';
import { silentLog } from '#server/lib/log.ts';
import { databases, sqliteAndDisk } from '#test/kit/engines.ts';
import { appendEvents, appendLate } from '#test/kit/evidence.ts';

/** Enough to fill the first bundle. */
const eventsOfEach = 37;

test('a process killed at any step of sealing leaves neither a gap nor a duplicate', async () => {
  const place = await sqliteAndDisk.create('migrated');
  const environment = { WAYBILL_BASE_URL: 'http://127.0.0.1:4999', ...place.environment };
  const config = readConfig(environment);
  await prepare(config, silentLog);
  const { ctx, close } = await openInside(config, silentLog);
  try {
    await appendEvents(ctx, 3);
    await sealAll(ctx);
    let killed = 0;
    while (await isKilledAt(killed, environment)) {
      killed += 1;
      await sealAll(ctx);
      const events = await ctx.db.read.selectFrom('events').select('seq').execute();
      assert.deepEqual(
        await verifyLog(ctx),
        { entries: events.length, fault: null, warnings: [] },
        `killed at step ${killed - 1}`,
      );
      assert.ok(events.length >= 3 + killed * eventsOfEach);
    }
    assert.ok(killed > 5, `there were ${killed} steps`);
  } finally {
    await close();
    await place.drop();
  }
});

for (const engine of databases)
  test(`a process whose clock is a minute ahead loses no event of a transaction that commits late (${engine.name})`, async () => {
    const place = await engine.create('migrated');
    const environment = { WAYBILL_BASE_URL: 'http://127.0.0.1:4999', ...place.environment };
    const config = readConfig(environment);
    await prepare(config, silentLog);
    const { ctx, close } = await openInside(config, silentLog);
    try {
      await appendEvents(ctx, 3);
      await sealAhead(environment);
      const late = await appendLate(ctx);
      // SQLite has one writer at a time.
      if (ctx.db.dialect === 'postgres') await appendEvents(ctx, 2);
      await sealAhead(environment);
      assert.equal((await verifyLog(ctx)).fault, null, 'while it is open');
      const seq = await late.commit();
      await appendEvents(ctx, 1);
      await sealAhead(environment);
      const { length: entries } = await ctx.db.read.selectFrom('events').select('seq').execute();
      assert.deepEqual(await verifyLog(ctx), { entries, fault: null, warnings: [] });
      assert.notEqual(await proveEvent(ctx, seq), null, 'the late event is in the log');
    } finally {
      await close();
      await place.drop();
    }
  });

async function sealAhead(environment: Record<string, string>): Promise<void> {
  const fixture = join(import.meta.dirname, 'seal-ahead.fixture.ts');
  const child = spawn(process.execPath, [fixture, '60000'], {
    env: { NODE_COMPILE_CACHE: join(environment.WAYBILL_DATA_DIR!, 'compiled'), ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  assert.deepEqual(await once(child, 'close'), [0, null]);
}

/** False when the process finished: it has no such step. */
async function isKilledAt(step: number, environment: Record<string, string>): Promise<boolean> {
  const fixture = join(import.meta.dirname, 'seal.fixture.ts');
  const child = spawn(process.execPath, [fixture, String(step), String(eventsOfEach)], {
    // Keeps compiled code, because starting takes most of the time of these processes.
    env: { NODE_COMPILE_CACHE: join(environment.WAYBILL_DATA_DIR!, 'compiled'), ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  assert.ok(signal === 'SIGKILL' || code === 0, said);
  return signal === 'SIGKILL';
}
