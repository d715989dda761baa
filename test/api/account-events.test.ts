import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeProfile, chooseSender } from '#server/actions/account/preferences.ts';
import { endOtherSessions, endOwnSession, listSessionsIn } from '#server/actions/account/security.ts';
import { createOwnKey, deleteOwnKey, replaceOwnKey } from '#server/actions/api-keys/own-api-keys.ts';
import { extendRequest } from '#server/actions/file-requests/changes.ts';
import { noticeUrl, stopNotice } from '#server/actions/mail/notices.ts';
import { signInWithPassword } from '#server/actions/sessions/sessions.ts';
import { findApiKeyOf } from '#server/db/api-keys/api-keys.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { callerFor } from '#test/kit/callers.ts';
import { eventsLeftBy } from '#test/kit/recorded.ts';
import { idOf } from '#test/kit/shared-files.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const password = 'quiet lanterns over harbours 7';

onOneEngine('An event of an account is recorded for', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const alice = usePerson(app, 'alice', { password });
  /** Names and facts of the events; all are by alice, about her own account. */
  async function leftBy(work: () => Promise<unknown>): Promise<[string, Record<string, unknown>][]> {
    const events = await eventsLeftBy(app, work);
    for (const { actor, owner } of events) assert.deepEqual([actor, owner], [idOf(alice), idOf(alice)]);
    return events.map(({ action, facts }) => [action, facts]);
  }

  test('a changed profile, with the names of the changed fields', async () => {
    const { ctx } = app.app;
    const caller = await callerFor(app, alice);
    assert.deepEqual(await leftBy(() => changeProfile(ctx, caller, { name: 'Alice', theme: 'dark' })), [
      ['profile.changed', { fields: ['name', 'theme'] }],
    ]);
    assert.deepEqual(await leftBy(() => chooseSender(ctx, caller, alice.email)), [
      ['profile.changed', { fields: ['defaultSenderAlias'], address: alice.email }],
    ]);
  });

  test('ended sessions, with their number, and not for none', async () => {
    const { ctx } = app.app;
    const caller = await callerFor(app, alice);
    assert.deepEqual(await leftBy(() => endOtherSessions(ctx, caller)), []);
    for (let sessions = 0; sessions < 2; sessions++)
      await signInWithPassword(ctx, systemCaller, { login: alice.email, password, keep: false });
    const [first] = await listSessionsIn(ctx, caller.userId, null);
    assert.deepEqual(await leftBy(() => endOwnSession(ctx, caller, first!.id)), [['session.ended', { sessions: 1 }]]);
    await signInWithPassword(ctx, systemCaller, { login: alice.email, password, keep: false });
    assert.deepEqual(await leftBy(() => endOtherSessions(ctx, caller)), [['session.ended', { sessions: 2 }]]);
  });

  test('mails that were switched off with the link in one of them, once', async () => {
    const { ctx } = app.app;
    const stop = () => {
      const token = noticeUrl(ctx, idOf(alice), 'receipts').split('/').at(-1)!;
      return eventsLeftBy(app, () => stopNotice(ctx, systemCaller, 'receipts', token));
    };
    const [event, ...more] = await stop();
    assert.deepEqual(
      [event!.action, event!.object, event!.owner],
      ['profile.changed', `user ${idOf(alice)}`, idOf(alice)],
    );
    assert.deepEqual([more, await stop()], [[], []]);
  });

  test('an extended request, with the former day', async () => {
    const { ctx } = app.app;
    const caller = await callerFor(app, alice);
    const request = { recipient: 'ben@harbour.example', send_email: false, expires_at: '2026-11-20' };
    const { body } = await alice.expect(200, 'createFileRequest', { body: { request } });
    const { id } = (body as { request: { id: string } }).request;
    assert.deepEqual(await leftBy(() => extendRequest(ctx, caller, id, '2026-11-21')), [
      ['request.extended', { from: '2026-11-20', expires: '2026-11-21' }],
    ]);
  });

  test('a key that was ended', async () => {
    const { ctx } = app.app;
    const caller = await callerFor(app, alice);
    const { id } = await createOwnKey(ctx, caller, { name: 'backup', expiresOn: undefined });
    assert.deepEqual(await leftBy(() => deleteOwnKey(ctx, caller, id)), [['api_key.revoked', {}]]);
  });

  test('a key that was replaced, and that the old one ended immediately', async () => {
    const { ctx } = app.app;
    const caller = await callerFor(app, alice);
    for (const endsNow of [false, true]) {
      const { id } = (await findApiKeyOf(ctx.db.read, caller.userId))!;
      const left = await leftBy(() => replaceOwnKey(ctx, caller, id, { endsNow, password }));
      const replaced = ['api_key.replaced', { old: id, ended_now: endsNow }];
      assert.deepEqual(left, endsNow ? [['api_key.revoked', {}], replaced] : [replaced]);
    }
  });
});
