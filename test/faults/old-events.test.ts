// An installation from before the log of evidence, whose events are linked by hashes: the migration takes them in as they
// are, they are sealed, and the log verifies.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { proveEvent } from '#server/actions/evidence/prove.ts';
import { sealAll } from '#server/actions/evidence/seal.ts';
import { verifyLog } from '#server/actions/evidence/verify.ts';
import { prepare } from '#server/app.ts';
import { readConfig } from '#server/config.ts';
import { migrate } from '#server/db/engine/migrate.ts';
import { migrations } from '#server/db/migrations/all.ts';
import { openDatabase } from '#server/db/open.ts';
import { openInside } from '#server/installation/open.ts';
import { silentLog } from '#server/lib/log.ts';
import { databases } from '#test/kit/engines.ts';

const count = 300;

for (const engine of databases)
  describe(`an old database (${engine.name})`, () => {
    test('keeps its events, which are sealed into the log and can be proven', async () => {
      const place = await engine.create('empty');
      const { WAYBILL_DATA_DIR: dir, WAYBILL_DATABASE_URL: url = `sqlite:${join(dir!, 'waybill.db')}` } =
        place.environment;
      await makeOld(url);
      const config = readConfig({ WAYBILL_BASE_URL: 'http://127.0.0.1:4999', ...place.environment });
      await prepare(config, silentLog);
      const { ctx, close } = await openInside(config, silentLog);
      try {
        await sealAll(ctx);
        const events = await ctx.db.read.selectFrom('events').selectAll().orderBy('seq').execute();
        assert.ok(events.length >= count);
        assert.deepEqual(await verifyLog(ctx), { entries: events.length, fault: null });
        assert.equal(new Set(events.map(({ salt }) => salt?.toString('hex'))).size, events.length, 'each has a salt');
        const { seq, facts } = events[7]!;
        assert.equal(facts, '{"recipient":"person-8@example.com"}');
        const { fields } = (await proveEvent(ctx, Number(seq)))!;
        assert.equal(fields.find(({ field }) => field === 'facts.recipient')?.value, 'person-8@example.com');
        await assert.rejects(ctx.db.write((tx) => sql`update events set at = at + 1 where seq = ${seq}`.execute(tx)));
      } finally {
        await close();
        await place.drop();
      }
    });
  });

/** The tables as they were then, with events in them: most linked by a hash, the last not yet. */
async function makeOld(url: string): Promise<void> {
  const db = await openDatabase(url, { silenceMs: 0 });
  try {
    const before = migrations.findIndex(({ name }) => name === '0030-evidence');
    await migrate(db, migrations.slice(0, before));
    await db.write(async (tx) => {
      for (let number = 1; number <= count; number++) {
        const facts = JSON.stringify({ recipient: `person-${number}@example.com` });
        const hash = number > count - 5 ? null : Buffer.alloc(32, number);
        await sql`insert into events (at, action, actor_kind, actor_id, object_kind, object_id, owner_id, facts, remote_ip,
          request_id, hash) values (${1_700_000_000_000 + number}, 'message.reminded', 'system', '', 'message', 'm', 'o',
          ${facts}, '', '', ${hash})`.execute(tx);
      }
    });
  } finally {
    await db.close();
  }
}
