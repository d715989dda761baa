// What a statement says that ended of somebody who left, where groups differ in what they let people have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { z } from 'zod';
import type { leaveStatement } from '#contract/admin/statements.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';

type Ended = z.output<typeof leaveStatement>['findings']['ended'];
const password = 'grey otters under a paper moon';

onEachDatabase('what ends when somebody leaves', (start) => {
  const app = useApp(start);

  async function leave(who: ApiClient): Promise<Ended> {
    const body = { leave: { hand_over_to: null, reason: 'Last day' } };
    const reply = await app.admin.expect(200, 'leaveUser', { params: { id: idOf(who) }, body });
    return (reply.body as { statement: z.output<typeof leaveStatement> }).statement.findings.ended;
  }

  const drops = [
    { name: 'Both', filedrop_random: true, filedrop_email: true, hasDrop: true },
    { name: 'Random', filedrop_random: true, filedrop_email: false, hasDrop: true },
    { name: 'Email', filedrop_random: false, filedrop_email: true, hasDrop: true },
    { name: 'Neither', filedrop_random: false, filedrop_email: false, hasDrop: false },
  ];
  for (const { name, hasDrop, ...settings } of drops)
    testOnce(
      `${hasDrop ? 'counts' : 'does not count'} a drop page where the group has addresses: ${name}`,
      async () => {
        const group = await app.group(`Drop ${name}`, settings);
        const who = await newPerson(app, `drop-${name.toLowerCase()}`, { group });
        assert.equal((await leave(who)).drop_page, hasDrop);
      },
    );

  test('does not count a drop page that was closed, and one that ended stays closed for who comes back', async () => {
    const closed = await newPerson(app, 'closed');
    await closed.expect(200, 'changeAppDrop', { body: { is_open: false } });
    assert.equal((await leave(closed)).drop_page, false);
    const open = await newPerson(app, 'open', { password });
    assert.equal((await leave(open)).drop_page, true);
    await app.admin.expect(200, 'changeUser', { params: { id: idOf(open) }, body: { user: { disabled: false } } });
    const back = await signIn(app, open.email, password);
    const { body } = await back.expect(200, 'getAppDrop');
    assert.equal((body as { drop: { is_open: boolean } }).drop.is_open, false);
  });
});
