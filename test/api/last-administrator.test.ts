import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeGroup } from '#server/actions/groups/groups.ts';
import { callerOf } from '#server/actions/sessions/identities.ts';
import { startLeaving } from '#server/actions/users/leavers.ts';
import { changeUser } from '#server/actions/users/users.ts';
import type { Tx } from '#server/db/schema/schema.ts';
import { findUser, lockSystemAdministrators, updateUser } from '#server/db/users/users.ts';
import type { UserCaller } from '#server/domain/caller.ts';
import { onEachDatabase, type TestApp } from '#test/kit/app.ts';
import { type ApiClient, assertRefused } from '#test/kit/client.ts';
import { callDuringTransaction } from '#test/kit/during-transaction.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

onEachDatabase('the last System Administrator', (start, engine) => {
  const app = useApp(start);

  /** A caller as the service stores it after the request was authenticated. */
  async function letIn({ app: { ctx } }: TestApp, who: ApiClient): Promise<UserCaller> {
    return callerOf((await findUser(ctx.db.read, idOf(who)))!, { address: '127.0.0.1', agent: '', requestId: '' });
  }
  const switchOff = (by: ApiClient, who: ApiClient, disabled = true) =>
    by.expect(200, 'changeUser', { params: { id: idOf(who) }, body: { user: { disabled } } });
  const isLast = { kind: 'invalid', code: 'user.last_administrator' };

  if (engine.name.startsWith('PostgreSQL'))
    test('does not leave by a call of a person who is being disabled', async () => {
      const chief = await newPerson(app, 'chief', { group: 'system-administrators' });
      const first = async (tx: Tx) => {
        await lockSystemAdministrators(tx);
        await updateUser(tx, idOf(app.admin), { state: 'disabled' }, app.clock.now());
      };
      const body = { leave: { hand_over_to: null, reason: 'Gone' } };
      const leave = () => app.admin.call('leaveUser', { params: { id: idOf(chief) }, body });
      assertRefused(await callDuringTransaction(app, first, leave), 422, 'user.last_administrator');
      await chief.expect(200, 'listUsers');
      await switchOff(chief, app.admin, false);
      await switchOff(app.admin, chief);
    });

  test('is not disabled, moved or removed by a caller who is no longer one, while others are', async () => {
    const [deputy, other] = [
      await newPerson(app, 'deputy', { group: 'system-administrators' }),
      await newPerson(app, 'other', { group: 'system-administrators' }),
    ];
    const newOwner = await newPerson(app, 'new-owner');
    const root = await letIn(app, app.admin);
    await switchOff(deputy, app.admin);
    const { ctx } = app.app;
    await changeUser(ctx, root, idOf(other), { isDisabled: true });
    await assert.rejects(changeUser(ctx, root, idOf(deputy), { isDisabled: true }), isLast);
    await assert.rejects(changeUser(ctx, root, idOf(deputy), { groupId: 'local-users' }), isLast);
    const leaving = { email: deputy.email, to: newOwner.email, reason: '' };
    await assert.rejects(startLeaving(ctx, root, idOf(deputy), leaving), isLast);
    await changeUser(ctx, root, idOf(deputy), { name: 'Deputy' });
    await deputy.expect(200, 'listUsers');
    await switchOff(deputy, app.admin, false);
    await switchOff(app.admin, deputy);
  });

  test('is in a group that keeps its rights, while another group may lose them', async () => {
    const [chiefs, spare] = [
      await app.group('Chiefs', { is_sysadmin: true }),
      await app.group('Spare', { is_sysadmin: true }),
    ];
    const first = await newPerson(app, 'first', { group: chiefs });
    const root = await letIn(app, app.admin);
    await switchOff(first, app.admin);
    const { ctx } = app.app;
    const demoted = { rights: { role: 'user' }, policy: {} } as const;
    await changeGroup(ctx, root, spare, demoted);
    await assert.rejects(changeGroup(ctx, root, chiefs, demoted), isLast);
    await first.expect(200, 'listUsers');
    await switchOff(first, app.admin, false);
    await app.admin.expect(200, 'changeGroup', { params: { id: chiefs }, body: { group: { role: 'user' } } });
    await first.expect(403, 'listUsers');
  });
});
