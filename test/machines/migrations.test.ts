// Machines that are killed while they make the tables of an empty database: the next start goes on from there.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import pg from 'pg';
import { type Engine, postgresAndS3, sqliteAndDisk } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/patience.ts';
import { createInstallation, type Installation } from '#test/kit/program.ts';
import { findTestServers } from '#test/kit/servers/addresses.ts';
import { freePorts } from '#test/kit/servers/child.ts';

describe('migrations killed half way', { skip: findTestServers() === null && 'without servers' }, () => {
  const cases: [Engine, (place: Installation) => Promise<number>][] = [
    [sqliteAndDisk, countInFile],
    [postgresAndS3, countOnServer],
  ];
  for (const [engine, countMigrations] of cases)
    test(`each start goes on where the last one ended, and three machines at once are ready in the end (${engine.name})`, async (context) => {
      const place = await createInstallation(engine, { WAYBILL_WORKERS: '1' });
      try {
        for (const enough of [1, 8, 20, 30]) {
          const program = await place.start({ waits: false });
          await eventually('some migrations have run', async () => (await countMigrations(place)) >= enough);
          program.signalAll('SIGKILL');
          await program.exited;
          context.diagnostic(`killed after ${await countMigrations(place)} migrations`);
        }
        const ports = await freePorts(3);
        await Promise.all(ports.map((port) => place.start({ port })));
        await place.start();
        const { id } = await place.admin.upload('after.bin', 'whole');
        await place.admin.expect(200, 'createFileLink', { body: { link: { attachment: id } } });
        const { code, output } = await place.run(['migrate', '--check']);
        assert.equal(code, 0, output);
      } finally {
        await place.drop();
      }
    });
});

async function countInFile(place: Installation): Promise<number> {
  using database = new DatabaseSync(join(place.environment.WAYBILL_DATA_DIR!, 'waybill.db'), { readOnly: true });
  return Number(database.prepare('select count(*) as n from migrations').get()?.n);
}

async function countOnServer(place: Installation): Promise<number> {
  const client = new pg.Client({ connectionString: place.environment.WAYBILL_DATABASE_URL! });
  await client.connect();
  try {
    const { rows } = await client.query('select count(*)::int as n from migrations');
    return rows[0].n;
  } finally {
    await client.end();
  }
}
