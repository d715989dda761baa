import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { ErasurePlanBody, ImportOutcomeBody, PersonDetailBody } from '#contract/admin/user-actions.ts';
import { saveTotpSecret } from '#server/db/users/totp.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { type ApiClient, assertRefused } from '#test/kit/client.ts';
import { openMemoryTransport } from '#test/kit/mail-transport.ts';
import { idOf, keyOf, newPerson } from '#test/kit/shared-files.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';

const password = 'grey otters under a paper moon';

onEachDatabase('administration of one person', (start) => {
  const transport = openMemoryTransport();
  const app = useApp(start, { mailTransport: transport, environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  let boss: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice', { password });
    boss = await newPerson(app, 'boss', { group: 'administrators' });
  });

  const get = async (id: string, as = app.admin) =>
    ((await as.expect(200, 'getPerson', { params: { id } })).body as { person: PersonDetailBody }).person;
  const lastEvent = async (action: string) => {
    const row = await app.app.ctx.db.read
      .selectFrom('events')
      .selectAll()
      .where('action', '=', action as never)
      .orderBy('seq', 'desc')
      .executeTakeFirstOrThrow();
    return { object: row.object_id, facts: JSON.parse(row.facts) as Record<string, unknown> };
  };

  testOnce("refuses people of the caller's own rank or above, and refuses senders in any case", async () => {
    const above = idOf(app.admin);
    const attempts = (id: string) =>
      [
        ['getPerson', { params: { id } }],
        ['endPersonSessions', { params: { id } }],
        ['endPersonSession', { params: { id, session: 'x' } }],
        ['resetSecondStep', { params: { id }, body: { reset: { reason: 'lost' } } }],
        ['readPersonKey', { params: { id }, body: { api_key: { reason: 'moving' } } }],
        ['invitePerson', { params: { id } }],
        ['planErasure', { params: { id } }],
        ['exportPerson', { params: { id } }],
        ['erasePerson', { params: { id }, body: { erasure: { email: app.admin.email, reason: 'asked' } } }],
      ] as const;
    for (const [name, input] of attempts(above)) await boss.expect(404, name, input as never);
    for (const [name, input] of attempts(idOf(boss))) await alice.expect(403, name, input as never);
    await alice.expect(403, 'importPeople', { body: { import: { people: [{ line: 1, email: 'x@example.com' }] } } });
  });

  testOnce(
    'shows addresses with whether they are confirmed, storage, keys without their secrets, and the group with its reason',
    async () => {
      const group = await app.group('Small', { storage_quota: 10 });
      const { id } = (
        (
          await boss.expect(200, 'createUser', {
            body: { user: { email: 'rita@example.com', name: 'Rita', group, recipient_aliases: 'desk@example.com' } },
          })
        ).body as { user: { id: string } }
      ).user;
      const rita = await get(id);
      assert.deepEqual(
        rita.addresses.map(({ address, is_own, is_confirmed }) => [address, is_own, is_confirmed]),
        [
          ['rita@example.com', true, false],
          ['desk@example.com', false, false],
        ],
      );
      assert.equal(rita.storage_quota, 10 * 1024 * 1024);
      assert.equal(rita.group_reason.why, 'chosen');
      assert.equal(rita.group_reason.by, 'boss');
      assert.equal(rita.api_keys.length, 1);
      assert.equal(JSON.stringify(rita.api_keys).includes('"key"'), false);
      assert.equal(rita.guard, null);
      await app.admin.expect(200, 'changeUser', { params: { id }, body: { user: { group: 'local-users' } } });
      assert.equal((await get(id)).group_reason.why, 'moved');
      await app.admin.expect(200, 'changeUser', { params: { id }, body: { user: { name: 'Rita B' } } });
      assert.equal((await get(id)).group_reason.why, 'moved', 'another change is no reason');
      assert.deepEqual((await lastEvent('user.changed')).facts.changes, { name: { from: 'Rita', to: 'Rita B' } });
      await app.admin.expect(200, 'createUser', { body: { user: { email: 'tom@example.com' } } });
      assert.equal((await get('tom-example-com')).group_reason.why, 'default');
    },
  );

  testOnce("shows why an account is protected: the last System Administrator, and the caller's own", async () => {
    assert.equal((await get(idOf(app.admin))).guard, 'self');
    assert.equal((await get(idOf(boss), boss)).guard, 'self');
    await newPerson(app, 'chief', { group: 'system-administrators' });
    assert.equal((await get('chief-example-com')).guard, null);
  });

  describe('sessions', () => {
    testOnce('are listed and ended, one or all, and the event says how many', async () => {
      await signIn(app, alice.email, password);
      const second = await signIn(app, alice.email, password);
      const { sessions } = await get(idOf(alice));
      assert.equal(sessions.length, 2);
      const params = { id: idOf(alice), session: sessions[1]!.id };
      await app.admin.expect(200, 'endPersonSession', { params });
      await app.admin.expect(404, 'endPersonSession', { params });
      assert.equal((await get(idOf(alice))).sessions.length, 1);
      await app.admin.expect(200, 'endPersonSessions', { params: { id: idOf(alice) } });
      assert.equal((await get(idOf(alice))).sessions.length, 0);
      assert.deepEqual(await lastEvent('session.ended'), { object: idOf(alice), facts: { sessions: 1 } });
      assert.ok(second);
    });
  });

  testOnce('returns the key with a reason only, and the person gets a notice with name and reason', async () => {
    const params = { id: idOf(alice) };
    const ask = (reason: string) => app.admin.call('readPersonKey', { params, body: { api_key: { reason } } });
    assertRefused(await ask(' '), 422, 'user.reason_missing');
    const { api_key } = (await ask('Moving the nightly export')).body as { api_key: { key: string } };
    assert.equal(api_key.key, await keyOf(app, idOf(alice)));
    assert.equal((await lastEvent('api_key.read')).facts.reason, 'Moving the nightly export');
    await app.app.jobs.runOnce('send-outbox');
    const mail = transport.sent
      .map((sent) => sent.mail)
      .find(({ to, text }) => to === alice.email && /Moving/.test(text));
    assert.match(mail?.text ?? '', /Moving the nightly export/);
  });

  test('renews the key of clients with a reason only, which the notice names', async () => {
    const params = { id: idOf(alice) };
    const clientKey = async () =>
      ((await alice.expect(200, 'getAccount', {})).body as { user: { client_encryption_key: string } }).user
        .client_encryption_key;
    const renew = (reason: string) => app.admin.call('renewClientKey', { params, body: { client_key: { reason } } });
    const before = await clientKey();
    assertRefused(await renew(' '), 422, 'user.reason_missing');
    assert.equal(await clientKey(), before);
    assert.equal((await get(idOf(alice))).has_client_key, true);
    assert.equal((await renew('Laptop lost')).status, 200);
    assert.notEqual(await clientKey(), before);
    assert.deepEqual(await lastEvent('user.client_key_renewed'), {
      object: idOf(alice),
      facts: { reason: 'Laptop lost' },
    });
    await app.app.jobs.runOnce('send-outbox');
    assert.ok(transport.sent.some(({ mail }) => mail.to === alice.email && /Laptop lost/.test(mail.text)));
  });

  test('lets a person request another address where the group permits it, and System Administrators get a mail', async () => {
    const ask = (address: string, reason = '') => alice.call('askForAlias', { body: { address, reason } });
    const mayAsk = async () =>
      ((await alice.expect(200, 'getAliases', {})).body as { aliases: { may_ask: boolean } }).aliases.may_ask;
    assert.equal(await mayAsk(), false);
    assertRefused(await ask('press@example.com'), 403, 'alias.not_permitted');
    const group = await app.group('Press', { alias_requests: true });
    await app.admin.expect(200, 'changeUser', { params: { id: idOf(alice) }, body: { user: { group } } });
    assert.equal(await mayAsk(), true);
    assertRefused(await ask('nonsense'), 422, 'user.bad_email');
    assertRefused(await ask(alice.email), 422, 'alias.yours');
    assert.equal((await ask('Press@Example.com', 'Letters to the editor')).status, 200);
    assert.deepEqual(await lastEvent('user.alias_asked'), {
      object: idOf(alice),
      facts: { address: 'press@example.com', reason: 'Letters to the editor' },
    });
    await app.app.jobs.runOnce('send-outbox');
    const mails = transport.sent.map(({ mail }) => mail).filter(({ subject }) => /press@example\.com/.test(subject));
    assert.ok(mails.some(({ to }) => to === app.admin.email));
    assert.ok(mails.every(({ text }) => /Letters to the editor/.test(text) && text.includes(alice.email)));
    for (let n = 1; n < 5; n++) assert.equal((await ask(`more${n}@example.com`)).status, 200);
    assertRefused(await ask('more5@example.com'), 429, 'alias.limit');
  });

  test('resets the second step with a reason only', async () => {
    const params = { id: idOf(alice) };
    const reset = (reason: string) => app.admin.call('resetSecondStep', { params, body: { reset: { reason } } });
    assertRefused(await reset(''), 422, 'user.reason_missing');
    assertRefused(await reset('Lost phone'), 422, 'totp.not_on');
    const { db } = app.app.ctx;
    await signIn(app, alice.email, password);
    await db.write((tx) => saveTotpSecret(tx, idOf(alice), { secret: Buffer.alloc(20, 7), step: 1 }));
    assert.equal((await get(idOf(alice))).second_step, true);
    assert.equal((await reset('Lost phone')).status, 200);
    assert.deepEqual(await lastEvent('totp.removed'), { object: idOf(alice), facts: { reason: 'Lost phone' } });
    const { second_step, sessions } = await get(idOf(alice));
    assert.deepEqual([second_step, sessions], [false, []], 'it is removed, and the sessions have ended');
    assertRefused(await reset('Once more'), 422, 'totp.not_on');
  });

  testOnce('sends an invitation again to a person without a password only', async () => {
    assertRefused(await app.admin.call('invitePerson', { params: { id: idOf(alice) } }), 422, 'user.not_invitable');
    await app.admin.expect(200, 'createUser', { body: { user: { email: 'new@example.com', invite: true } } });
    await app.admin.expect(200, 'invitePerson', { params: { id: 'new-example-com' } });
    assert.deepEqual((await lastEvent('user.invited')).facts, { recipient: 'new@example.com' });
  });

  test('lists what erasing deletes and keeps, requires the address again, and leaves no text behind', async () => {
    const gone = await newPerson(app, 'gone');
    await gone.upload('plan.pdf', 'the plan');
    await gone.expect(200, 'createFileRequest', {
      body: { request: { recipient: 'sam@elsewhere.example', subject: 'Secret subject' } },
    });
    const params = { id: idOf(gone) };
    const plan = (await app.admin.expect(200, 'planErasure', { params })).body as { erasure: ErasurePlanBody };
    assert.equal(plan.erasure.erased.requests, 1);
    assert.equal(plan.erasure.erased.files, 1);
    assert.ok(plan.erasure.kept.includes('log'));
    const erase = (email: string, reason: string) =>
      app.admin.call('erasePerson', { params, body: { erasure: { email, reason } } });
    assertRefused(await erase('someone@else.example', 'asked'), 422, 'user.erasure_unconfirmed');
    assertRefused(await erase(gone.email, ''), 422, 'user.reason_missing');
    assert.equal((await get(params.id)).state, 'active', 'a refusal changes nothing');
    assert.equal((await erase(gone.email.toUpperCase(), 'Asked by letter of 3 May')).status, 200);
    await app.admin.expect(404, 'getPerson', { params });
    await gone.expect(401, 'getAccount');
    assert.deepEqual((await lastEvent('user.deleted')).facts, { why: 'request', reason: 'Asked by letter of 3 May' });
    const db = app.app.ctx.db.read;
    const request = await db
      .selectFrom('file_requests')
      .selectAll()
      .where('recipient', '=', 'sam@elsewhere.example')
      .executeTakeFirstOrThrow();
    assert.notEqual(request.owner_id, params.id);
    assert.equal(db.keys.openText('text', request.subject_sealed, `${request.id}/subject`), '');
    assert.equal(request.state, 'closed');
    const waiting = await db
      .selectFrom('outbox')
      .select('id')
      .where('owner_id', '=', params.id)
      .where('state', '=', 'pending')
      .execute();
    assert.deepEqual(waiting, []);
  });

  describe('importing', () => {
    const run = async (people: object[], more: object = {}, as = app.admin) =>
      (
        (await as.expect(200, 'importPeople', { body: { import: { people, ...more } } as never })).body as {
          import: { outcomes: ImportOutcomeBody[] };
        }
      ).import.outcomes;
    const lines = [
      { line: 2, email: 'ann@import.example', name: 'Ann' },
      { line: 3, email: 'not an address' },
      { line: 4, email: 'ANN@import.example' },
      { line: 5, email: 'bob@import.example', group: 'external users' },
      { line: 6, email: 'eve@import.example', group: 'no such group' },
    ];
    const codes = [null, 'user.bad_email', 'user.twice_in_file', null, 'user.unknown_group'];

    testOnce('in a dry run creates no one and mails no one, and returns the result of each line', async () => {
      const outcomes = await run(lines, { dry_run: true, invite: true });
      assert.deepEqual(
        outcomes.map(({ code }) => code),
        codes,
      );
      assert.deepEqual(
        outcomes.map(({ line }) => line),
        [2, 3, 4, 5, 6],
      );
      assert.equal(outcomes[0]!.outcome, 'would_create');
      assert.ok(outcomes[1]!.sentence);
      await app.admin.expect(404, 'getPerson', { params: { id: 'ann-import-example' } });
    });

    testOnce('does the same for real, and one invalid line stops no other', async () => {
      const outcomes = await run(lines, { invite: true });
      assert.deepEqual(
        outcomes.map(({ code }) => code),
        codes,
      );
      assert.equal((await get('ann-import-example')).name, 'Ann');
      assert.equal((await get('bob-import-example')).group.id, 'external-users');
      const again = await run(lines);
      assert.equal(again[0]!.code, 'user.email_taken');
    });

    testOnce('adds no one to a group that the caller may not assign', async () => {
      const [outcome] = await run([{ line: 1, email: 'up@import.example', group: 'system-administrators' }], {}, boss);
      assert.equal(outcome!.code, 'user.group_not_permitted');
    });
  });
});
