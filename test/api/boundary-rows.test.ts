import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  countRefusedMails,
  countWaitingMails,
  dropMail,
  findMailRecord,
  listMails,
  listRefusedMails,
  retryMail,
} from '#server/db/mail/mail-queue.ts';
import {
  countDamaged,
  findDownloadTarget,
  findMailQueue,
  findOpenUpload,
  listQuarterFigures,
  listRunning,
  retireDownload,
  sumReadable,
} from '#server/db/overview/overview.ts';
import type { Db, Tables } from '#server/db/schema/schema.ts';
import {
  countFinishedFiles,
  listFileIdsAfter,
  listLargestFiles,
  listStorageByAge,
  listStorageOfUsers,
} from '#server/db/storage/storage.ts';
import { addSightings, deleteOldSightings, listSightings } from '#server/db/system/client-sightings.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { clickDownload, fetchFile } from '#test/kit/downloads.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { untilDownloadsEnd } from '#test/kit/sent.ts';
import { idOf, share } from '#test/kit/shared-files.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

onOneEngine('Among boundary-case rows', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const alice = usePerson(app, 'alice');
  let db: Db;
  const base = {} as {
    [Table in
      | 'outbox'
      | 'attachments'
      | 'uploads'
      | 'downloads'
      | 'download_requests'
      | 'tickets'
      | 'messages']: Tables[Table];
  };
  before(async () => {
    ({ db } = app.app.ctx);
    const { linkId } = await share(alice);
    await sendMessage(alice, { recipients: ['ben@harbour.example'], send_email: true });
    await alice.expect(200, 'uploadForLink', { query: { filename: 'a', chunks: '2', chunk: '0' }, bytes: 'half' });
    await fetchFile(app.url, (await clickDownload(app.url, linkId)).path!);
    await untilDownloadsEnd(app);
    for (const table of [
      'outbox',
      'attachments',
      'uploads',
      'downloads',
      'download_requests',
      'tickets',
      'messages',
    ] as const)
      Object.assign(base, { [table]: await db.read.selectFrom(table).selectAll().executeTakeFirstOrThrow() });
    await db.write(async (tx) => {
      for (const table of ['outbox', 'downloads', 'download_requests', 'tickets', 'uploads'] as const)
        await tx.deleteFrom(table).execute();
    });
  });

  /** Rows that differ from the one the service made in these fields. */
  async function add<Table extends keyof typeof base>(table: Table, ...rows: Partial<Tables[Table]>[]): Promise<void> {
    const whole = rows.map((row) => ({ ...base[table], ...row }));
    await db.write(
      async (tx) =>
        void (await tx
          .insertInto(table)
          .values(whole as never)
          .execute()),
    );
  }

  test('mails are listed by state, domain and page, newest first', async () => {
    const mail = (id: string, created_at: number, more: Partial<Tables['outbox']>) => ({ id, created_at, ...more });
    await add(
      'outbox',
      mail('a', 10, { state: 'pending', recipient: 'x@harbour.example' }),
      mail('b', 10, { state: 'pending', recipient: 'x@other.harbour.example' }),
      mail('c', 20, { state: 'sending', recipient: 'x@harbour.example.org' }),
      mail('d', 30, { state: 'failed', recipient: 'x@xharbour.example', finished_at: 100 }),
      mail('e', 40, { state: 'failed', recipient: 'x@harbour.example', finished_at: 200, group_key: 'g', next_at: 7 }),
      mail('f', 50, { state: 'sent', finished_at: 300 }),
      mail('g', 60, { state: 'cancelled', finished_at: 300 }),
    );
    const ids = async (filter: Partial<Parameters<typeof listMails>[1]>, limit = 10) =>
      (await listMails(db.read, { states: null, domain: null, after: null, ...filter }, limit))
        .map(({ id }) => id)
        .join('');
    assert.equal(await ids({}), 'gfedcba');
    assert.equal(await ids({}, 3), 'gfe');
    assert.equal(await ids({ states: ['pending', 'failed'] }), 'edba');
    assert.equal(await ids({ domain: 'Harbour.Example' }), 'ea');
    assert.equal(await ids({ domain: '%' }), '');
    assert.equal(await ids({ after: { createdAt: 20, id: 'c' } }), 'ba');
    assert.equal(await ids({ after: { createdAt: 10, id: 'b' } }), 'a');
    assert.equal(await countWaitingMails(db.read), 3);
    assert.deepEqual(await findMailQueue(db.read), { waiting: 3, oldestAt: 10 });
    assert.deepEqual((await listRefusedMails(db.read, 99, 10)).map(({ id }) => id).join(''), 'ed');
    assert.deepEqual((await listRefusedMails(db.read, 99, 1)).map(({ id }) => id).join(''), 'e');
    assert.deepEqual((await listRefusedMails(db.read, 100, 10)).map(({ id }) => id).join(''), 'e');
    assert.deepEqual([await countRefusedMails(db.read, 99), await countRefusedMails(db.read, 100)], [2, 1]);
  });

  test('a mail is retried while it waits or once it was refused, and dropped while it waits; no other is changed', async () => {
    const outcomes: Record<string, boolean[]> = {};
    for (const id of 'abcdefg') {
      const others = () => db.read.selectFrom('outbox').selectAll().where('id', '<>', id).orderBy('id').execute();
      const untouched = await others();
      const dropped = await db.write((tx) => dropMail(tx, id, 'not wanted', 500));
      if (dropped) {
        const record = (await findMailRecord(db.read, id))!;
        assert.deepEqual([record.state, record.serverText, record.finishedAt], ['cancelled', 'not wanted', 500]);
        await db.write(
          async (tx) => void (await tx.updateTable('outbox').set({ state: 'pending' }).where('id', '=', id).execute()),
        );
      }
      outcomes[id] = [dropped, await db.write((tx) => retryMail(tx, id, 600))];
      if (outcomes[id]![1]) {
        const row = await db.read.selectFrom('outbox').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
        const { state, next_at, lease_ends_at, finished_at, group_key } = row;
        assert.deepEqual([state, next_at, lease_ends_at, finished_at, group_key], ['pending', 600, 0, null, null]);
      }
      assert.deepEqual(await others(), untouched, id);
    }
    const [both, neither] = [
      [true, true],
      [false, false],
    ];
    assert.deepEqual(outcomes, {
      a: both,
      b: both,
      c: neither,
      d: [false, true],
      e: [false, true],
      f: neither,
      g: neither,
    });
    assert.equal(await findMailRecord(db.read, 'z'), undefined);
  });

  test('programs are counted by day, version and outcome, listed from a day on, newest first, and deleted', async () => {
    // Far in the future: the service also records its callers.
    const seen = (day: string, version: string, code = '', calls = 1) => ({
      day,
      client: 'tool',
      version,
      code,
      calls,
    });
    await db.write((tx) =>
      addSightings(tx, [
        seen('2099-11-01', '1'),
        seen('2099-11-02', '1'),
        seen('2099-11-03', '1', 'a.refusal'),
        seen('2099-11-03', '2'),
      ]),
    );
    await db.write((tx) => addSightings(tx, [seen('2099-11-02', '1', '', 5)]));
    const listed = async (from: string, limit = 10) =>
      (await listSightings(db.read, from, limit)).map(({ day, calls }) => `${day.slice(-1)}:${calls}`).join(' ');
    assert.equal(await listed('2099-11-02'), '3:1 3:1 2:6');
    assert.equal(await listed('2099-11-01', 1), '3:1');
    await db.write((tx) => deleteOldSightings(tx, '2099-11-02'));
    assert.equal(await listed('2099-01-01'), '3:1 3:1 2:6');
  });

  test('uploads and downloads are running while they are open and were active recently', async () => {
    const now = app.clock.now();
    const line = (number: number, more: Partial<Tables['downloads']>) => ({
      number,
      outcome: 'granted' as const,
      finished_at: null,
      granted_at: now,
      ...more,
    });
    await add(
      'uploads',
      { id: 'u1', active_at: now, chunks: 2 },
      { id: 'u2', active_at: now - hourMs, chunks: 3 },
      { id: 'u3', active_at: now - hourMs - 1, chunks: 4 },
      { id: 'u4', active_at: now, chunks: 5, state: 'abandoned' },
    );
    await add(
      'downloads',
      line(1, { recipient: 'ben@harbour.example' }),
      line(2, { granted_at: now - 24 * hourMs }),
      line(3, { granted_at: now - 24 * hourMs - 1 }),
      line(4, { outcome: 'complete', finished_at: now }),
      line(5, { finished_at: now }),
      line(6, { message_id: base.messages.id, link_id: null, granted_at: now - 1 }),
    );
    const request = (number: number, progress_at: number) => ({ number, outcome: 'running' as const, progress_at });
    await add(
      'download_requests',
      request(1, now),
      request(2, now - hourMs),
      request(3, now - hourMs - 1),
      request(4, now),
      request(5, now),
      request(6, now),
    );
    const running = async (limit = 10) =>
      (await listRunning(db.read, now - hourMs, limit)).map(({ uploadId, download }) => uploadId ?? download!.number);
    assert.deepEqual(await running(), ['u1', 'u2', 1, 6, 2]);
    assert.deepEqual(await running(3), ['u1', 'u2', 1]);
    assert.deepEqual(await running(1), ['u1']);
    assert.equal((await findOpenUpload(db.read, 'u2'))?.id, 'u2');
    assert.deepEqual([await findOpenUpload(db.read, 'u4'), await findOpenUpload(db.read, 'u9')], [null, null]);
    const owner = idOf(alice);
    const link = { kind: 'link', id: base.downloads.link_id, recipient: 'ben@harbour.example' };
    assert.deepEqual(await findDownloadTarget(db.read, owner, 1), link);
    assert.equal((await findDownloadTarget(db.read, owner, 6))?.kind, 'message');
    for (const number of [4, 5, 9]) assert.equal(await findDownloadTarget(db.read, owner, number), null);
    assert.equal(await findDownloadTarget(db.read, 'another-user', 1), null);
  });

  test('stopping a download ends its ticket and no other', async () => {
    const ticket = (name: string, download_number: number | null) => ({
      id_hash: Buffer.from(name),
      download_number,
      served_bytes: 1,
    });
    await add('tickets', ticket('one', 1), ticket('two', 2), ticket('none', null));
    const retire = (owner: string, number: number) => db.write((tx) => retireDownload(tx, owner, number));
    assert.deepEqual([await retire('another-user', 1), await retire(idOf(alice), 9)], [false, false]);
    assert.equal(await retire(idOf(alice), 1), true);
    const rows = await db.read.selectFrom('tickets').select(['id_hash', 'served_bytes']).execute();
    const served = Object.fromEntries(rows.map((row) => [row.id_hash.toString(), row.served_bytes]));
    assert.ok(served.one! > 2 ** 49);
    assert.deepEqual([served.two, served.none], [1, 1]);
  });

  test("statistics by quarter of an hour leave out uploads from outside, owners' own downloads, and older ones", async () => {
    const since = 1000 * hourMs;
    const message = (id: string, created_at: number, more: Partial<Tables['messages']> = {}) => ({
      id,
      created_at,
      ...more,
    });
    const file = (id: string, created_at: number, more: Partial<Tables['attachments']> = {}) => ({
      id,
      created_at,
      size_bytes: 7,
      ...more,
    });
    const stop = since + 2 * hourMs;
    await add(
      'messages',
      message('m1', since),
      message('m2', since - 1),
      message('m3', since, { origin: 'request' }),
      message('m4', stop - 1),
    );
    await add(
      'downloads',
      { number: 21, granted_at: since },
      { number: 22, granted_at: since - 1 },
      { number: 23, granted_at: since, kind: 'owner' },
    );
    await add(
      'attachments',
      file('f1', since),
      file('f2', since - 1),
      file('f3', since + 1),
      file('f4', since, { state: 'damaged' }),
      file('f5', since + 2, { reference_count: 0 }),
    );
    const statistics = (await listQuarterFigures(db.read, since))
      .filter(({ quarter }) => quarter < 4008)
      .toSorted((a, b) => a.quarter - b.quarter);
    assert.deepEqual(statistics, [
      { quarter: 4000, messages: 1, downloads: 1, bytes: 28 },
      { quarter: 4007, messages: 1, downloads: 0, bytes: 0 },
    ]);
    assert.deepEqual(await sumReadable(db.read, since, since + 1), { files: 1, bytes: 7 });
    assert.deepEqual(await sumReadable(db.read, since - 1, since + 2), { files: 3, bytes: 21 });
    assert.equal(await countDamaged(db.read), 1);
  });

  test('storage is summed by age, size and person, without erased files', async () => {
    const at = 1000 * hourMs;
    const file = (id: string, more: Partial<Tables['attachments']>) => ({
      id,
      created_at: at,
      size_bytes: 1000,
      ...more,
    });
    await add(
      'attachments',
      file('big1', { size_bytes: 9_000_000 }),
      file('big2', { size_bytes: 8_000_000, reference_count: 0 }),
      file('gone', { size_bytes: 9_999_999, state: 'erased', data_key_wrapped: null }),
    );
    assert.deepEqual(
      (await listLargestFiles(db.read, 2)).map(({ id, isShared }) => [id, isShared]),
      [
        ['big1', true],
        ['big2', false],
      ],
    );
    // From the test above: one slightly older, four within the hour.
    const ages = await listStorageByAge(db.read, [1, 2], at + dayMs);
    assert.deepEqual(ages.map(({ upToDays, files }) => [upToDays, files]).slice(1), [
      [2, 1],
      [null, 0],
    ]);
    const ready = await db.read
      .selectFrom('attachments')
      .select('id')
      .where('state', 'in', ['ready', 'damaged'])
      .orderBy('id')
      .execute();
    assert.equal(await countFinishedFiles(db.read), ready.length);
    const all = ready.map(({ id }) => id);
    assert.deepEqual(await listFileIdsAfter(db.read, '', 100), all);
    assert.deepEqual(await listFileIdsAfter(db.read, all[0]!, 2), all.slice(1, 3));
    const sizes = async (limit = 10) => (await listStorageOfUsers(db.read, limit)).map(({ email }) => email);
    await app.person('bob');
    await app.person('gone');
    await db.write(async (tx) => {
      const set = (id: string, columns: Partial<Tables['users']>) =>
        tx.updateTable('users').set(columns).where('id', '=', id).execute();
      await set(idOf(alice), { stored_bytes: 10 });
      await set('bob-example-com', { stored_bytes: 20 });
      await set('gone-example-com', { stored_bytes: 30, state: 'deleted' });
    });
    assert.deepEqual([await sizes(), await sizes(1)], [['bob@example.com', alice.email], ['bob@example.com']]);
  });
});
