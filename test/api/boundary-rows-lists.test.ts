import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  cancelMailsOfRequest,
  countFileRequests,
  findRequestAnswers,
  listFileRequestsPage,
  listMailsOfRequest,
  type RequestState,
} from '#server/db/file-requests/file-request-lists.ts';
import { countReceived, listReceivedPage, type ReceivedFilter } from '#server/db/messages/received.ts';
import type { Db, Tables } from '#server/db/schema/schema.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { clickDownload, fetchFile } from '#test/kit/downloads.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { untilDownloadsEnd } from '#test/kit/sent.ts';
import { idOf, share } from '#test/kit/shared-files.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const tables = ['messages', 'file_requests', 'downloads', 'outbox'] as const;

onOneEngine('Each row in its list', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const alice = usePerson(app, 'alice');
  let db: Db;
  const base = {} as { [Table in (typeof tables)[number]]: Tables[Table] };
  const now = 5_000;
  before(async () => {
    ({ db } = app.app.ctx);
    const { linkId } = await share(alice);
    await sendMessage(alice, { recipients: ['ben@harbour.example'], subject: 'Plans' });
    const request = { recipient: 'ben@harbour.example', subject: 'Drawings', message: '', send_email: true };
    await alice.expect(200, 'createFileRequest', { body: { request } });
    await fetchFile(app.url, (await clickDownload(app.url, linkId)).path!);
    await untilDownloadsEnd(app);
    for (const table of tables)
      Object.assign(base, { [table]: await db.read.selectFrom(table).selectAll().executeTakeFirstOrThrow() });
    await db.write(async (tx) => {
      await tx.deleteFrom('message_recipients').execute();
      await tx.deleteFrom('message_attachments').execute();
      for (const table of tables.toReversed()) await tx.deleteFrom(table).execute();
    });
  });

  /** Subjects are sealed for the row they were written to. */
  async function add<Table extends (typeof tables)[number]>(
    table: Table,
    ...rows: Partial<Tables[Table]>[]
  ): Promise<void> {
    const { keys } = db.read;
    const sealed = (row: { id?: string }) => ({
      ...('subject_sealed' in base[table]
        ? { subject_sealed: keys.sealText('text', 'Plans', `${row.id}/subject`) }
        : {}),
      ...('body_sealed' in base[table] ? { body_sealed: keys.sealText('text', '', `${row.id}/body`) } : {}),
    });
    const whole = rows.map((row) => ({ ...base[table], ...sealed(row as { id?: string }), ...row }));
    await db.write(
      async (tx) =>
        void (await tx
          .insertInto(table)
          .values(whole as never)
          .execute()),
    );
  }

  test('requests are waiting, answered and open, received, over, expired or closed', async () => {
    const later = { expires_at: now + 1 };
    await add(
      'file_requests',
      { id: 'waiting', ...later, created_at: 1 },
      { id: 'open', ...later, created_at: 2 },
      { id: 'expired', expires_at: now, created_at: 3 },
      { id: 'closed', state: 'closed', ...later, created_at: 4 },
      { id: 'received', state: 'used', ...later, created_at: 5 },
      { id: 'used1', state: 'used', ...later, created_at: 6 },
      { id: 'used2', state: 'used', ...later, created_at: 7 },
      { id: 'used3', state: 'used', ...later, created_at: 7 },
    );
    const answer = (id: string, request_id: string | null, more: Partial<Tables['messages']> = {}) => ({
      id,
      request_id,
      origin: 'request' as const,
      expires_at: now + 1,
      created_at: 1,
      ...more,
    });
    await add(
      'messages',
      answer('a1', 'open', { created_at: 10 }),
      answer('a2', 'open', { created_at: 20, state: 'revoked' }),
      answer('a3', 'received'),
      answer('a4', 'used1', { expires_at: now }),
      answer('a5', 'used2', { state: 'revoked' }),
      answer('a6', null),
    );
    const ownerId = idOf(alice);
    const order = { by: 'createdAt', direction: 'asc' } as const;
    const listed = async (state: RequestState | null, owner = ownerId) => {
      const filter = { ownerId: owner, state, now };
      const rows = await listFileRequestsPage(db.read, filter, order, { offset: 0, limit: 20 });
      assert.equal(await countFileRequests(db.read, filter), rows.length, String(state));
      return rows.map(({ id }) => id).join(' ');
    };
    assert.equal(await listed(null), 'waiting open expired closed received used1 used2 used3');
    const states = ['waiting', 'open', 'expired', 'closed', 'received', 'used'] as const;
    assert.deepEqual(await Promise.all(states.map((state) => listed(state))), [
      'waiting',
      'open',
      'expired',
      'closed',
      'received',
      'used1 used2 used3',
    ]);
    assert.equal(await listed(null, 'another-user'), '');
  });

  test('requests are listed by page, with the answers to each', async () => {
    const ownerId = idOf(alice);
    const page = async (offset: number, limit: number, direction: 'asc' | 'desc') =>
      (
        await listFileRequestsPage(
          db.read,
          { ownerId, state: null, now },
          { by: 'createdAt', direction },
          { offset, limit },
        )
      )
        .map(({ id }) => id)
        .join(' ');
    assert.equal(await page(0, 3, 'desc'), 'used3 used2 used1');
    assert.equal(await page(6, 9, 'asc'), 'used2 used3');
    const answers = await findRequestAnswers(db.read, ['open', 'used1', 'waiting'], now);
    assert.deepEqual(
      [...answers].map(([id, { deliveries, lastAt, hasLive }]) => [id, deliveries, lastAt, hasLive]).toSorted(),
      [
        ['open', 2, 20, true],
        ['used1', 1, 1, false],
      ],
    );
  });

  test('closing a request cancels its waiting mails; its mails are listed newest first', async () => {
    const mail = (id: string, more: Partial<Tables['outbox']>) => ({
      id,
      kind: 'file-request',
      request_id: 'open',
      ...more,
    });
    await add(
      'outbox',
      mail('m1', { created_at: 1, state: 'pending' }),
      mail('m2', { created_at: 3, state: 'sent' }),
      mail('m3', { created_at: 2, state: 'pending', request_id: 'waiting' }),
      mail('m4', { created_at: 2, state: 'sending' }),
      mail('m5', { created_at: 2, state: 'sent', kind: 'receipt' }),
    );
    const listed = (limit: number) => listMailsOfRequest(db.read, 'open', limit);
    assert.deepEqual(
      (await listed(9)).map(({ createdAt }) => createdAt),
      [3, 2, 1],
    );
    assert.deepEqual(
      (await listed(1)).map(({ createdAt }) => createdAt),
      [3],
    );
    await db.write((tx) => cancelMailsOfRequest(tx, 'open', 77));
    const rows = await db.read.selectFrom('outbox').select(['id', 'state', 'finished_at']).orderBy('id').execute();
    assert.deepEqual(
      rows.map(({ id, state }) => `${id} ${state}`),
      ['m1 cancelled', 'm2 sent', 'm3 pending', 'm4 sending', 'm5 sent'],
    );
    assert.equal(rows[0]!.finished_at, 77);
  });

  test('received items are new, downloaded or expired, and filtered by where they came from and who sent them', async () => {
    await db.write(async (tx) => void (await tx.deleteFrom('messages').execute()));
    const came = (id: string, created_at: number, more: Partial<Tables['messages']> = {}) => ({
      id,
      created_at,
      origin: 'request' as const,
      sender: 'sam@elsewhere.example',
      expires_at: now + 1,
      request_id: null,
      ...more,
    });
    await add(
      'messages',
      came('new', 1),
      came('partly', 2, { origin: 'filedrop', sender: 'tom@elsewhere.example' }),
      came('fetched', 3),
      came('expired', 4, { expires_at: now }),
      came('released', 5, { state: 'released' }),
      came('revoked', 6, { state: 'revoked' }),
      came('sent', 7, { origin: 'sent' }),
    );
    const line = (number: number, message_id: string, more: Partial<Tables['downloads']> = {}) => ({
      number,
      message_id,
      link_id: null,
      outcome: 'complete' as const,
      recipient: alice.email,
      ...more,
    });
    await add(
      'downloads',
      line(11, 'fetched'),
      line(12, 'partly', { outcome: 'partial' }),
      line(13, 'new', { recipient: 'person@else.example' }),
      line(14, 'expired'),
    );
    const filter: ReceivedFilter = {
      userId: idOf(alice),
      addresses: [alice.email],
      ownAddress: alice.email,
      state: null,
      origin: null,
      sender: null,
      now,
    };
    const listed = async (changes: Partial<ReceivedFilter>) => {
      const by = { by: 'receivedAt', direction: 'asc' } as const;
      const rows = await listReceivedPage(db.read, { ...filter, ...changes }, by, { offset: 0, limit: 20 });
      assert.equal(await countReceived(db.read, { ...filter, ...changes }), rows.length);
      return rows.map(({ id, isDownloaded }) => `${id}${isDownloaded ? '!' : ''}`).join(' ');
    };
    assert.equal(await listed({}), 'new partly fetched! expired! released');
    assert.equal(await listed({ state: 'new' }), 'new partly');
    assert.equal(await listed({ state: 'downloaded' }), 'fetched!');
    assert.equal(await listed({ state: 'expired' }), 'expired! released');
    assert.equal(await listed({ origin: 'filedrop' }), 'partly');
    assert.equal(await listed({ sender: 'sam@elsewhere.example' }), 'new fetched! expired! released');
    assert.equal(await listed({ addresses: [] }), 'new partly fetched expired released');
    assert.equal(await listed({ userId: 'another-user', addresses: [] }), '');
  });
});
