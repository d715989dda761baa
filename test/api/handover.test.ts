import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { HandOverConfirmationBody } from '#contract/admin/hand-overs.ts';
import { taskAnswer } from '#contract/admin/tasks.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { ApiClient } from '#test/kit/client.ts';
import { newPerson, sendMessage } from '#test/kit/messages.ts';
import { referenceOf } from '#test/kit/references.ts';
import { idOf, keyOf } from '#test/kit/shared-files.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const confirmationIn = (body: unknown) => (body as { confirmation: HandOverConfirmationBody }).confirmation;

const dayMs = 86_400_000;
const given = 'nine copper kettles whistling';
const chosen = 'seven paper boats drifting';

onEachDatabase('handing transfers over', (start) => {
  // No job runs unless a test runs it.
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  let boss: ApiClient;
  let chief: ApiClient;
  let message: string;

  before(async () => {
    alice = await newPerson(app, 'alice');
    boss = await newPerson(app, 'boss', { group: 'administrators' });
    chief = await newPerson(app, 'chief', { group: 'administrators' });
    message = await send(alice);
  });

  const send = async (from: ApiClient) =>
    (await sendMessage(from, { recipients: ['ben@harbour.example'], subject: 'Private', send_email: false })).id;
  const ownerOf = async (id: string) =>
    (await app.app.ctx.db.read.selectFrom('messages').select('owner_id').where('id', '=', id).executeTakeFirstOrThrow())
      .owner_id;
  const handOver = async (who: ApiClient, to: string, id = message) =>
    who.call('handOverTransfer', { params: await referenceOf(app, id), body: { to, reason: 'moved' } });
  const change = (who: ApiClient, id: string, user: Record<string, unknown>) =>
    who.expect(200, 'changeUser', { params: { id }, body: { user } });

  async function assertRefused(who: ApiClient, to: ApiClient, code: string) {
    const { status, body } = await handOver(who, to.email);
    assert.deepEqual([status, (body as { code?: string } | null)?.code], [422, code]);
    assert.equal(await ownerOf(message), idOf(alice));
  }

  async function assertHandedOver(who: ApiClient, to: ApiClient) {
    const id = await send(alice);
    assert.equal((await handOver(who, to.email, id)).status, 200);
    assert.equal(await ownerOf(id), idOf(to));
  }

  test('to oneself is refused for one transfer, for many, and for all of a person who leaves', async () => {
    const reference = await referenceOf(app, message);
    const filter = { person: alice.email };
    for (const to of [boss.email, idOf(boss)])
      await boss.refused(422, 'transfer.new_owner_self', 'handOverTransfer', { params: reference, body: { to } });
    for (const dry_run of [true, false])
      await boss.refused(422, 'transfer.new_owner_self', 'bulkTransfers', {
        body: { bulk: { action: 'hand_over', filter, to: boss.email, reason: 'mine', dry_run } },
      });
    await boss.refused(422, 'transfer.new_owner_self', 'deletePerson', {
      params: { id: idOf(alice) },
      body: { deletion: { email: alice.email, to: boss.email, reason: 'left' } },
    });
    await boss.refused(422, 'transfer.new_owner_self', 'leaveUser', {
      params: { id: idOf(alice) },
      body: { leave: { hand_over_to: boss.email, reason: 'left' } },
    });
    await app.admin.refused(422, 'transfer.new_owner_self', 'handOverTransfer', {
      params: reference,
      body: { to: app.admin.email },
    });
    assert.equal(await ownerOf(message), idOf(alice));
    await alice.expect(200, 'getAccount');
  });

  test('to an account whose password an administrator has set requires a day and another password', async () => {
    const bob = await newPerson(app, 'bob', { password: 'an old password of bob' });
    await assertHandedOver(boss, bob);
    await change(boss, idOf(bob), { password: given });
    for (const who of [boss, chief, app.admin]) await assertRefused(who, bob, 'transfer.new_owner_accessible');
    app.clock.advance(dayMs + 1);
    // The administrator still knows the password.
    await assertRefused(boss, bob, 'transfer.new_owner_accessible');
    const browser = await signIn(app, bob.email, given);
    await browser.expect(200, 'changePassword', { body: { current: given, new: chosen } });
    for (const who of [boss, chief, app.admin]) await assertHandedOver(who, bob);
  });

  test('is not delayed when a person of higher rank has set the password', async () => {
    const cleo = await newPerson(app, 'cleo');
    await change(app.admin, idOf(cleo), { password: given });
    await assertRefused(app.admin, cleo, 'transfer.new_owner_accessible');
    await assertHandedOver(boss, cleo);
  });

  test('is delayed by a day after an administrator has created the account, changed its address or read its key', async () => {
    await boss.expect(200, 'createUser', { body: { user: { email: 'dora@example.com', group: 'local-users' } } });
    const dan = await newPerson(app, 'dan');
    await change(boss, idOf(dan), { email: 'daniel@example.com' });
    const eve = await newPerson(app, 'eve');
    await boss.expect(200, 'getApiKey', { query: { email: eve.email } });
    const fay = await newPerson(app, 'fay');
    await boss.expect(200, 'readPersonKey', { params: { id: idOf(fay) }, body: { api_key: { reason: 'lost' } } });
    for (const to of ['dora@example.com', 'daniel@example.com', eve.email, fay.email]) {
      const { body } = await handOver(chief, to);
      assert.equal((body as { code?: string }).code, 'transfer.new_owner_accessible', to);
    }
    app.clock.advance(dayMs + 1);
    for (const to of ['dora@example.com', 'daniel@example.com', eve.email, fay.email])
      assert.equal((await handOver(chief, to, await send(alice))).status, 200, to);
  });

  test('is refused one by one when the password is set while a task hands over', async () => {
    const gil = await newPerson(app, 'gil');
    const hal = await newPerson(app, 'hal');
    const id = await send(gil);
    const bulk = { action: 'hand_over', filter: { person: gil.email }, to: hal.email, reason: 'moved' };
    const { task } = wireForm(taskAnswer.partial(), {
      task: ((await boss.expect(200, 'bulkTransfers', { body: { bulk } })).body as { bulk: { task: unknown } }).bulk
        .task,
    });
    await change(boss, idOf(hal), { password: given });
    await app.app.jobs.runOnce('run-tasks');
    const { body } = await boss.expect(200, 'getTask', { params: { id: task!.id } });
    const after = wireForm(taskAnswer, body).task;
    assert.deepEqual([after.state, after.done, after.failed], ['done', 0, 1]);
    assert.equal(await ownerOf(id), idOf(gil));
  });

  test('is possible within a day after a second System Administrator has confirmed it', async () => {
    const ida = await newPerson(app, 'ida');
    await change(boss, idOf(ida), { password: given });
    const asked = { to: ida.email, reason: 'ida takes over the project' };
    const request = async (who: ApiClient) =>
      confirmationIn((await who.expect(200, 'requestHandOver', { body: { confirmation: asked } })).body);
    const { id, state, may_confirm } = await request(chief);
    assert.deepEqual([state, may_confirm], ['waiting', false]);
    await assertRefused(chief, ida, 'transfer.new_owner_accessible');
    await chief.refused(403, 'admin.not_permitted', 'confirmHandOver', { params: { id } });
    const listed = async (who: ApiClient) =>
      (await who.expect(200, 'listHandOverConfirmations')).body as { confirmations: { id: string }[] };
    assert.deepEqual((await listed(boss)).confirmations, []);
    assert.deepEqual(
      (await listed(app.admin)).confirmations.map((one) => one.id),
      [id],
    );
    const confirmed = confirmationIn((await app.admin.expect(200, 'confirmHandOver', { params: { id } })).body);
    assert.deepEqual([confirmed.state, confirmed.confirmed_by!.email], ['confirmed', app.admin.email]);
    await app.admin.refused(422, 'hand_over.confirmed', 'confirmHandOver', { params: { id } });
    await assertHandedOver(chief, ida);
    // The confirmation is valid for the administrator who asked, and for the access that was known.
    await assertRefused(boss, ida, 'transfer.new_owner_accessible');
    app.clock.advance(1);
    await change(boss, idOf(ida), { password: 'eleven tin soldiers marching' });
    await assertRefused(chief, ida, 'transfer.new_owner_accessible');
    const again = await request(chief);
    await app.admin.expect(200, 'confirmHandOver', { params: { id: again.id } });
    await assertHandedOver(chief, ida);
    app.clock.advance(dayMs);
    await assertRefused(chief, ida, 'transfer.new_owner_accessible');
    const events = await app.app.ctx.db.read
      .selectFrom('events')
      .select(['action', 'actor_id'])
      .where('action', 'like', 'hand_over.%' as never)
      .orderBy('seq')
      .execute();
    assert.deepEqual(
      events.map(({ action, actor_id }) => `${action} ${actor_id}`),
      [`hand_over.confirmation_requested ${idOf(chief)}`, `hand_over.confirmed ${idOf(app.admin)}`].concat([
        `hand_over.confirmation_requested ${idOf(chief)}`,
        `hand_over.confirmed ${idOf(app.admin)}`,
      ]),
    );
  });

  test('cannot be confirmed by the person who asked, gets the transfers or could sign in', async () => {
    const deputy = await newPerson(app, 'deputy', { group: 'system-administrators' });
    const third = await newPerson(app, 'third', { group: 'system-administrators' });
    const jo = await newPerson(app, 'jo');
    await change(deputy, idOf(jo), { password: given });
    const body = { confirmation: { to: jo.email, reason: 'jo takes over' } };
    const { id } = confirmationIn((await app.admin.expect(200, 'requestHandOver', { body })).body);
    for (const who of [app.admin, deputy])
      await who.refused(403, 'hand_over.not_second', 'confirmHandOver', { params: { id } });
    await change(app.admin, idOf(jo), { group: 'system-administrators' });
    const jos = new ApiClient(app.url, await keyOf(app, idOf(jo)), jo.email);
    await jos.refused(403, 'hand_over.not_second', 'confirmHandOver', { params: { id } });
    app.clock.advance(7 * dayMs);
    await third.refused(404, 'hand_over_confirmation.not_found', 'confirmHandOver', { params: { id } });
    const renewed = confirmationIn((await app.admin.expect(200, 'requestHandOver', { body })).body);
    await third.expect(200, 'confirmHandOver', { params: { id: renewed.id } });
    await assertHandedOver(app.admin, jo);
  });

  test('needs no confirmation where no administrator could sign in, and none permits handing over to oneself', async () => {
    const kay = await newPerson(app, 'kay');
    const request = (to: string, reason = 'moved') => ({ body: { confirmation: { to, reason } } });
    await boss.refused(422, 'hand_over.not_needed', 'requestHandOver', request(kay.email));
    await boss.refused(422, 'transfer.new_owner_self', 'requestHandOver', request(boss.email));
    await boss.refused(422, 'user.reason_missing', 'requestHandOver', request(kay.email, ' '));
    await boss.refused(404, 'user.not_found', 'requestHandOver', request(app.admin.email));
    await app.admin.refused(404, 'hand_over_confirmation.not_found', 'confirmHandOver', { params: { id: 'none' } });
  });
});
