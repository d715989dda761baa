import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOwnKey } from '#server/actions/api-keys/own-api-keys.ts';
import { decidePairing, fetchPairedKey, findPairing, startPairing } from '#server/actions/pairings/pairings.ts';
import { answerPairing, claimPairing } from '#server/db/sessions/pairings.ts';
import { systemCaller } from '#server/domain/caller.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { callerFor } from '#test/kit/callers.ts';
import { ApiClient } from '#test/kit/client.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const minuteMs = 60_000;

onOneEngine('A program that waits for sign-in', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let people = 0;
  const newCaller = async () => {
    const client = await newPerson(app, `person${++people}`);
    return { client, caller: await callerFor(app, client) };
  };
  const begin = (name = 'backup of the harbour') => startPairing(app.app.ctx, systemCaller, name);
  const fetchKey = (token: string) => fetchPairedKey(app.app.ctx, systemCaller, token);
  const over = { kind: 'not_found', code: 'pairing.not_found' };

  test('gets a key of the person who allows it, under its own name, once', async () => {
    const { ctx } = app.app;
    const { client, caller } = await newCaller();
    const other = await begin('something else');
    const { token, code } = await begin();
    assert.equal(await fetchKey(token), null, 'no one has answered yet');
    assert.equal((await findPairing(ctx, caller, code))?.name, 'backup of the harbour');
    assert.equal(await decidePairing(ctx, caller, { code, isAllowed: true }), true);
    assert.equal(await findPairing(ctx, caller, code), null, 'the code has served');
    const key = await fetchKey(token);
    const { body } = await new ApiClient(app.url, key!, '').expect(200, 'getAccount');
    assert.equal((body as { user: { email: string } }).user.email, client.email);
    const rows = await ctx.db.read.selectFrom('api_keys').select('name').where('user_id', '=', idOf(client)).execute();
    assert.ok(rows.some(({ name }) => name === 'backup of the harbour'));
    await assert.rejects(fetchKey(token), over);
    assert.equal(await fetchKey(other.token), null, 'another program still waits');
  });

  test('is notified of a refusal, and a second answer is refused', async () => {
    const { ctx } = app.app;
    const { caller } = await newCaller();
    const { caller: stranger } = await newCaller();
    const { token, code } = await begin();
    assert.equal(await decidePairing(ctx, caller, { code, isAllowed: false }), true);
    assert.equal(await decidePairing(ctx, stranger, { code, isAllowed: true }), false);
    await assert.rejects(fetchKey(token), { kind: 'forbidden', code: 'pairing.refused' });
    assert.equal(await decidePairing(ctx, caller, { code: 'WRON-GCOD', isAllowed: true }), false);
  });

  test('is not allowed by a person who has twenty keys, and can be refused by them', async () => {
    const { ctx } = app.app;
    const { caller } = await newCaller();
    for (let keys = 2; keys <= 20; keys++) await createOwnKey(ctx, caller, { name: `${keys}`, expiresOn: undefined });
    const { token, code } = await begin();
    await assert.rejects(decidePairing(ctx, caller, { code, isAllowed: true }), { code: 'api_key.limit' });
    assert.equal(await fetchKey(token), null, 'the program still waits');
    assert.equal(await decidePairing(ctx, caller, { code, isAllowed: false }), true);
  });

  test('is refused after ten minutes, whatever the answer was', async () => {
    const { ctx } = app.app;
    const { caller } = await newCaller();
    const [waiting, allowed] = [await begin(), await begin()];
    assert.equal(waiting.expiresInSeconds, 600);
    await decidePairing(ctx, caller, { code: allowed.code, isAllowed: true });
    app.clock.advance(10 * minuteMs - 1);
    assert.equal(await fetchKey(waiting.token), null);
    app.clock.advance(1);
    assert.equal(await decidePairing(ctx, caller, { code: waiting.code, isAllowed: true }), false);
    const tokenHash = ctx.keys.hash('pairing', allowed.token);
    assert.equal(await ctx.db.write((tx) => claimPairing(tx, tokenHash, ctx.clock.now())), null);
    for (const { token } of [waiting, allowed]) await assert.rejects(fetchKey(token), over);
  });

  test('gets no key of a person who is disabled before it fetches the key', async () => {
    const { ctx } = app.app;
    const { client, caller } = await newCaller();
    const { token, code } = await begin();
    await decidePairing(ctx, caller, { code, isAllowed: true });
    const keysOf = () => ctx.db.read.selectFrom('api_keys').select('id').where('user_id', '=', caller.userId).execute();
    const before = await keysOf();
    await ctx.db.write((tx) =>
      tx.updateTable('users').set({ state: 'disabled' }).where('id', '=', idOf(client)).execute(),
    );
    await assert.rejects(fetchKey(token), over);
    assert.deepEqual(await keysOf(), before);
  });

  test('is answered and fetched by exactly one of many concurrent requests', async () => {
    const { ctx } = app.app;
    const { caller } = await newCaller();
    const { token, code } = await begin();
    const answer = { codeHash: ctx.keys.hash('pairing-code', code.replace('-', '')), userId: caller.userId };
    const decide = () => ctx.db.write((tx) => answerPairing(tx, { ...answer, state: 'allowed', now: ctx.clock.now() }));
    assert.deepEqual((await Promise.all([decide(), decide(), decide()])).toSorted(), [false, false, true]);
    const fetched = await Promise.allSettled([fetchKey(token), fetchKey(token)]);
    assert.deepEqual(fetched.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  });
});
