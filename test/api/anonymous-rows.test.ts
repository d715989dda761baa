// How many rows callers without an account add, table by table: whatever they call 1,200 times from one network, the number
// of rows has a limit. docs/operations/security-model.md lists the same limits.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import type { Tables } from '#server/db/schema/schema.ts';
import { countFailure } from '#server/db/sessions/attempts.ts';
import { insertPairing } from '#server/db/sessions/pairings.ts';
import { deleteSurplusRows, rowLimits } from '#server/db/system/row-limits.ts';
import { onEachDatabase, onOneEngine } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { ApiClient } from '#test/kit/client.ts';
import { inParallel } from '#test/kit/distant-browser.ts';
import { newLink } from '#test/kit/links.ts';
import { newPerson, sendMessage } from '#test/kit/messages.ts';
import { useApp } from '#test/kit/use-app.ts';

type Growth = Partial<Record<keyof Tables, number>>;

const calls = 1200;

onOneEngine('Callers without an account', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  let browser: Browser;
  let csrf: string;
  let message: string;
  let lockedLink: string;
  let dropName: string;
  before(async () => {
    const group = await app.group('Open to all', { filedrop_confirm_sender: false });
    alice = await newPerson(app, 'alice', { group, password: 'grey otters under a paper moon' });
    browser = new Browser(app.url);
    csrf = Browser.hidden(await browser.get('/forgot'), 'csrf');
    message = (await sendMessage(alice, { recipients: ['ben@harbour.example'], permission: 1 })).id;
    lockedLink = (await newLink(alice, { password: 'seven lamps over grey water' })).id;
    const { body } = await alice.expect(200, 'getAccount');
    dropName = new URL((body as { user: { filedrop_url: string } }).user.filedrop_url).pathname.split('/').at(-1)!;
  });

  async function countRows(): Promise<Map<string, number>> {
    const { read } = app.app.ctx.db;
    const { rows: tables } = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(
      read,
    );
    const counts = new Map<string, number>();
    for (const { name } of tables) {
      // A fixed set of keys.
      if (name === 'meta') continue;
      const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(name)}`.execute(read);
      counts.set(name, Number(rows[0]!.n));
    }
    return counts;
  }

  /** `most` names each table that may grow; all others must stay as they are. */
  async function growsAtMost(most: Growth, call: (index: number) => Promise<unknown>): Promise<void> {
    app.clock.advance(2 * 86_400_000);
    // The first call of a day has a row of its own, which the second one writes.
    for (let count = 0; count < 2; count++) await app.admin.expect(200, 'listClients');
    const before = await countRows();
    await inParallel(calls, 8, call);
    await app.admin.expect(200, 'listClients');
    const after = await countRows();
    for (const [table, rows] of after) {
      const grown = rows - before.get(table)!;
      assert.ok(grown <= (most[table as keyof Tables] ?? 0), `${table} has ${grown} more rows`);
    }
  }

  const typed = (index: number) => `nobody${index}@elsewhere.example`;

  test('with unknown API keys leave no row, whatever their programs are called', async () => {
    await growsAtMost({}, (index) =>
      new ApiClient(app.url, `Unknown${index}`.padEnd(22, 'x'), '').call('getAccount', {
        headers: { 'user-agent': `program${index}/1.${index}` },
      }),
    );
  });

  test('who forgot passwords of many names leave a row for each that was let through', async () => {
    await growsAtMost({ attempts: 11 }, (index) => browser.post('/forgot', { csrf, email: typed(index) }));
  });

  test('who ask for codes leave the rows of those that were let through', async () => {
    await growsAtMost({ codes: 20, attempts: 81 }, (index) =>
      browser.post('/verify/address', { csrf, target: `message:${message}`, address: typed(index) }),
    );
    await growsAtMost({ codes: 20, attempts: 81 }, (index) =>
      browser.post('/verify/address', {
        csrf,
        target: `message:${`${index}`.padStart(22, 'A')}`,
        address: typed(index),
      }),
    );
  });

  test('who begin to sign programs in leave the rows of those that were let through', async () => {
    await growsAtMost({ pairings: 30, attempts: 1 }, (index) =>
      app.anonymous.call('startPairing', { body: { pairing: { name: `laptop ${index}` } } }),
    );
    await growsAtMost({ attempts: 1 }, (index) =>
      app.anonymous.call('claimPairing', { body: { pairing: { token: `${index}`.padStart(44, 'A') } } }),
    );
  });

  test('who fetch keys of a drop page and upload with each of them leave what the page takes in an hour', async () => {
    const keys: string[] = [];
    await growsAtMost({ drop_keys: 1000 }, async () => {
      const { body } = await app.anonymous.expect(200, 'getFiledrop', { params: { name: dropName } });
      keys.push((body as { filedrop: { api_key: string } }).filedrop.api_key);
    });
    await app.app.ctx.db.write((tx) => tx.deleteFrom('drop_keys').execute());
    app.clock.advance(-2 * 86_400_000);
    const most = { drop_keys: 20, attachments: 20, parts: 20, events: 20, attempts: 1 };
    await growsAtMost({ ...most, stored_bytes: 20 } as Growth, (index) =>
      new ApiClient(app.url, keys[index]!, '').call('uploadForFiledrop', {
        params: { name: dropName },
        query: { filename: 'a.txt' },
        bytes: 'x',
      }),
    );
  });

  test('who open the page of a message leave fifty visits', async () => {
    await growsAtMost({ message_visits: 50 }, (index) =>
      browser.get(`/message/${message}`, { 'user-agent': `Mozilla/5.0 (X11; Linux) Firefox/${index}.0` }),
    );
  });

  test('who guess the password of a link leave two counters', async () => {
    await growsAtMost({ attempts: 2 }, (index) =>
      browser.post(`/link/${lockedLink}/password`, { csrf, password: `guess ${index}` }),
    );
  });

  test('at addresses that do not exist leave no row', async () => {
    await growsAtMost({}, async (index) => {
      const id = `${index}`.padStart(22, 'A');
      const paths = [
        'message',
        'link',
        'requests',
        'filedrop',
        'reset',
        'invite',
        'verify',
        'delivered',
        'dl',
        'notices',
      ];
      await browser.get(`/${paths[index % paths.length]}/${id}`);
      await browser.post(`/${index % 2 === 0 ? 'reset' : 'invite'}/${id}`, {
        csrf,
        name: 'x',
        password: 'grey otters under a moon',
      });
      await app.anonymous.fetch(`/message/${id}`, { headers: { accept: 'application/json' } });
    });
  });
});

onEachDatabase('A table that strangers can fill', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const rowsOf = async (table: 'attempts' | 'pairings'): Promise<number> => {
    const { n } = await app.app.ctx.db.read
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    return Number(n);
  };

  test('loses counters of single attempts before those that refuse somebody, and never the newest', async () => {
    const { db } = app.app.ctx;
    const limit = { ...rowLimits.attempts, mostRows: 3 };
    const keys = async () =>
      (await db.read.selectFrom('attempts').select('key').orderBy('key').execute()).map(({ key }) => key);
    await db.write(async (tx) => {
      await tx.deleteFrom('attempts').execute();
      for (const [key, failures, window_ends_at] of [
        ['locked', 5, 10],
        ['once', 1, 30],
        ['twice', 2, 20],
      ] as const)
        await tx.insertInto('attempts').values({ key, failures, window_ends_at }).execute();
      await deleteSurplusRows(tx, limit, 'twice');
    });
    assert.deepEqual(await keys(), ['locked', 'once', 'twice'], 'at its limit it keeps all rows');
    await db.write(async (tx) => {
      await tx.insertInto('attempts').values({ key: 'new', failures: 1, window_ends_at: 5 }).execute();
      await deleteSurplusRows(tx, limit, 'new');
    });
    assert.deepEqual(await keys(), ['locked', 'new', 'twice']);
  });

  test('is never larger than its limit, however its rows are added', async () => {
    const { ctx } = app.app;
    const values = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ key: `filled:${index}`, failures: 1, window_ends_at: 9e12 }));
    await ctx.db.write(async (tx) => {
      await tx.deleteFrom('attempts').execute();
      const rows = values(rowLimits.attempts.mostRows);
      for (let from = 0; from < rows.length; from += 2000)
        await tx
          .insertInto('attempts')
          .values(rows.slice(from, from + 2000))
          .execute();
      await countFailure(tx, { key: 'one more', now: 0, windowMs: 50, most: 9 });
    });
    assert.equal(await rowsOf('attempts'), rowLimits.attempts.mostRows - 999);
    await ctx.db.write(async (tx) => {
      await tx.deleteFrom('attempts').execute();
      await tx.deleteFrom('pairings').execute();
      for (let index = 0; index < 3; index++)
        await insertPairing(tx, {
          tokenHash: Buffer.from(`token ${index}`),
          codeHash: Buffer.from(`code ${index}`),
          name: 'laptop',
          address: '192.0.2.1',
          createdAt: 0,
          expiresAt: 10 - index,
        });
      await deleteSurplusRows(tx, { ...rowLimits.pairings, mostRows: 2 }, Buffer.from('token 2'));
    });
    assert.equal(await rowsOf('pairings'), 2);
  });
});
