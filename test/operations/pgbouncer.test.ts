// The service through PgBouncer in transaction mode: many requests share two connections to PostgreSQL.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { prepare } from '#server/app.ts';
import { readConfig } from '#server/config.ts';
import { silentLog } from '#server/lib/log.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import { type Engine, postgresAndDisk } from '#test/kit/engines.ts';
import { findTestServers } from '#test/kit/servers/addresses.ts';
import { findPgbouncer, startPgbouncer } from '#test/kit/servers/pgbouncer.ts';

const servers = findTestServers();
const skip = servers === null || findPgbouncer() === null ? 'needs PostgreSQL and PgBouncer' : false;

describe('through PgBouncer in transaction mode', { skip }, () => {
  let pooler: Awaited<ReturnType<typeof startPgbouncer>>;
  let app: TestApp;
  let url: string;
  before(async () => {
    pooler = await startPgbouncer(servers!.postgresUrl, 2);
    const engine: Engine = {
      name: 'PostgreSQL behind PgBouncer',
      async create() {
        // Without tables: migrations run through the pooler too.
        const { environment, drop } = await postgresAndDisk.create('empty');
        url = pooler.through(environment.WAYBILL_DATABASE_URL!);
        return { environment: { ...environment, WAYBILL_DATABASE_URL: url }, drop };
      },
    };
    app = await startTestApp(engine);
  });
  after(async () => {
    await app?.close();
    await pooler?.stop();
  });

  test('many simultaneous users are served: files, messages, accounts', async () => {
    const people = await Promise.all(['ann', 'ben', 'eve'].map((name) => app.person(name)));
    await Promise.all(
      Array.from({ length: 24 }, async (_, turn) => {
        const person = people[turn % people.length]!;
        const file = await person.upload(`file ${turn}.txt`, `content ${turn}`);
        const body = { message: { recipients: [`r${turn}@example.com`], subject: `s${turn}`, attachments: [file.id] } };
        const sent = await person.expect(200, 'sendMessage', { body });
        const { id } = (sent.body as { message: { id: string } }).message;
        await person.expect(200, 'getMessage', { params: { id } });
        await person.expect(200, 'getAccount');
      }),
    );
    await app.app.jobs.runOnce('seal-events');
  });

  test('server sessions are unchanged, because other clients use them', async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(
      `select current_setting('default_transaction_read_only') as read_only, current_setting('statement_timeout') as timeout,
              (select count(*)::int from pg_prepared_statements) as prepared`,
    );
    await client.end();
    assert.deepEqual(rows, [{ read_only: 'off', timeout: '0', prepared: 0 }]);
  });

  test('a transaction still has its time limits', async () => {
    const { rows } = await app.app.ctx.db.write((tx) =>
      sql`select current_setting('lock_timeout') as locks, current_setting('statement_timeout') as statements`.execute(
        tx,
      ),
    );
    assert.deepEqual(rows, [{ locks: '5s', statements: '30s' }]);
  });
});

test('the start warns when the database permits fewer connections than the pool', { skip }, async () => {
  const { environment, drop } = await postgresAndDisk.create('migrated');
  const warnings: string[] = [];
  const log = { ...silentLog, warn: (_facts: object, sentence: string) => void warnings.push(sentence) };
  await prepare(readConfig({ ...environment, WAYBILL_DATABASE_CONNECTIONS: '1000', WAYBILL_WORKERS: '2' }), log);
  assert.match(
    warnings.join('\n'),
    /^The database permits \d+ connections, but the workers of this machine may open 1000: /,
  );
  await prepare(readConfig({ ...environment, WAYBILL_WORKERS: '2' }), log);
  assert.equal(warnings.length, 1);
  await drop();
});
