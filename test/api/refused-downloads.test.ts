import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReceivedTicket } from '#server/actions/received/received.ts';
import { choosePassword } from '#server/actions/sessions/one-time-links.ts';
import { createRecoveryLink } from '#server/actions/sessions/operator-links.ts';
import { findUserByEmail } from '#server/db/users/users.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { callerFor } from '#test/kit/callers.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { rawRequest } from '#test/kit/raw-requests.ts';
import { share } from '#test/kit/shared-files.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const dayMs = 86_400_000;

onOneEngine('A refusal', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const alice = usePerson(app, 'alice');
  const ben = usePerson(app, 'ben');
  const setState = (id: string, state: 'sealing' | 'ready' | 'erased') =>
    app.app.ctx.db.write((tx) =>
      tx
        .updateTable('attachments')
        .set({ state, ...(state === 'sealing' ? { sha256: '', checksums_sealed: null } : {}) })
        .where('id', '=', id)
        .execute(),
    );

  test('of a download at a link gives a program status and code', async () => {
    const press = async (id: string) => {
      const { status, headers, text } = await rawRequest(`${app.url}/link/${id}/download`, { method: 'POST' });
      const refusal = status === 303 ? 'given' : /"code":"([^"]+)"/.exec(text)?.[1];
      return [status, refusal, headers['retry-after']];
    };
    const tomorrow = new Date(app.clock.now() + dayMs).toISOString().slice(0, 10);
    const { linkId, attachmentId } = await share(alice, { bytes: 'open to all', link: { expires_at: tomorrow } });
    assert.deepEqual(await press(linkId), [303, 'given', undefined]);
    await setState(attachmentId, 'sealing');
    assert.deepEqual(await press(linkId), [503, 'link.not_ready', '60']);
    await setState(attachmentId, 'ready');
    const guarded = await share(alice, { bytes: 'with a word', link: { password: 'a quiet harbour' } });
    assert.deepEqual(await press(guarded.linkId), [403, 'link.needs_password', undefined]);
    assert.deepEqual(await press('Nothing1Here2At3All456'), [404, 'link.not_found', undefined]);
    app.clock.advance(3 * dayMs);
    assert.deepEqual(await press(linkId), [410, 'link.ended', undefined]);
  });

  test('of a download in the app says that the file is being checked, deleted or unknown', async () => {
    const { ctx } = app.app;
    const { id } = await sendMessage(alice, {
      recipients: [ben.email],
      attachments: [inlineFile('a.txt', 'a'), inlineFile('b.txt', 'b')],
    });
    const files = await ctx.db.read
      .selectFrom('message_attachments')
      .select('attachment_id as id')
      .where('message_id', '=', id)
      .orderBy('position')
      .execute();
    const caller = await callerFor(app, ben);
    const newTicket = (file: string) => createReceivedTicket(ctx, caller, id, file);
    assert.equal((await newTicket('all')).fileName.split('.').at(-1), 'zip');
    await setState(files[0]!.id, 'sealing');
    await assert.rejects(newTicket(files[0]!.id), { kind: 'conflict', code: 'download.not_ready' });
    assert.equal((await newTicket('all')).fileName, 'b.txt', 'all of one file is that file');
    await setState(files[1]!.id, 'erased');
    await assert.rejects(newTicket(files[1]!.id), { kind: 'gone', code: 'download.gone' });
    await assert.rejects(newTicket('all'), { code: 'download.not_ready' }, 'with the refusal of the first file');
    await assert.rejects(newTicket('never'), { kind: 'not_found', code: 'file.not_found' });
  });

  test('of a ticket says that its file is deleted, or that it was never issued', async () => {
    const { linkId, attachmentId } = await share(alice, { bytes: 'soon gone' });
    const pressed = await rawRequest(`${app.url}/link/${linkId}/download`, { method: 'POST' });
    const fetchAt = async (path: string) => {
      const { status, text } = await rawRequest(`${app.url}${path}`, { headers: { accept: 'application/json' } });
      return [status, /"code":"([^"]+)"/.exec(text)?.[1]];
    };
    await setState(attachmentId, 'erased');
    assert.deepEqual(await fetchAt(pressed.headers.location!), [410, 'link.ended']);
    assert.deepEqual(await fetchAt(`/dl/${'A'.repeat(43)}/x`), [404, 'download.not_found']);
  });

  test('of a link for choosing a password is given at its second use, and for another kind', async () => {
    const { ctx } = app.app;
    const token = (await createRecoveryLink(ctx, ben.email, { withoutSecondStep: false })).split('/').at(-1)!;
    const choose = (password: string, kind: 'reset' | 'invitation' = 'reset') =>
      choosePassword(ctx, systemCaller, { token, kind, password, name: null });
    const hashOf = async () => (await findUserByEmail(ctx.db.read, ben.email))!.passwordHash;
    const before = await hashOf();
    await assert.rejects(choose('harbours before lanterns 1', 'invitation'), { code: 'token.used' });
    assert.equal(await hashOf(), before);
    await choose('harbours before lanterns 2');
    const chosen = await hashOf();
    assert.notEqual(chosen, before);
    await assert.rejects(choose('harbours before lanterns 3'), { code: 'token.used' });
    assert.equal(await hashOf(), chosen);
  });
});
