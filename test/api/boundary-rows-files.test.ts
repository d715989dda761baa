import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { callerOf } from '#server/actions/sessions/identities.ts';
import { stepCheckingFiles } from '#server/actions/storage/storage.ts';
import {
  countErasableAttachments,
  listErasableAttachments,
  listOwnersToPurge,
} from '#server/db/attachments/attachments.ts';
import { refundDownloads, spendDownloads } from '#server/db/downloads/download-counters.ts';
import {
  countFileLinks,
  endFileLink,
  type LinkFilter,
  listExpiredFileLinks,
  listFileLinksPage,
} from '#server/db/file-links/file-links.ts';
import { listExpiredMessages } from '#server/db/messages/messages.ts';
import type { Db, Tables } from '#server/db/schema/schema.ts';
import { noteReservation, releaseReservation } from '#server/db/storage/stored-bytes.ts';
import { changeOwner } from '#server/db/transfers/transfer-owners.ts';
import { sealUpload } from '#server/db/uploads/uploads.ts';
import { findUserByEmail } from '#server/db/users/users.ts';
import { systemCaller } from '#server/domain/caller.ts';
import type { Task } from '#server/domain/tasks.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { attachmentRow } from '#test/kit/inside.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { idOf, share } from '#test/kit/shared-files.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const now = 5_000;

onOneEngine('Among other files', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const alice = usePerson(app, 'alice');
  let db: Db;
  let file: Tables['attachments'];
  let link: Tables['file_links'];
  let message: Tables['messages'];
  before(async () => {
    ({ db } = app.app.ctx);
    await share(alice, { bytes: 'shared' });
    await sendMessage(alice, { recipients: ['ben@harbour.example'] });
    file = await db.read.selectFrom('attachments').selectAll().executeTakeFirstOrThrow();
    link = await db.read.selectFrom('file_links').selectAll().executeTakeFirstOrThrow();
    message = await db.read.selectFrom('messages').selectAll().executeTakeFirstOrThrow();
  });

  test('a reservation is released once, and others stay', async () => {
    const ownerId = idOf(alice);
    const reserved = async () => {
      const kept = await db.read.selectFrom('reservations').select('id').orderBy('id').execute();
      const { reserved_bytes } = await db.read
        .selectFrom('users')
        .select('reserved_bytes')
        .where('id', '=', ownerId)
        .executeTakeFirstOrThrow();
      return [kept.map(({ id }) => id).join(' '), reserved_bytes];
    };
    await db.write(async (tx) => {
      for (const [id, bytes] of [
        ['one', 10],
        ['two', 200],
        ['three', 3_000],
      ] as const)
        await noteReservation(tx, { id, ownerId, bytes, expiresAt: now, source: '' });
      await tx.updateTable('users').set({ reserved_bytes: 3_210 }).where('id', '=', ownerId).execute();
    });
    for (let again = 0; again < 2; again++) await db.write((tx) => releaseReservation(tx, 'two'));
    assert.deepEqual(await reserved(), ['one three', 3_010]);
    for (const id of ['one', 'three']) await db.write((tx) => releaseReservation(tx, id));
    assert.deepEqual(await reserved(), ['', 0]);
  });

  /** Replaces all links. */
  async function putLinks(rows: Partial<Tables['file_links']>[]): Promise<void> {
    const whole = rows.map((row, at) => ({ ...link, created_at: at, ...row }));
    await db.write(async (tx) => {
      await tx.deleteFrom('file_links').execute();
      await tx.insertInto('file_links').values(whole).execute();
    });
  }

  test('links are active, ending, expired or deleted', async () => {
    const rows: Partial<Tables['file_links']>[] = [
      { id: 'active', expires_at: now + 101 },
      { id: 'ending', expires_at: now + 100 },
      { id: 'expired', expires_at: now },
      { id: 'released', expires_at: now + 500, state: 'released' },
      { id: 'deleted1', expires_at: now + 500, state: 'deleted' },
      { id: 'deleted2', expires_at: now, state: 'deleted' },
    ];
    await putLinks(rows);
    const listed = async (state: LinkFilter['state'], ownerId = idOf(alice)) => {
      const filter = { ownerId, state, now, endingBefore: now + 100 };
      const order = { by: 'createdAt', direction: 'asc' } as const;
      const found = await listFileLinksPage(db.read, filter, order, { offset: 0, limit: 20 });
      assert.equal(await countFileLinks(db.read, filter), found.length);
      return found.map(({ id }) => id).join(' ');
    };
    assert.equal(await listed(null), 'active ending expired released');
    assert.equal(await listed('active'), 'active');
    assert.equal(await listed('ending'), 'ending');
    assert.equal(await listed('live'), 'active ending');
    assert.equal(await listed('expired'), 'expired released');
    assert.equal(await listed('deleted'), 'deleted1 deleted2');
    assert.equal(await listed(null, 'another-user'), '');
  });

  test('links to expire are active ones past their day, the longest over first, no more than requested', async () => {
    await putLinks([
      { id: 'later', expires_at: now + 1 },
      { id: 'last', expires_at: now },
      { id: 'first', expires_at: now - 9 },
      { id: 'second', expires_at: now - 5 },
      { id: 'released', expires_at: now - 7, state: 'released' },
      { id: 'deleted', expires_at: now - 8, state: 'deleted' },
    ]);
    const expired = async (limit: number) =>
      (await listExpiredFileLinks(db.read, now, limit)).map(({ id, ownerId }) => (ownerId === idOf(alice) ? id : ''));
    assert.deepEqual(await expired(10), ['first', 'second', 'last']);
    assert.deepEqual(await expired(2), ['first', 'second']);
  });

  test('a link ends once: released when its day has passed, deleted from either state, and no other with it', async () => {
    const ends = async (id: string, to: 'released' | 'deleted') => {
      await putLinks([
        { id: 'other', expires_at: now },
        { id: 'active', expires_at: now + 1 },
        { id: 'over', expires_at: now },
        { id: 'released', expires_at: now, state: 'released' },
        { id: 'deleted', expires_at: now, state: 'deleted' },
      ]);
      const before = await db.read.selectFrom('file_links').select(['id', 'state']).orderBy('id').execute();
      const ended = await db.write((tx) => endFileLink(tx, id, to, now));
      const after = await db.read.selectFrom('file_links').select(['id', 'state']).orderBy('id').execute();
      const changed = after.filter(({ state }, at) => state !== before[at]!.state);
      assert.deepEqual(changed, ended === null ? [] : [{ id, state: to }], `${id} ${to}`);
      return ended?.heldFile ?? null;
    };
    assert.deepEqual([await ends('active', 'released'), await ends('active', 'deleted')], [null, true]);
    assert.deepEqual([await ends('over', 'released'), await ends('over', 'deleted')], [true, true]);
    assert.deepEqual([await ends('released', 'released'), await ends('released', 'deleted')], [null, false]);
    assert.deepEqual([await ends('deleted', 'released'), await ends('deleted', 'deleted')], [null, null]);
  });

  test('a download is given back to one person, of one message, for its files', async () => {
    const count = (message_id: string, attachment_id: string, identity: string, used: number) => ({
      message_id,
      attachment_id,
      identity,
      used,
    });
    const rows = [
      count('m', 'a', 'ben', 2),
      count('m', 'b', 'ben', 0),
      count('m', 'c', 'ben', 2),
      count('m', 'a', 'eve', 2),
      count('n', 'a', 'ben', 2),
    ];
    await db.write(async (tx) => void (await tx.insertInto('counters').values(rows).execute()));
    const used = async () => {
      const found = await db.read.selectFrom('counters').selectAll().execute();
      return found.map((row) => `${row.message_id}${row.attachment_id} ${row.identity} ${row.used}`).toSorted();
    };
    await db.write((tx) => refundDownloads(tx, { messageId: 'm', attachmentIds: ['a', 'b'], identity: 'ben' }));
    assert.deepEqual(await used(), ['ma ben 1', 'ma eve 2', 'mb ben 0', 'mc ben 2', 'na ben 2']);
    const spend = (ids: string[], limit: number | null) =>
      db.write((tx) => spendDownloads(tx, { messageId: 'm', attachmentIds: ids, identity: 'ben' }, limit));
    assert.deepEqual(await spend(['a', 'c'], 2), [2]);
    assert.deepEqual([await spend(['a'], 2), await spend(['a'], 3), await spend(['a'], null)], [[], [3], [4]]);
    assert.deepEqual([await spend(['new'], 0), await spend(['new'], 1), await spend(['new'], 1)], [[], [1], []]);
  });

  test('files are erased when they are due, longest due first; those of deleted people are found', async () => {
    const row = (id: string, more: Partial<Tables['attachments']>) => ({ ...file, id, reference_count: 0, ...more });
    const gone = await db.read.selectFrom('users').selectAll().executeTakeFirstOrThrow();
    await db.write(async (tx) => {
      const owner = { id: 'gone', email: '', state: 'deleted', drop_name: 'gone' } as const;
      await tx
        .insertInto('users')
        .values({ ...gone, ...owner })
        .execute();
      const files = [
        row('e1', { erase_after_uptime: 100 }),
        row('e2', { erase_after_uptime: 50 }),
        row('e3', { erase_after_uptime: 101 }),
        row('e4', { erase_after_uptime: null }),
        row('e5', { owner_id: 'gone', erase_after_uptime: null }),
        row('e6', { owner_id: 'gone', erase_after_uptime: null }),
        row('e7', { owner_id: 'gone', erase_after_uptime: null, state: 'erased' }),
      ];
      await tx.insertInto('attachments').values(files).execute();
    });
    assert.deepEqual(await listErasableAttachments(db.read, 100, 9), ['e2', 'e1']);
    assert.deepEqual(await listErasableAttachments(db.read, 100, 1), ['e2']);
    assert.equal(await countErasableAttachments(db.read, 100), 2);
    assert.deepEqual(await listOwnersToPurge(db.read, 9), ['gone']);
    await db.write(
      async (tx) =>
        void (await tx.updateTable('attachments').set({ state: 'erased' }).where('id', 'in', ['e5', 'e6']).execute()),
    );
    assert.deepEqual(await listOwnersToPurge(db.read, 9), []);
    // Their bytes are those of another file, so they cannot be read back.
    await db.write(async (tx) => void (await tx.deleteFrom('attachments').where('id', 'like', 'e_').execute()));
  });

  test('messages expire in the order of their ends; what has ended otherwise does not', async () => {
    const row = (id: string, expires_at: number, state: Tables['messages']['state'] = 'active') => ({
      ...message,
      id,
      expires_at,
      state,
    });
    const rows = [
      row('x2', now),
      row('x1', now - 1),
      row('x3', now + 1),
      row('x4', 1, 'revoked'),
      row('x5', 1, 'released'),
    ];
    await db.write(async (tx) => void (await tx.insertInto('messages').values(rows).execute()));
    const expired = async (limit: number) => (await listExpiredMessages(db.read, now, limit)).map(({ id }) => id);
    assert.deepEqual([await expired(9), await expired(1)], [['x1', 'x2'], ['x1']]);
    const head = { id: 'x3', kind: 'message', ownerId: 'another-user' } as const;
    const { id: newOwner } = (await findUserByEmail(db.read, 'root@example.com'))!;
    const change = (ownerId: string) => db.write((tx) => changeOwner(tx, { ...head, ownerId }, newOwner, 9));
    assert.equal(await change('another-user'), false);
    assert.equal(await change(idOf(alice)), true);
    const owners = await db.read.selectFrom('messages').select('id').where('owner_id', '=', newOwner).execute();
    assert.deepEqual(owners, [{ id: 'x3' }]);
  });

  test('a file that is deleted while all are read back is not reported as damaged', async () => {
    const { attachmentId } = await share(alice, { bytes: 'soon gone' });
    const root = callerOf((await findUserByEmail(db.read, 'root@example.com'))!, systemCaller.from);
    const { ctx } = app.app;
    const executor = db.read.getExecutor();
    const run = executor.executeQuery;
    const others = (await db.read.selectFrom('attachments').select('id').execute()).map(({ id }) => id);
    const after =
      others
        .filter((id) => id < attachmentId)
        .toSorted()
        .at(-1) ?? '';
    // Right after the list of files to read was created.
    executor.executeQuery = async (query, options) => {
      executor.executeQuery = run;
      const result = await run.call(executor, query, options);
      await db.write(
        async (tx) =>
          void (await tx.updateTable('attachments').set({ state: 'erased' }).where('id', '=', attachmentId).execute()),
      );
      return result as never;
    };
    const task = { progress: { after }, total: 1, done: 0, failed: 0 } as unknown as Task;
    const step = await stepCheckingFiles(ctx, root, task).finally(() => {
      executor.executeQuery = run;
    });
    const refused = (step.progress as { refused: { id: string }[] }).refused.map(({ id }) => id);
    assert.ok(!refused.includes(attachmentId));
    assert.equal((await attachmentRow(app, attachmentId)).state, 'erased');
  });

  test('an upload is closed once, when all its chunks are there and none was different', async () => {
    const [bytes, headers] = ['half', { 'content-type': 'application/octet-stream' }];
    const begin = async (filename: string) => {
      await alice.expect(200, 'uploadForLink', { query: { filename, chunk: '0', chunks: '2' }, bytes, headers });
      const rows = await db.read.selectFrom('uploads').select('id').orderBy('created_at', 'desc').execute();
      return rows[0]!.id;
    };
    const id = await begin('closed.txt');
    const change = (columns: Partial<Tables['uploads']>) =>
      db.write((tx) => tx.updateTable('uploads').set(columns).where('id', '=', id).execute());
    const seal = () => db.write((tx) => sealUpload(tx, id, 1));
    assert.equal(await seal(), false, 'a chunk is missing');
    await change({ part_count: 2, has_conflict: 1 });
    assert.equal(await seal(), false, 'a chunk came twice with other bytes');
    await change({ has_conflict: 0, state: 'abandoned' });
    assert.equal(await seal(), false, 'it was cancelled');
    await change({ state: 'open' });
    assert.deepEqual([await seal(), await seal()], [true, false]);
  });
});
