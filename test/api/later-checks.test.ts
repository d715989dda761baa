import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { checkTarget } from '#server/actions/codes/code-targets.ts';
import {
  type Filedrop,
  findFiledrop,
  findPendingOfKey,
  findUploadAccess,
  issueKeyFor,
  requireDropKey,
  savePendingDelivery,
} from '#server/actions/filedrops/filedrops.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { onOneEngine } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { newLink } from '#test/kit/links.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

onOneEngine('In a later check', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  let ben: ApiClient;
  before(async () => {
    [alice, ben] = [await newPerson(app, 'alice'), await newPerson(app, 'ben')];
  });
  const setState = (person: ApiClient, state: 'active' | 'disabled') =>
    app.app.ctx.db.write((tx) => tx.updateTable('users').set({ state }).where('id', '=', idOf(person)).execute());

  test('no code opens a link, or proves an address, of a disabled user', async () => {
    const { id } = await newLink(alice);
    const areThere = async () => {
      const targets = [`link:${id}`, `account:${idOf(alice)}`] as const;
      const checks = targets.map((target) => checkTarget(app.app.ctx, target, 'sam@elsewhere.example'));
      return (await Promise.all(checks)).map(({ isThere }) => isThere);
    };
    assert.deepEqual(await areThere(), [true, true]);
    await setState(alice, 'disabled');
    assert.deepEqual(await areThere(), [false, false]);
    await setState(alice, 'active');
  });

  test('no code opens a link from the instant on at which it ends', async () => {
    const { ctx } = app.app;
    const { id } = await newLink(alice);
    const { expires_at } = await ctx.db.read
      .selectFrom('file_links')
      .select('expires_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const now = ctx.clock.now();
    const isThereAt = async (instant: number) => {
      app.clock.set(instant);
      return (await checkTarget(ctx, `link:${id}`, 'sam@elsewhere.example')).isThere;
    };
    assert.deepEqual([await isThereAt(expires_at - 1), await isThereAt(expires_at)], [true, false]);
    app.clock.set(now);
  });

  test('a key of a drop page is valid at its page only, as long as the page has its name', async () => {
    const { ctx } = app.app;
    const dropOf = async (person: ApiClient): Promise<Filedrop> => {
      await person.expect(200, 'getAccount');
      const { drop_name } = await ctx.db.read
        .selectFrom('users')
        .select('drop_name')
        .where('id', '=', idOf(person))
        .executeTakeFirstOrThrow();
      return (await findFiledrop(ctx, drop_name!))!;
    };
    const [drop, other] = [await dropOf(alice), await dropOf(ben)];
    const key = await issueKeyFor(ctx, drop);
    const access = await findUploadAccess(ctx, systemCaller, key);
    assert.ok(access !== null);
    assert.equal(await findPendingOfKey(ctx, drop, access.keyId), null);
    await savePendingDelivery(ctx, access, { key, fields: {}, attachmentIds: [] });
    assert.notEqual(await findPendingOfKey(ctx, drop, access.keyId), null);
    assert.equal(await findPendingOfKey(ctx, other, access.keyId), null);
    await assert.rejects(requireDropKey(ctx, systemCaller, other.name, key), { code: 'credentials.invalid' });
    const name = (drop_name: string) =>
      ctx.db.write((tx) => tx.updateTable('users').set({ drop_name }).where('id', '=', idOf(alice)).execute());
    await name('another-name');
    assert.equal(await findUploadAccess(ctx, systemCaller, key), null);
    await name(drop.name);
    assert.notEqual(await findUploadAccess(ctx, systemCaller, key), null);
  });
});
