// Only events that no other test names.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { changeOwnPassword } from '#server/actions/account/security.ts';
import { disableTotp } from '#server/actions/account/totp.ts';
import { showOwnKey } from '#server/actions/api-keys/own-api-keys.ts';
import { requestCode } from '#server/actions/codes/codes.ts';
import { rotateKey } from '#server/actions/evidence/keys.ts';
import { resetFiledrop, switchFiledrop } from '#server/actions/filedrops/own-filedrop.ts';
import { moveGroup } from '#server/actions/groups/order.ts';
import { changeMailTemplate } from '#server/actions/mail/templates.ts';
import { allowMoreDownloads } from '#server/actions/messages/changes.ts';
import { changeConsoleNetworks } from '#server/actions/security/networks.ts';
import { callerOf } from '#server/actions/sessions/identities.ts';
import { choosePassword, requestReset } from '#server/actions/sessions/one-time-links.ts';
import { createRecoveryLink } from '#server/actions/sessions/operator-links.ts';
import { checkFile } from '#server/actions/storage/checking.ts';
import { runNextStep } from '#server/actions/tasks/steps.ts';
import { getTask, startTask, stopTask } from '#server/actions/tasks/tasks.ts';
import { startLeaving } from '#server/actions/users/leavers.ts';
import { findApiKeyOf } from '#server/db/api-keys/api-keys.ts';
import { saveTotpSecret } from '#server/db/users/totp.ts';
import { findUserByEmail } from '#server/db/users/users.ts';
import { systemCaller, type UserCaller } from '#server/domain/caller.ts';
import type { Policy } from '#server/domain/policy.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { eventsLeftBy } from '#test/kit/recorded.ts';
import { searched } from '#test/kit/references.ts';
import { idOf, newPerson, share } from '#test/kit/shared-files.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const password = 'quiet lanterns over harbours 7';
const nextPassword = 'louder engines under bridges 9';

onOneEngine('An event is recorded for', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const alice = usePerson(app, 'alice', { password });
  let root: UserCaller;
  before(async () => {
    root = await callerFor('root@example.com');
  });

  async function callerFor(email: string, policy: Partial<Policy> = {}): Promise<UserCaller> {
    const caller = callerOf((await findUserByEmail(app.app.ctx.db.read, email))!, systemCaller.from);
    return { ...caller, policy: { ...caller.policy, ...policy } };
  }
  const leftBy = (work: () => Promise<unknown>) => eventsLeftBy(app, work);
  const actionsOf = async (work: () => Promise<unknown>) => (await leftBy(work)).map(({ action }) => action);

  test('the key of an account shown to a user with its password', async () => {
    const { ctx } = app.app;
    const caller = await callerFor(alice.email);
    const { id } = (await findApiKeyOf(ctx.db.read, caller.userId))!;
    const shown = await leftBy(() => showOwnKey(ctx, caller, id, password));
    assert.deepEqual(
      shown.map(({ action, actor }) => [action, actor]),
      [['api_key.shown', caller.userId]],
    );
  });

  test('a drop page opened, closed and given another address', async () => {
    const { ctx } = app.app;
    const caller = await callerFor(alice.email, { filedrop_random: true });
    const events = await leftBy(async () => {
      await switchFiledrop(ctx, caller, false);
      await switchFiledrop(ctx, caller, true);
      await resetFiledrop(ctx, caller);
    });
    const about = { actor: idOf(alice), object: `user ${idOf(alice)}`, owner: idOf(alice), facts: {} };
    assert.deepEqual(events, [
      { action: 'filedrop.closed', ...about },
      { action: 'filedrop.opened', ...about },
      { action: 'filedrop.reset', ...about },
    ]);
  });

  test('a password changed, requested and chosen anew, and signing in', async () => {
    const { ctx } = app.app;
    const caller = await callerFor(alice.email);
    const about = { object: `user ${caller.userId}`, owner: caller.userId };
    const [changed] = await leftBy(() => changeOwnPassword(ctx, caller, { current: password, next: nextPassword }));
    assert.deepEqual(changed, {
      action: 'password.changed',
      actor: caller.userId,
      ...about,
      facts: { way: 'account', sessions_ended: 0 },
    });
    assert.deepEqual(await leftBy(() => requestReset(ctx, systemCaller, alice.email)), [
      { action: 'password.reset_asked', actor: '', ...about, facts: {} },
    ]);
    assert.deepEqual(await actionsOf(() => requestReset(ctx, systemCaller, 'unknown@example.com')), []);
    let url = '';
    const asked = await leftBy(async () => {
      url = await createRecoveryLink(ctx, alice.email, { withoutSecondStep: false });
    });
    assert.deepEqual(asked, [{ action: 'password.reset_asked', actor: '', ...about, facts: {} }]);
    const token = url.split('/').at(-1)!;
    const [chosen] = await leftBy(() =>
      choosePassword(ctx, systemCaller, { token, kind: 'reset', password, name: null }),
    );
    assert.deepEqual([chosen!.action, chosen!.object], ['password.changed', about.object]);
    assert.deepEqual(await leftBy(() => signIn(app, alice.email, password)), [
      { action: 'user.signed_in', actor: '', ...about, facts: {} },
    ]);
  });

  test('an authenticator app switched off, and not where there was none', async () => {
    const { ctx } = app.app;
    const caller = await callerFor(alice.email, { require_second_factor: 'offered' });
    assert.deepEqual(await actionsOf(() => disableTotp(ctx, caller)), []);
    await ctx.db.write((tx) => saveTotpSecret(tx, caller.userId, { secret: Buffer.alloc(20, 1), step: 1 }));
    const about = { actor: caller.userId, object: `user ${caller.userId}`, owner: caller.userId, facts: {} };
    assert.deepEqual(await leftBy(() => disableTotp(ctx, caller)), [{ action: 'totp.switched_off', ...about }]);
  });

  test('an authenticator app removed by the operator, only on request and if there is one', async () => {
    const { ctx } = app.app;
    const caller = await callerFor(alice.email);
    const letIn = (withoutSecondStep: boolean) => createRecoveryLink(ctx, alice.email, { withoutSecondStep });
    const stateOf = async () => (await findUserByEmail(ctx.db.read, alice.email))!.totpState;
    const noticesOf = () =>
      ctx.db.read.selectFrom('outbox').select('id').where('recipient', '=', alice.email).execute();
    assert.deepEqual(await actionsOf(() => letIn(true)), ['password.reset_asked'], 'there is none');
    const sessions = ctx.db.read.selectFrom('sessions').selectAll().where('user_id', '=', caller.userId);
    await signIn(app, alice.email, password);
    await ctx.db.write((tx) => saveTotpSecret(tx, caller.userId, { secret: Buffer.alloc(20, 1), step: 1 }));
    assert.deepEqual(await actionsOf(() => letIn(false)), ['password.reset_asked']);
    assert.notEqual(await stateOf(), 'off');
    assert.notDeepEqual(await sessions.execute(), []);
    const before = await noticesOf();
    const removed = (await leftBy(() => letIn(true))).filter(({ action }) => action === 'totp.removed');
    const about = { actor: '', object: `user ${caller.userId}`, owner: caller.userId };
    assert.deepEqual(removed, [{ action: 'totp.removed', ...about, facts: { reason: 'operator' } }]);
    assert.equal(await stateOf(), 'off');
    assert.equal((await noticesOf()).length, before.length + 1, 'and they get a notice');
    assert.deepEqual(await sessions.execute(), [], 'all sessions have ended');
    const carl = await newPerson(app, 'carl');
    await ctx.db.write((tx) =>
      tx.updateTable('users').set({ state: 'disabled' }).where('id', '=', idOf(carl)).execute(),
    );
    const refused = createRecoveryLink(ctx, carl.email, { withoutSecondStep: false });
    await assert.rejects(refused, { code: 'user.not_active' });
  });

  test('a link created, a recipient added, more downloads allowed, a code sent', async () => {
    const { ctx } = app.app;
    let linkId = '';
    const made = await leftBy(async () => {
      ({ linkId } = await share(alice, { bytes: 'a link' }));
    });
    assert.deepEqual(
      made.filter(({ action }) => action === 'link.created').map(({ object, owner }) => [object, owner]),
      [[`link ${linkId}`, idOf(alice)]],
    );
    const { id } = await sendMessage(alice, {
      recipients: ['ben@harbour.example'],
      message_authorization: 1,
      expires_after: 1,
    });
    const added = await leftBy(() =>
      alice.expect(200, 'addRecipients', {
        params: { id },
        body: { recipients: ['cleo@harbour.example'], send_email: false },
      }),
    );
    assert.deepEqual(added, [
      {
        action: 'message.recipient_added',
        actor: idOf(alice),
        object: `message ${id}`,
        owner: idOf(alice),
        facts: { recipient: 'cleo@harbour.example', role: 'to', mailed: false },
      },
    ]);
    const corrected = await leftBy(() =>
      alice.expect(200, 'correctRecipient', {
        params: { id, address: 'cleo@harbour.example' },
        body: { address: 'clea@harbour.example' },
      }),
    );
    assert.deepEqual(
      corrected.map(({ action, object, facts }) => [action, object, facts]),
      [
        [
          'message.recipient_corrected',
          `message ${id}`,
          { recipient: 'cleo@harbour.example', to: 'clea@harbour.example', mailed: false },
        ],
      ],
    );
    const caller = await callerFor(alice.email);
    const allowed = await leftBy(() => allowMoreDownloads(ctx, caller, id, { limit: 5, address: undefined }));
    assert.deepEqual(
      allowed.map(({ action, object, facts }) => [action, object, facts]),
      [['message.downloads_allowed', `message ${id}`, { limit: 5 }]],
    );
    const sent = await leftBy(() =>
      requestCode(ctx, systemCaller, { target: `message:${id}`, address: 'ben@harbour.example', nonce: 'n' }),
    );
    assert.deepEqual(
      sent.map(({ action, owner, facts }) => [action, owner, facts]),
      [['code.sent', idOf(alice), { target: `message:${id}`, recipient: 'ben@harbour.example' }]],
    );
  });

  test('a message withdrawn, by a program or in the app, whose waiting mails are no longer sent', async () => {
    for (const call of ['deleteMessageAttachments', 'revokeMessage'] as const) {
      const message = { recipients: ['ben@harbour.example'], send_email: true, bcc_myself: false };
      const { id } = await sendMessage(alice, message);
      const ended = await leftBy(() => alice.expect(200, call, { params: { id } }));
      const about = { actor: idOf(alice), object: `message ${id}`, owner: idOf(alice), facts: {} };
      assert.deepEqual(ended, [{ action: 'message.revoked', ...about }], call);
      const mails = app.app.ctx.db.read.selectFrom('outbox').select('state').where('message_id', '=', id);
      assert.deepEqual(await mails.execute(), [{ state: 'cancelled' }], call);
    }
  });

  test('what an administrator stops, whose waiting mails are no longer sent', async () => {
    const { id } = await sendMessage(alice, { recipients: ['ben@harbour.example'], send_email: true });
    const body = { request: { recipient: 'ben@harbour.example', send_email: true } };
    const asked = (await alice.expect(200, 'createFileRequest', { body })).body as { request: { id: string } };
    const waiting = async () => {
      const mails = app.app.ctx.db.read.selectFrom('outbox').select('id').where('state', '<>', 'cancelled');
      const about = mails.where((eb) => eb.or([eb('message_id', '=', id), eb('request_id', '=', asked.request.id)]));
      return (await about.where('recipient', '=', 'ben@harbour.example').execute()).length;
    };
    assert.equal(await waiting(), 2);
    const params = { message: await searched(app.admin, id), request: await searched(app.admin, asked.request.id) };
    const stop = (transfer: 'message' | 'request') =>
      app.admin.expect(200, 'stopTransfer', { params: params[transfer], body: {} });
    assert.deepEqual(await actionsOf(() => stop('message')), ['message.revoked']);
    assert.equal(await waiting(), 1);
    assert.deepEqual(await actionsOf(() => stop('request')), ['request.closed']);
    assert.equal(await waiting(), 0);
  });

  test('a damaged file that is intact again', async () => {
    const { ctx } = app.app;
    const { id } = await alice.upload('a.txt', 'whole');
    await ctx.db.write((tx) => tx.updateTable('attachments').set({ state: 'damaged' }).where('id', '=', id).execute());
    assert.deepEqual(await leftBy(() => checkFile(ctx, systemCaller, id)), [
      { action: 'attachment.mended', actor: '', object: `attachment ${id}`, owner: idOf(alice), facts: {} },
    ]);
    assert.deepEqual(await actionsOf(() => checkFile(ctx, systemCaller, id)), []);
  });

  test('a group moved, networks of the console set, texts of a mail changed, the key of the log replaced', async () => {
    const { ctx } = app.app;
    const first = await app.group('First');
    await app.group('Second');
    const groups = await ctx.db.read.selectFrom('groups').select('id').orderBy('position').execute();
    const from = groups.findIndex(({ id }) => id === first) + 1;
    assert.deepEqual(await leftBy(() => moveGroup(ctx, root, first, 1)), [
      { action: 'group.moved', actor: root.userId, object: `group ${first}`, owner: '', facts: { from, to: 1 } },
    ]);
    assert.deepEqual(await actionsOf(() => moveGroup(ctx, root, first, 1)), [], 'the file is intact already');
    assert.deepEqual(await actionsOf(() => changeConsoleNetworks(ctx, root, [])), ['security.changed']);
    assert.deepEqual(await actionsOf(() => changeMailTemplate(ctx, root, 'message', { subject: 'Files for you' })), [
      'mail_template.changed',
    ]);
    const rotated = await leftBy(() => rotateKey(ctx, root));
    assert.deepEqual(
      rotated.map(({ action, actor, object }) => [action, actor, object]),
      [['evidence.key_rotated', root.userId, 'system evidence']],
    );
  });

  test('a task started, stopped and finished', async () => {
    const { ctx } = app.app;
    const task = { kind: 'delete_expired', input: {}, total: 3, about: {} } as const;
    let id = '';
    const started = await leftBy(async () => {
      ({ id } = await startTask(ctx, root, task));
    });
    const about = { object: `task ${id}`, owner: '' };
    const facts = { kind: 'delete_expired', total: 3, done: 0, failed: 0 };
    assert.deepEqual(started, [
      { action: 'task.started', actor: root.userId, ...about, facts: { kind: 'delete_expired', total: 3 } },
    ]);
    assert.deepEqual(await leftBy(() => stopTask(ctx, root, id)), [
      { action: 'task.stopped', actor: root.userId, ...about, facts },
    ]);
    const stopped = await getTask(ctx, root, id);
    assert.deepEqual(await leftBy(() => runNextStep(ctx, stopped)), [
      { action: 'task.finished', actor: '', ...about, facts },
    ]);
    const other = await startTask(ctx, root, task);
    assert.deepEqual(await actionsOf(() => runNextStep(ctx, other)), ['task.finished']);
  });

  test('a user disabled before their items are handed over', async () => {
    const { ctx } = app.app;
    const [leaver, newOwner] = [await newPerson(app, 'leah'), await newPerson(app, 'henry')];
    const leaving = { email: leaver.email, to: newOwner.email, reason: 'has left' };
    const [switchedOff, started] = await leftBy(() => startLeaving(ctx, root, idOf(leaver), leaving));
    const { group, ...facts } = switchedOff!.facts;
    assert.equal(typeof group, 'string');
    assert.deepEqual(
      { ...switchedOff, facts },
      {
        action: 'user.changed',
        actor: root.userId,
        object: `user ${idOf(leaver)}`,
        owner: idOf(leaver),
        facts: { changed: ['isDisabled'], changes: { disabled: { from: false, to: true } }, reason: 'has left' },
      },
    );
    assert.equal(started!.action, 'task.started');
  });

  test('a job run on request, and the connection tested', async () => {
    assert.deepEqual(
      await actionsOf(() => app.admin.expect(200, 'runJob', { params: { name: 'tidy' }, body: { run: {} } })),
      ['job.run'],
    );
    assert.deepEqual(await actionsOf(() => app.admin.expect(200, 'testConnection', { body: {} })), [
      'system.connection_tested',
    ]);
  });

  test('items that have expired, once', async () => {
    const { linkId } = await share(alice, { bytes: 'x' });
    const { id } = await sendMessage(alice, { recipients: ['ben@harbour.example'], subject: 'x' });
    app.clock.advance(400 * 86_400_000);
    const about = (object: string) => ({ actor: '', object, owner: idOf(alice), facts: {} });
    const expired = (await leftBy(() => app.app.jobs.runOnce('expire'))).filter(({ object }) =>
      [`link ${linkId}`, `message ${id}`].includes(object),
    );
    assert.deepEqual(expired, [
      { action: 'link.expired', ...about(`link ${linkId}`) },
      { action: 'message.expired', ...about(`message ${id}`) },
    ]);
    assert.deepEqual(await leftBy(() => app.app.jobs.runOnce('expire')), []);
  });
});
