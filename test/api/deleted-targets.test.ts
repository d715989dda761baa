import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { getAccount } from '#server/actions/account/account.ts';
import { chooseSender, getProfile } from '#server/actions/account/preferences.ts';
import { changeOwnPassword } from '#server/actions/account/security.ts';
import { showOwnKey } from '#server/actions/api-keys/own-api-keys.ts';
import { getAttachment } from '#server/actions/attachments/attachments.ts';
import { tryLinkPassword } from '#server/actions/file-links/passwords.ts';
import { extendRequest } from '#server/actions/file-requests/changes.ts';
import { getOwnFiledrop } from '#server/actions/filedrops/own-filedrop.ts';
import { noticeUrl, stopNotice } from '#server/actions/mail/notices.ts';
import { mailPageUrl, visitMailPage } from '#server/actions/mail/pages.ts';
import { findMessageAccess } from '#server/actions/messages/access.ts';
import { readPrivateMessage } from '#server/actions/messages/reading.ts';
import { deliverToRequest } from '#server/actions/submissions/deliveries.ts';
import { systemCaller, type UserCaller } from '#server/domain/caller.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { callerFor } from '#test/kit/callers.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { newLink } from '#test/kit/links.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

onOneEngine('An action on a target that was deleted after the request was checked', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const password = 'seven lamps under a quiet river';
  let alice: ApiClient;
  let caller: UserCaller;
  before(async () => {
    alice = await newPerson(app, 'alice', { password });
    caller = await callerFor(app, alice);
  });
  const unknownId = 'A'.repeat(22);

  test('does not describe, change or prove an account', async () => {
    const { ctx } = app.app;
    const gone = { ...caller, userId: 'unknown-example-com' };
    await assert.rejects(getAccount(ctx, gone), { kind: 'unauthenticated', code: 'credentials.invalid' });
    const missing = { kind: 'not_found', code: 'user.not_found' };
    await assert.rejects(getProfile(ctx, gone), missing);
    await assert.rejects(chooseSender(ctx, gone, alice.email), missing);
    await assert.rejects(
      changeOwnPassword(ctx, gone, { current: password, next: 'nine boats on a dry lake' }),
      missing,
    );
    await assert.rejects(getOwnFiledrop(ctx, gone), missing);
  });

  test('refuses a file, and a link that requires no password', async () => {
    const { ctx } = app.app;
    await assert.rejects(getAttachment(ctx, unknownId), { code: 'attachment.not_found' });
    const { id } = await newLink(alice);
    for (const linkId of [id, unknownId])
      await assert.rejects(tryLinkPassword(ctx, systemCaller, linkId, 'x'), { code: 'link.not_found' });
  });

  test('does not show the key of an account without a sealed copy, and records no event', async () => {
    const { db } = app.app.ctx;
    const { id } = await db.read
      .selectFrom('api_keys')
      .select('id')
      .where('user_id', '=', idOf(alice))
      .executeTakeFirstOrThrow();
    await db.write((tx) =>
      tx
        .updateTable('api_keys')
        .set({ sealed: Buffer.alloc(0) })
        .where('id', '=', id)
        .execute(),
    );
    await assert.rejects(showOwnKey(app.app.ctx, caller, id, password), { code: 'api_key.not_found' });
    await app.admin.refused(404, 'user.not_found', 'getApiKey', { query: { email: alice.email } });
    const events = await db.read.selectFrom('events').select('action').where('owner_id', '=', idOf(alice)).execute();
    assert.deepEqual(
      events.filter(({ action }) => /^api_key\.(shown|read)$/.test(action)),
      [],
    );
  });

  test('stops no mails for an unknown user or with the token of a mail that was never sent', async () => {
    const { ctx } = app.app;
    const token = noticeUrl(ctx, 'unknown-example-com', 'receipts').split('/').at(-1)!;
    await assert.rejects(stopNotice(ctx, systemCaller, 'receipts', token), { kind: 'not_found' });
    const page = mailPageUrl(ctx, unknownId).split('/').at(-1)!;
    await assert.rejects(visitMailPage(ctx, page, 'en'), { kind: 'not_found', code: 'mail.not_found' });
  });

  test('stores no files for an unknown request, and none for a closed one', async () => {
    const { ctx } = app.app;
    const files = { attachmentIds: [unknownId], note: '' };
    await assert.rejects(deliverToRequest(ctx, systemCaller, unknownId, files), { code: 'request.not_found' });
    const request = { recipient: 'ben@harbour.example', send_email: false };
    const { body } = await alice.expect(200, 'createFileRequest', { body: { request } });
    const { id } = (body as { request: { id: string } }).request;
    const noDay = { code: 'request.bad_date', field: 'expires_at' };
    await assert.rejects(extendRequest(ctx, caller, id, ''), noDay, 'a request ends some day');
    await alice.expect(200, 'closeRequest', { params: { id } });
    const closed = { kind: 'gone', code: 'request.closed', values: { state: 'closed' } };
    await assert.rejects(deliverToRequest(ctx, systemCaller, id, files), closed);
  });

  test('refuses to read a message to users without access, and one that is not private', async () => {
    const { ctx } = app.app;
    const plain = { recipients: [alice.email], subject: 'Open', message: 'x', send_email: false };
    const reader = { provenAddresses: [], account: { address: alice.email, recipientAliases: [], isLocal: true } };
    for (const [isPrivate, who] of [
      [false, 'reader'],
      [true, 'unknown'],
    ] as const) {
      const { id } = await sendMessage(app.admin, { ...plain, ...(isPrivate ? { private_message: true } : {}) });
      const identity = who === 'reader' ? reader : { provenAddresses: [], account: null };
      const access = (await findMessageAccess(ctx, id, identity, null))!;
      assert.equal(access.message.isPrivate, isPrivate);
      await assert.rejects(readPrivateMessage(ctx, caller, access), { code: 'message.not_found' });
    }
  });
});
