import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { z } from 'zod';
import type { leaveStatement } from '#contract/admin/statements.ts';
import { requestReset } from '#server/actions/sessions/one-time-links.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { newNetwork } from '#test/kit/distant-browser.ts';
import { browserProving, inlineFile, sendMessage } from '#test/kit/messages.ts';
import { referenceOf } from '#test/kit/references.ts';
import { idOf, newPerson, share } from '#test/kit/shared-files.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';

type Statement = z.input<typeof leaveStatement>;
type Ended = Statement['findings']['ended'];
const password = 'grey otters under a paper moon';

onEachDatabase('access that ends when a person leaves', (start) => {
  const app = useApp(start);

  async function stateLeave(who: ApiClient): Promise<Statement> {
    const body = { leave: { hand_over_to: null, reason: 'Last day' } };
    const reply = await app.admin.expect(200, 'leaveUser', { params: { id: idOf(who) }, body });
    return (reply.body as { statement: Statement }).statement;
  }
  const leave = async (who: ApiClient): Promise<Ended> => (await stateLeave(who)).findings.ended;

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

  test('is complete for a person who came back, also when they were suspended before they left again', async () => {
    const eve = await newPerson(app, 'eve', { password });
    const suspend = (disabled: boolean) =>
      app.admin.expect(200, 'changeUser', { params: { id: idOf(eve) }, body: { user: { disabled } } });
    const first = await stateLeave(eve);
    await suspend(true);
    assert.equal((await stateLeave(eve)).id, first.id, 'a disabled person had not come back');
    await suspend(false);
    const { linkId } = await share(await signIn(app, eve.email, password));
    await suspend(true);
    const second = await stateLeave(eve);
    assert.notEqual(second.id, first.id);
    assert.deepEqual(
      second.findings.stopped.transfers.map(({ id }) => id),
      [(await referenceOf(app, linkId)).reference],
    );
    assert.equal((await stateLeave(eve)).id, second.id, 'the same call again');
  });

  test('includes what a key could reach that had expired before its owner left', async () => {
    const kay = await newPerson(app, 'kay');
    await sendMessage(kay, { recipients: ['ben@harbour.example'], attachments: [inlineFile('plan.txt', 'the plan')] });
    const { db } = app.app.ctx;
    const keys = db.read.selectFrom('api_keys').select('id').where('user_id', '=', idOf(kay));
    const { id } = await keys.executeTakeFirstOrThrow();
    const endsAt = app.clock.now() + 1000;
    await db.write((tx) => tx.updateTable('api_keys').set({ expires_at: endsAt }).where('id', '=', id).execute());
    app.clock.advance(2000);
    assert.equal((await leave(kay)).api_keys, 0);
    const exposure = { api_key: id, from: '2026-11-01', to: '2026-12-31' };
    const { body } = await app.admin.expect(200, 'stateExposure', { body: { exposure } });
    const { findings } = (
      body as { statement: { findings: { reachable: { files: number }; closed: { api_key: string } } } }
    ).statement;
    assert.deepEqual([findings.reachable.files, findings.closed.api_key], [1, 'ended']);
  });

  test('excludes a closed drop page, and one that ended stays closed for a person who comes back', async () => {
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

  test('includes what still worked, to the millisecond, and the rest ends with it', async () => {
    const { ctx } = app.app;
    const tables = ['api_keys', 'sessions', 'one_time_tokens', 'proofs', 'drop_keys'] as const;
    /** A person with one item of each kind, all of which end at this instant. */
    const personWithAll = async (name: string, endsAt: number) => {
      const who = await newPerson(app, name, { password });
      await signIn(app, who.email, password);
      await requestReset(ctx, { ...systemCaller, from: { ...systemCaller.from, address: newNetwork() } }, who.email);
      await browserProving(app, who.email);
      const { body } = await who.expect(200, 'getAccount');
      const params = { name: (body as { user: { filedrop_url: string } }).user.filedrop_url.split('/').at(-1)! };
      await app.anonymous.expect(200, 'getFiledrop', { params });
      await ctx.db.write(async (tx) => {
        for (const table of ['api_keys', 'sessions', 'one_time_tokens'] as const)
          await tx.updateTable(table).set({ expires_at: endsAt }).where('user_id', '=', idOf(who)).execute();
        await tx.updateTable('proofs').set({ expires_at: endsAt }).where('address', '=', who.email).execute();
        await tx.updateTable('drop_keys').set({ expires_at: endsAt }).where('owner_id', '=', idOf(who)).execute();
      });
      return who;
    };
    const now = app.clock.now();
    const counts = ({ api_keys, sessions, password_links, proven_browsers, drop_keys }: Ended) => [
      api_keys,
      sessions,
      password_links,
      proven_browsers,
      drop_keys,
    ];
    const [ended, working, other] = [
      await personWithAll('ended', now),
      await personWithAll('working', now + 1),
      await personWithAll('other', now + 1),
    ];
    assert.deepEqual(counts(await leave(ended)), [0, 0, 0, 0, 0]);
    assert.deepEqual(counts(await leave(working)), [1, 1, 1, 1, 1]);
    for (const table of tables) {
      const rows = await ctx.db.read.selectFrom(table).selectAll().execute();
      const left = rows.filter((row) => !('state' in row && row.state === 'used')).map((row) => JSON.stringify(row));
      const of = (who: ApiClient) => left.filter((row) => row.includes(`"${idOf(who)}"`) || row.includes(who.email));
      assert.deepEqual([of(ended).length, of(working).length, of(other).length], [0, 0, 1], table);
    }
  });
});
