// A trigger ignores the write, as if another transaction had changed the row after it was read.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { createOnce } from '#server/actions/idempotency.ts';
import { choosePassword, issueLink } from '#server/actions/sessions/one-time-links.ts';
import type { Tx } from '#server/db/schema/schema.ts';
import { findUser, updateUser } from '#server/db/users/users.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { callerFor } from '#test/kit/callers.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { chargeOf } from '#test/kit/inside.ts';
import { newLink } from '#test/kit/links.ts';
import { inlineFile, sendMessage, tracesOf } from '#test/kit/messages.ts';
import { assertInside } from '#test/kit/outside.ts';
import { searched } from '#test/kit/references.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

onOneEngine('a change whose row changed after it was read', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });

  /** Runs `work` while the trigger ignores these statements. */
  async function withoutEffect(statement: string, work: () => Promise<unknown>): Promise<void> {
    assertInside();
    const { db } = app.app.ctx;
    const make = `create trigger lost before ${statement} begin select raise(ignore); end`;
    await db.write((tx) => sql.raw(make).execute(tx));
    try {
      await work();
    } finally {
      await db.write((tx) => sql.raw('drop trigger lost').execute(tx));
    }
  }

  /** Checks that the call writes nothing. */
  async function refusedWithoutTrace(statement: string, call: () => Promise<unknown>): Promise<void> {
    const traces = await tracesOf(app);
    await withoutEffect(statement, call);
    assert.deepEqual(await tracesOf(app), traces);
  }

  const ownCaller = () => callerFor(app, alice);

  async function newRequest(): Promise<string> {
    const request = { recipient: 'ben@harbour.example', send_email: false };
    const { body } = await alice.expect(200, 'createFileRequest', { body: { request } });
    return (body as { request: { id: string } }).request.id;
  }

  test('of a link is refused to its owner and to administrators', async () => {
    const params = { id: (await newLink(alice)).id };
    const named = await searched(app.admin, params.id);
    const later = { expires_at: '2026-12-24', reason: '' };
    await refusedWithoutTrace('update on file_links', async () => {
      await alice.refused(404, 'link.not_found', 'deleteFileLink', { params });
      await app.admin.refused(422, 'transfer.stopped', 'stopTransfer', { params: named, body: { reason: '' } });
      await app.admin.refused(409, 'transfer.changed', 'extendTransfer', { params: named, body: later });
    });
    await alice.expect(200, 'deleteFileLink', { params });
  });

  test('of a file that a link or a message uses is refused', async () => {
    const { id } = await alice.upload('held.txt', 'abc');
    const message = { recipients: ['ben@harbour.example'], subject: 'Held', message: 'x', attachments: [id] };
    await refusedWithoutTrace('update on attachments', async () => {
      await alice.refused(422, 'link.attachment_damaged', 'createFileLink', { body: { link: { attachment: id } } });
      await alice.refused(422, 'message.attachment_damaged', 'sendMessage', { body: { message } });
    });
    await alice.expect(200, 'createFileLink', { body: { link: { attachment: id } } });
  });

  test('of a request is refused to its owner and to administrators', async () => {
    const newOwner = await newPerson(app, 'new-owner');
    const params = { id: await newRequest() };
    const named = await searched(app.admin, params.id);
    const later = { expires_at: '2026-12-24', reason: '' };
    await refusedWithoutTrace('update on file_requests', async () => {
      await alice.refused(409, 'request.changed', 'closeRequest', { params });
      await alice.refused(409, 'request.changed', 'extendRequest', { params, body: { expires_at: '2026-12-24' } });
      await app.admin.refused(409, 'transfer.changed', 'stopTransfer', { params: named, body: { reason: '' } });
      await app.admin.refused(409, 'transfer.changed', 'extendTransfer', { params: named, body: later });
      const give = { params: named, body: { to: idOf(newOwner), reason: '' } };
      await app.admin.refused(409, 'transfer.changed', 'handOverTransfer', give);
    });
    await alice.expect(200, 'closeRequest', { params });
  });

  test('of a message is refused to its sender and to administrators', async () => {
    const message = { recipients: ['ben@harbour.example'], subject: 'Plans', message: 'x', send_email: false };
    const params = { id: (await sendMessage(alice, message)).id };
    const named = await searched(app.admin, params.id);
    await refusedWithoutTrace('update on messages', async () => {
      await app.admin.refused(422, 'transfer.stopped', 'stopTransfer', { params: named, body: { reason: '' } });
      await alice.refused(404, 'message.not_found', 'revokeMessage', { params });
    });
  });

  test('of an upload that begins under a name is refused after a few attempts', async () => {
    await refusedWithoutTrace('insert on uploads', async () => {
      const upload = { query: { filename: 'a.txt', chunks: '2', chunk: '0' }, bytes: 'abc' };
      await alice.refused(422, 'upload.conflict', 'uploadForLink', upload);
    });
  });

  test('of a user who was disabled during an upload stores nothing of it', async () => {
    const charge = await chargeOf(app, alice.email);
    const message = { recipients: ['ben@harbour.example'], subject: 'Late', message: 'x', send_email: false };
    await refusedWithoutTrace('update on users when new.stored_bytes > old.stored_bytes', async () => {
      const upload = { query: { filename: 'b.txt', chunks: '2', chunk: '0' }, bytes: 'abc' };
      await alice.refused(401, 'credentials.invalid', 'uploadForLink', upload);
      const body = { message: { ...message, attachments: [inlineFile('c.txt', 'abc')] } };
      await alice.refused(401, 'credentials.invalid', 'sendMessage', { body });
    });
    assert.deepEqual(await chargeOf(app, alice.email), charge);
  });

  test('of an upload that an administrator stops is not recorded as stopped', async () => {
    const upload = { query: { filename: 'd.txt', chunks: '2', chunk: '0' }, bytes: 'abc' };
    const id = (await alice.expect(200, 'uploadForLink', upload)).headers.get('upload-id')!;
    const params = { id: `upload.${id}` };
    await refusedWithoutTrace('update on uploads', () =>
      app.admin.refused(404, 'transfer.not_found', 'stopRunning', { params }),
    );
    await app.admin.expect(200, 'stopRunning', { params });
    await app.admin.refused(404, 'transfer.not_found', 'stopRunning', { params });
  });

  test('of a link that sets a password leaves the password unchanged', async () => {
    const { ctx } = app.app;
    const { url } = await ctx.db.write((tx) => issueLink(ctx, tx, 'reset', idOf(alice)));
    const given = {
      token: url.split('/').at(-1)!,
      kind: 'reset',
      password: 'nine boats on a dry lake',
      name: null,
    } as const;
    const hash = async () => (await findUser(ctx.db.read, idOf(alice)))!.passwordHash;
    const earlier = await hash();
    await refusedWithoutTrace('update on one_time_tokens', () =>
      assert.rejects(choosePassword(ctx, systemCaller, given), { code: 'token.used' }),
    );
    assert.deepEqual(await hash(), earlier);
    await choosePassword(ctx, systemCaller, given);
    assert.notDeepEqual(await hash(), earlier);
  });

  test('that creates what another request created under the same key is undone, and returns the answer of the first', async () => {
    const { ctx } = app.app;
    const caller = await ownCaller();
    const once = { key: 'overtaken', request: { is: 'the same' } };
    const make = (name: string) => async (tx: Tx) => {
      await updateUser(tx, idOf(alice), { name }, ctx.clock.now());
      return name;
    };
    const overtaken = await createOnce(ctx, caller, once, async () => {
      assert.equal(await createOnce(ctx, caller, once, async () => make('first')), 'first');
      return make('second');
    });
    assert.equal(overtaken, 'first');
    assert.equal((await findUser(ctx.db.read, idOf(alice)))!.name, 'first');
    assert.equal(await createOnce(ctx, caller, once, () => assert.fail('nothing is prepared for it')), 'first');
  });
});
