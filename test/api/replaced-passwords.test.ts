// Hashing takes a while, so the password can be replaced or the account disabled while the old one is being checked.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { passSecondStep, signInWithPassword } from '#server/actions/sessions/sessions.ts';
import { deleteSessionsOf } from '#server/db/sessions/sessions.ts';
import { saveTotpSecret } from '#server/db/users/totp.ts';
import { updateUser } from '#server/db/users/users.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { Problem } from '#server/domain/problem.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';

const oldPassword = 'seven lamps under a quiet river';
const newPassword = 'nine bridges over a loud canal';

onEachDatabase('a password that is replaced while it is checked', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });

  const change = (person: ApiClient, user: Record<string, unknown>) =>
    app.admin.expect(200, 'changeUser', { params: { id: idOf(person) }, body: { user } });
  const enter = (person: ApiClient, password: string) =>
    signInWithPassword(app.app.ctx, systemCaller, { login: person.email, password, keep: false });
  const countSessions = async (person: ApiClient) => {
    const { read } = app.app.ctx.db;
    return (await read.selectFrom('sessions').select('state').where('user_id', '=', idOf(person)).execute()).length;
  };
  const isWrong = (error: unknown) => error instanceof Problem && error.code === 'login.wrong';
  /** Runs `action` once, right after the next password was found to be right. */
  const afterCheck = (context: TestContext, action: () => Promise<unknown>, found: { needsRehash?: boolean } = {}) => {
    const { passwords } = app.app.ctx.keys;
    const verify = passwords.verifyPassword.bind(passwords);
    let calls = 0;
    context.mock.method(passwords, 'verifyPassword', async (...args: Parameters<typeof verify>) => {
      const isFirst = calls++ === 0;
      const result = await verify(...args);
      if (!isFirst) return result;
      await action();
      return { ...result, ...found };
    });
  };

  test('opens no session and gets no key', async (context) => {
    const ann = await newPerson(app, 'ann', { password: oldPassword });
    afterCheck(context, () => change(ann, { password: newPassword }));
    await assert.rejects(enter(ann, oldPassword), isWrong);
    assert.equal(await countSessions(ann), 0);
    context.mock.restoreAll();
    afterCheck(context, () => change(ann, { password: oldPassword }));
    await app.anonymous.refused(401, 'login.wrong', 'login', {
      body: { user: { email: ann.email, password: newPassword } },
    });
  });

  test('opens no session of an account that was disabled, also once it is enabled again', async (context) => {
    const ben = await newPerson(app, 'ben', { password: oldPassword });
    afterCheck(context, () => change(ben, { disabled: true }));
    await assert.rejects(enter(ben, oldPassword), isWrong);
    await change(ben, { disabled: false });
    assert.equal(await countSessions(ben), 0);
  });

  test('is not restored when its hash was to be strengthened', async (context) => {
    const cleo = await newPerson(app, 'cleo', { password: oldPassword });
    afterCheck(context, () => change(cleo, { password: newPassword }), { needsRehash: true });
    await assert.rejects(enter(cleo, oldPassword), isWrong);
    context.mock.restoreAll();
    await assert.rejects(enter(cleo, oldPassword), isWrong);
    await enter(cleo, newPassword);
  });

  test('is still right when only its hash was strengthened by another sign-in', async (context) => {
    const dora = await newPerson(app, 'dora', { password: oldPassword });
    afterCheck(context, async () => {
      const passwordHash = await app.app.ctx.keys.passwords.hashPassword(oldPassword, '');
      await app.app.ctx.db.write((tx) => updateUser(tx, idOf(dora), { passwordHash }, app.clock.now()));
    });
    await enter(dora, oldPassword);
    assert.equal(await countSessions(dora), 1);
  });

  test('is not replaced by its owner once another user has replaced it', async (context) => {
    await newPerson(app, 'emil', { password: oldPassword });
    const emil = await signIn(app, 'emil@example.com', oldPassword);
    afterCheck(context, () =>
      app.admin.expect(200, 'changeUser', { params: { id: emil.email }, body: { user: { password: newPassword } } }),
    );
    const body = { current: oldPassword, new: 'a third one of forty paper boats' };
    await emil.refused(422, 'password.wrong', 'changePassword', { body });
    context.mock.restoreAll();
    await signIn(app, emil.email, newPassword);
  });

  test('is not completed by the code of the second step', async () => {
    const faye = await newPerson(app, 'faye', { password: oldPassword });
    const { ctx } = app.app;
    const secret = new Secret({ size: 20 });
    await ctx.db.write((tx) => saveTotpSecret(tx, idOf(faye), { secret: Buffer.from(secret.bytes), step: 1 }));
    const { token: pendingToken } = await enter(faye, oldPassword);
    // After the pending session was read, and before the new one is written.
    let ended: Promise<unknown> | undefined;
    const write: typeof ctx.db.write = async (work) => {
      ended ??= ctx.db.write((tx) => deleteSessionsOf(tx, idOf(faye)));
      await ended;
      return ctx.db.write(work);
    };
    const overtaken = { ...ctx, db: Object.assign(Object.create(ctx.db) as typeof ctx.db, { write }) };
    const code = new TOTP({ secret }).generate({ timestamp: app.clock.now() });
    await assert.rejects(
      passSecondStep(overtaken, systemCaller, { pendingToken, code, keep: false }),
      (error: unknown) => error instanceof Problem && error.code === 'session.not_found',
    );
    assert.equal(await countSessions(faye), 0);
  });
});
