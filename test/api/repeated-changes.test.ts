// Requests check first and rarely get this far; these tests call the layer below them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eraseFile, eraseHeldFile } from '#server/actions/attachments/attachments.ts';
import { endLink } from '#server/actions/file-links/file-links.ts';
import { endMessageFiles } from '#server/actions/messages/ending.ts';
import { abandonUpload } from '#server/actions/uploads/sessions.ts';
import type { Tx } from '#server/db/schema/schema.ts';
import { askTaskToStop, finishTask, insertTask } from '#server/db/system/tasks.ts';
import { saveTotpSecret } from '#server/db/users/totp.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { attachmentRow, chargeOf } from '#test/kit/inside.ts';
import { inlineFile, readMessage, sendMessage } from '#test/kit/messages.ts';
import { idOf, share } from '#test/kit/shared-files.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

onEachDatabase('Only once', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const alice = usePerson(app, 'alice');

  /** Runs each in its own transaction, then two concurrently. */
  async function twice(work: (tx: Tx) => Promise<boolean>): Promise<boolean[]> {
    const { write } = app.app.ctx.db;
    const first = await write(work);
    return [first, ...(await Promise.all([write(work), write(work)]))];
  }
  const eventsOf = async (action: string, id: string) => {
    const { read } = app.app.ctx.db;
    const rows = await read.selectFrom('events').select('action').where('object_id', '=', id).execute();
    return rows.filter((row) => row.action === action).length;
  };

  test('a link releases its file', async () => {
    const { ctx } = app.app;
    const { linkId, attachmentId } = await share(alice, { bytes: 'a link' });
    // A link that has not expired is not released: its date was moved since it was read.
    const early = { id: linkId, to: 'released' } as const;
    assert.equal(await ctx.db.write((tx) => endLink(ctx, tx, systemCaller, early)), false);
    const ending = { id: linkId, to: 'deleted', erases: false } as const;
    assert.deepEqual(await twice((tx) => endLink(ctx, tx, systemCaller, ending)), [true, false, false]);
    assert.equal((await attachmentRow(app, attachmentId)).reference_count, 0);
  });

  test('a link is deleted, by one of many concurrent calls', async () => {
    const { linkId } = await share(alice, { bytes: 'deleted once' });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => alice.call('deleteFileLink', { params: { id: linkId } })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(404)]);
    assert.equal(await eventsOf('link.deleted', linkId), 1);
  });

  test('a message releases its files', async () => {
    const { ctx } = app.app;
    const { id } = await sendMessage(alice, {
      recipients: ['ben@harbour.example'],
      attachments: [inlineFile('a.txt', 'a message')],
    });
    const file = (await readMessage(alice, id)).attachments[0]!.id;
    const ending = { id, to: 'revoked', erases: true } as const;
    assert.deepEqual(await twice((tx) => endMessageFiles(ctx, tx, systemCaller, ending)), [true, false, false]);
    assert.equal((await attachmentRow(app, file)).reference_count, 0);
    assert.equal(await eventsOf('attachment.erased', file), 1);
  });

  test('a file is erased, and its storage released', async () => {
    const { ctx } = app.app;
    const before = await chargeOf(app, alice.email);
    const { id } = await alice.upload('a.txt', 'a file');
    const { linkId, attachmentId: held } = await share(alice, { bytes: 'held' });
    assert.equal(await ctx.db.write((tx) => eraseFile(ctx, tx, systemCaller, held)), false, `${linkId} holds it`);
    assert.deepEqual(await twice((tx) => eraseFile(ctx, tx, systemCaller, id)), [true, false, false]);
    assert.deepEqual(await twice((tx) => eraseHeldFile(ctx, tx, systemCaller, held)), [true, false, false]);
    assert.deepEqual(await chargeOf(app, alice.email), before);
    for (const erased of [id, held]) assert.equal(await eventsOf('attachment.erased', erased), 1);
  });

  test('an upload is cancelled, and its storage released', async () => {
    const { ctx } = app.app;
    const before = await chargeOf(app, alice.email);
    const query = { filename: 'begun.bin', chunks: '2', chunk: '0' };
    await alice.expect(200, 'uploadForLink', { query, bytes: 'half' });
    const { id } = await ctx.db.read
      .selectFrom('uploads')
      .select('id')
      .where('owner_id', '=', idOf(alice))
      .where('state', '=', 'open')
      .executeTakeFirstOrThrow();
    const upload = { id, ownerId: idOf(alice), source: '' };
    assert.deepEqual(await twice((tx) => abandonUpload(ctx, tx, upload)), [true, false, false]);
    assert.deepEqual(await chargeOf(app, alice.email), before);
  });

  test('a task is finished, and cannot be stopped from then on', async () => {
    const { ctx } = app.app;
    const now = ctx.clock.now();
    const task = { id: 'some-task', kind: 'check_files', input: {}, startedBy: idOf(alice), total: 1 } as const;
    await ctx.db.write((tx) => insertTask(tx, { ...task, createdAt: now }));
    assert.equal(await ctx.db.write((tx) => askTaskToStop(tx, task.id, now)), true);
    assert.deepEqual(await twice((tx) => finishTask(tx, task.id, 'stopped', now)), [true, false, false]);
    assert.equal(await ctx.db.write((tx) => askTaskToStop(tx, task.id, now)), false);
  });

  test('an authenticator app is switched on, and not replaced by another', async () => {
    const secret = { secret: Buffer.alloc(20, 1), step: 1 };
    assert.deepEqual(await twice((tx) => saveTotpSecret(tx, idOf(alice), secret)), [true, false, false]);
  });
});
