import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { mostWaiting } from '#server/actions/submissions/limits.ts';
import { insertDropKey, openDropKey } from '#server/db/filedrops/filedrops.ts';
import type { Tables } from '#server/db/schema/schema.ts';
import { countAttempt } from '#server/db/sessions/attempts.ts';
import { insertProof } from '#server/db/sessions/codes.ts';
import { insertPairing } from '#server/db/sessions/pairings.ts';
import { deleteSurplusRows, rowLimits } from '#server/db/system/row-limits.ts';
import { onEachDatabase, onOneEngine } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { ApiClient, assertRefused } from '#test/kit/client.ts';
import { counterRow } from '#test/kit/counters.ts';
import { inParallel } from '#test/kit/distant-browser.ts';
import { newLink } from '#test/kit/links.ts';
import { newPerson, sendMessage } from '#test/kit/messages.ts';
import { useApp } from '#test/kit/use-app.ts';

/** What limits the rows that callers without an account add to a table; null where they cannot add any. */
const bounds: Record<keyof Tables, string | null> = {
  attachments: '2,000 files wait at one File Request and 1,000 at one drop page; 30 deliveries an hour',
  attempts: 'limits of the network come first; 50,000 rows',
  blob_erasures: 'as attachments; removed when the bytes are',
  blob_leases: 'in each process 8 parallel uploads of one network to one place; removed when they end',
  client_sightings: '1,000 rows a day, of callers with a valid API key',
  codes: '20 an hour of one network; 50,000 rows',
  counters: 'one for each file and person that a message admits',
  download_days: 'one for each owner and day',
  download_requests: 'as downloads; 10,000 of one download and one for each MiB of its body',
  downloads: 'in each process 2,000 parallel downloads of one network and 600 a minute; the log keeps them',
  drop_keys: '1,000 unused ones of one page; 50,000 rows',
  events: 'one for each of the others',
  file_contents: 'one for each of the attachments',
  message_reviews: null,
  file_scans: 'one for each of the attachments',
  mail_tokens: null,
  message_attachments: 'as messages',
  message_recipients: 'as messages',
  message_visits: '50 of one message, and 500 of proven addresses',
  messages: '30 deliveries an hour of one page or request',
  one_time_tokens: 'one for each account',
  outbox: 'as codes, messages, downloads and forgotten passwords',
  pairings: '30 in ten minutes of one network; 10,000 rows',
  parts: '50,000 chunks of files that are not finished wait at one page or request',
  proofs: 'as codes; 50,000 rows',
  receipt_lines: 'one for each file and person',
  reservations: 'in each process 8 parallel uploads of one network to one place; removed when they end',
  scan_verdicts: 'as attachments; removed after 90 days',
  ticket_files: 'as tickets',
  tickets: 'as downloads; 200,000 rows, checked every five minutes',
  transfer_references: 'as messages',
  uploader_receipts: 'as messages',
  uploads: 'as attachments',
  passkeys: '20 of one address, 10 an hour of one network; 50,000 of addresses',
  used_challenges: 'one for each use of a passkey',
  recovery_codes: null,
  remembered_browsers: null,
  account_access: null,
  api_keys: null,
  backup_runs: null,
  console_views: null,
  contact_names: null,
  erasures: null,
  evidence_checkpoints: null,
  evidence_keys: null,
  evidence_log: null,
  evidence_witnesses: null,
  file_links: null,
  file_requests: null,
  groups: null,
  hand_over_confirmations: null,
  idempotency: null,
  identities: null,
  directory_syncs: null,
  sign_in_tests: null,
  saml_states: null,
  used_assertions: 'one for each sign-in through SAML',
  scim_groups: null,
  scim_members: null,
  scim_tokens: null,
  scim_users: null,
  jobs: null,
  key_encryption_keys: null,
  legal_holds: null,
  meta: null,
  policy_documents: null,
  preferences: null,
  processes: null,
  removed_message_files: null,
  sends: null,
  sessions: null,
  sign_in_networks: null,
  settings: null,
  sign_in_attempts: '20 of each service',
  sign_in_services: null,
  webhooks: null,
  webhook_deliveries: null,
  event_streams: null,
  statements: null,
  storage_days: null,
  system_drops: null,
  tasks: null,
  users: null,
};

type Growth = Partial<Record<keyof Tables, number>>;

/** More than every limit below, except that of drop keys. */
const calls = 400;
const keyCalls = 1200;

test('the security model lists the tables with their limits', () => {
  const text = readFileSync(new URL('../../docs/trust/security-model.md', import.meta.url), 'utf8');
  const listed = [...text.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, table, limit]) => [table, limit]);
  assert.deepEqual(
    listed,
    Object.entries(bounds).filter(([, limit]) => limit !== null),
  );
});

onOneEngine('Callers without an account', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web', WAYBILL_API_RATE: '300' } });
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
      if (name === 'meta') continue;
      const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(name)}`.execute(read);
      counts.set(name, Number(rows[0]!.n));
    }
    return counts;
  }

  /** Fails when a table that `most` does not name changes. */
  async function growsAtMost(most: Growth, call: (index: number) => Promise<unknown>, times = calls): Promise<void> {
    app.clock.advance(2 * 86_400_000);
    // The first call of a day inserts a row, which the second one updates.
    for (let count = 0; count < 2; count++) await app.admin.expect(200, 'listClients');
    const before = await countRows();
    await inParallel(times, 8, call);
    await app.admin.expect(200, 'listClients');
    const after = await countRows();
    for (const [table, rows] of after) {
      const grown = rows - before.get(table)!;
      if (grown > 0) assert.ok(bounds[table as keyof Tables], `the limit of ${table} is named`);
      assert.ok(grown <= (most[table as keyof Tables] ?? 0), `${table} has ${grown} more rows`);
    }
  }

  const typed = (index: number) => `unknown${index}@elsewhere.example`;

  test('with unknown API keys add no row, whichever program they name', async () => {
    await growsAtMost({}, (index) =>
      new ApiClient(app.url, `Unknown${index}`.padEnd(22, 'x'), '').call('getAccount', {
        headers: { 'user-agent': `program${index}/1.${index}` },
      }),
    );
  });

  test('who ask for new passwords of many names add a row for each permitted request', async () => {
    await growsAtMost({ attempts: 11 }, (index) => browser.post('/forgot', { csrf, email: typed(index) }));
  });

  test('who guess passwords of many names add the counters of the permitted attempts', async () => {
    await growsAtMost({ attempts: 100 }, (index) =>
      browser.post('/sign-in', { csrf, email: typed(index), password: 'seven grey lamps' }),
    );
    await growsAtMost({ attempts: 100 }, (index) =>
      app.anonymous.call('login', { body: { user: { email: typed(index), password: 'seven grey lamps' } } }),
    );
  });

  test('who ask for codes add the rows of the permitted requests', async () => {
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

  test('who begin to sign programs in add the rows of the permitted requests', async () => {
    await growsAtMost({ pairings: 30, attempts: 1 }, (index) =>
      app.anonymous.call('startPairing', { body: { pairing: { name: `laptop ${index}` } } }),
    );
    await growsAtMost({ attempts: 1 }, (index) =>
      app.anonymous.call('claimPairing', { body: { pairing: { token: `${index}`.padStart(44, 'A') } } }),
    );
  });

  test('who fetch keys of a drop page and upload with each of them add what the page accepts in an hour', async () => {
    const keys: string[] = [];
    await growsAtMost(
      { drop_keys: 1000 },
      async () => {
        const { body } = await app.anonymous.expect(200, 'getFiledrop', { params: { name: dropName } });
        keys.push((body as { filedrop: { api_key: string } }).filedrop.api_key);
      },
      keyCalls,
    );
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

  test('who open the page of a message add at most fifty visits', async () => {
    await growsAtMost({ message_visits: 50 }, (index) =>
      browser.get(`/message/${message}`, { 'user-agent': `Mozilla/5.0 (X11; Linux) Firefox/${index}.0` }),
    );
  });

  test('who guess the password of a link add two counters', async () => {
    await growsAtMost({ attempts: 2 }, (index) =>
      browser.post(`/link/${lockedLink}/password`, { csrf, password: `guess ${index}` }),
    );
  });

  const newRequest = async (): Promise<string> => {
    const request = { recipient: 'ben@harbour.example', subject: 'Files', message: 'x' };
    const { body } = await alice.expect(200, 'createFileRequest', { body: { request } });
    return (body as { request: { id: string } }).request.id;
  };
  const upload = (id: string, query: Record<string, string>) =>
    app.anonymous.call('uploadForRequest', { params: { id }, query: { filename: 'a.txt', ...query }, bytes: 'x' });

  /** Copies a row with other keys, instead of thousands of calls. */
  async function copyRow(table: 'attachments' | 'parts', where: string, count: number): Promise<void> {
    const { db } = app.app.ctx;
    const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(db.read);
    const keys: Record<string, string> = { id: "id || '-' || n", number: 'n', blob_key: "blob_key || '-' || n" };
    const columns = rows.map(({ name }) => keys[name] ?? name).join(', ');
    await db.write(async (tx) => {
      await sql`insert into ${sql.table(table)} with recursive numbers (n) as
        (select 1 union all select n + 1 from numbers where n < ${sql.raw(`${count}`)})
        select ${sql.raw(columns)} from ${sql.table(table)}, numbers where ${sql.raw(where)}`.execute(tx);
    });
  }

  test('who upload tiny files to a File Request add at most as many as may wait there, finished or not', async () => {
    const id = await newRequest();
    assert.equal((await upload(id, {})).status, 200);
    await copyRow('attachments', `source = 'request:${id}'`, mostWaiting.requestFiles - 21);
    for (let index = 0; index < 10; index++) assert.equal((await upload(id, { filename: `${index}.txt` })).status, 200);
    await growsAtMost({ uploads: 10, parts: 10 }, (index) =>
      upload(id, { filename: `${index}.txt`, chunks: '3', chunk: '0' }),
    );
    assertRefused(
      await upload(id, { filename: 'new.txt', chunks: '3', chunk: '0' }),
      422,
      'submission.too_many_waiting',
    );
    assertRefused(await upload(id, {}), 422, 'submission.too_many_waiting');
  });

  test('who upload tiny chunks to a File Request add at most as many as may wait there', async () => {
    const id = await newRequest();
    const chunk = (number: number) => upload(id, { chunks: '9999', chunk: String(number) });
    assert.equal((await chunk(0)).status, 200);
    await copyRow(
      'parts',
      `upload_id in (select id from uploads where source = 'request:${id}')`,
      mostWaiting.chunks - 1,
    );
    assertRefused(await upload(id, { filename: 'b.txt', chunks: '3', chunk: '0' }), 422, 'submission.too_many_waiting');
  });

  test('who click on Download add a ticket for each permitted click', async () => {
    const { id } = await newLink(alice);
    await growsAtMost({ tickets: 301 }, () => browser.post(`/link/${id}/download`, { csrf }));
    assert.equal((await browser.post(`/link/${id}/download`, { csrf })).status, 429);
  });

  test('who fetch files byte by byte add a log entry for each permitted request', async () => {
    const { id } = await newLink(alice);
    const fetchByte = async (index: number) => {
      const clicked = await browser.post(`/link/${id}/download`, { csrf });
      const location = clicked.headers.get('location');
      if (location === null) return assert.equal(clicked.status, 429, String(index));
      await app.anonymous.fetch(location, { headers: { range: 'bytes=0-0' } });
    };
    await growsAtMost({ tickets: 301, downloads: 151, download_requests: 151, events: 302 }, fetchByte);
  });

  test('at addresses that do not exist add no row', async () => {
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

onEachDatabase('A table that callers without an account can fill', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const rowsOf = async (table: 'attempts' | 'pairings'): Promise<number> => {
    const { n } = await app.app.ctx.db.read
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    return Number(n);
  };

  test('loses counters of single attempts before those that block a caller, and never the newest', async () => {
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
        await tx.insertInto('attempts').values(counterRow({ key, failures, window_ends_at })).execute();
      await deleteSurplusRows(tx, limit, 'twice');
    });
    assert.deepEqual(await keys(), ['locked', 'once', 'twice'], 'at the limit all rows stay');
    await db.write(async (tx) => {
      await tx
        .insertInto('attempts')
        .values(counterRow({ key: 'new', window_ends_at: 5 }))
        .execute();
      await deleteSurplusRows(tx, limit, 'new');
    });
    assert.deepEqual(await keys(), ['locked', 'new', 'twice']);
  });

  test('never grows beyond its limit, whichever way its rows are added', async () => {
    const { ctx } = app.app;
    const values = (count: number) =>
      Array.from({ length: count }, (_, index) => counterRow({ key: `filled:${index}`, window_ends_at: 9e12 }));
    await ctx.db.write(async (tx) => {
      await tx.deleteFrom('attempts').execute();
      const rows = values(rowLimits.attempts.mostRows);
      for (let from = 0; from < rows.length; from += 2000)
        await tx
          .insertInto('attempts')
          .values(rows.slice(from, from + 2000))
          .execute();
      const counter = { key: 'one more', kind: 'signIn', about: '', network: '', windowMs: 50, most: 9 };
      await countAttempt(tx, counter, 0);
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

  test('is checked where its rows are added or, for tickets, by the job: keys, proofs and tickets', async () => {
    const { ctx } = app.app;
    const left = await ctx.db.write(async (tx) => {
      for (let at = 0; at < 3; at++) {
        const key = {
          id: `key ${at}`,
          lookup: Buffer.from(`${at}`),
          ownerId: 'a',
          dropName: 'a',
          now: at,
          expiresAt: 9,
        };
        await insertDropKey(tx, key);
        await insertProof(tx, { idHash: Buffer.from(`${at}`), address: 'a@b.example', now: 0, expiresAt: 5 - at });
      }
      await openDropKey(tx, 'key 0', 'network', 1);
      await deleteSurplusRows(tx, { ...rowLimits.drop_keys, mostRows: 2 }, 'key 2');
      await deleteSurplusRows(tx, { ...rowLimits.proofs, mostRows: 2 }, Buffer.from('2'));
      const keys = await tx.selectFrom('drop_keys').select('id').orderBy('id').execute();
      const proofs = await tx.selectFrom('proofs').select('expires_at').orderBy('expires_at').execute();
      return [keys.map(({ id }) => id), proofs.map(({ expires_at }) => Number(expires_at))];
    });
    assert.deepEqual(left, [
      ['key 0', 'key 2'],
      [3, 5],
    ]);
  });

  test('loses the tickets that were unused for longest', async () => {
    const { ctx } = app.app;
    const alice = await newPerson(app, 'alice');
    const { id } = await newLink(alice);
    for (let count = 0; count < 3; count++) {
      await new Browser(app.url).send(`/link/${id}/download`, []);
      app.clock.advance(1000);
    }
    const times = () =>
      ctx.db.read.selectFrom('tickets').select(['id_hash', 'issued_at']).orderBy('issued_at').execute();
    const [first, , third] = await times();
    await ctx.db.write(async (tx) => {
      const progress_at = ctx.clock.now();
      await tx.updateTable('tickets').set({ progress_at }).where('id_hash', '=', first!.id_hash).execute();
      await deleteSurplusRows(tx, { ...rowLimits.tickets, mostRows: 2 });
    });
    assert.deepEqual(await times(), [first, third]);
  });
});
