// An address gives access to messages: one that an Administrator sets counts only once a mailed code proves it (ADR 0042).
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { dryRunAnswer } from '#contract/dry-runs.ts';
import type { EventKind } from '#server/domain/events.ts';
import { onEachDatabase, type TestApp, testOnce } from '#test/kit/app.ts';
import { ApiClient, assertRefused, type Reply } from '#test/kit/client.ts';
import { codeIn, openMailbox } from '#test/kit/mailbox.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { idOf, keyOf, newPerson, share } from '#test/kit/shared-files.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const password = 'grey otters under a paper moon';
const victim = 'ceo@harbour.example';
const mailbox = openMailbox();

type UserBody = Record<string, unknown> & { id: string; unconfirmed_addresses: string[] };
const send = async (client: ApiClient, message: Record<string, unknown>) => (await sendMessage(client, message)).id;
const userOf = (reply: Reply) => (reply.body as { user: UserBody }).user;
const aliasesOf = (reply: Reply) => (reply.body as { aliases: Record<string, unknown> }).aliases;

async function noticesTo(app: TestApp, address: string): Promise<{ event: string; reason: string | null }[]> {
  const { ctx } = app.app;
  const rows = await ctx.db.read
    .selectFrom('outbox')
    .selectAll()
    .where('recipient', '=', address)
    .where('kind', '=', 'security-notice')
    .orderBy('created_at')
    .execute();
  return rows.map((row) => JSON.parse(ctx.db.read.keys.openText('mail', row.payload_sealed, row.id)));
}

async function lastFacts(app: TestApp, action: EventKind): Promise<Record<string, unknown>> {
  const row = await app.app.ctx.db.read
    .selectFrom('events')
    .select('facts')
    .where('action', '=', action)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  return JSON.parse(row.facts) as Record<string, unknown>;
}

onEachDatabase('Addresses of accounts', (start) => {
  const app = useApp(start, mailbox.options);
  let alice: ApiClient;
  let boss: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
    boss = await newPerson(app, 'boss', { group: 'administrators', password });
    await newPerson(app, 'peer', { group: 'administrators', recipient_aliases: ['board@example.com'] });
  });

  const create = (user: object, as: ApiClient) => as.call('createUser', { body: { user } });
  const change = (id: string, user: object, as: ApiClient) => as.call('changeUser', { params: { id }, body: { user } });

  /** An account that an Administrator created, called with its own key. */
  async function managedAccount(name: string, user: object = {}): Promise<ApiClient> {
    const email = `${name}@example.com`;
    const { id } = userOf(await boss.expect(200, 'createUser', { body: { user: { email, ...user } } }));
    return new ApiClient(app.url, await keyOf(app, id), (user as { email?: string }).email ?? email);
  }

  async function askedCode(client: ApiClient, address: string): Promise<string> {
    await client.expect(200, 'askAddressCode', { body: { address } });
    const [mail] = (await mailbox.postTo(app, address)).filter(({ kind }) => kind === 'code');
    return codeIn(mail!);
  }

  async function confirm(client: ApiClient, address: string): Promise<void> {
    const code = await askedCode(client, address);
    await client.expect(200, 'confirmAddress', { body: { address, code } });
  }

  const inboxOf = async (client: ApiClient) =>
    ((await client.expect(200, 'listInbox')).body as { messages: { id: string }[] }).messages.map(({ id }) => id);

  describe('an address that an Administrator sets', () => {
    testOnce('is never an e-mail address or alias of an account they may not manage', async () => {
      for (const address of ['root@example.com', 'peer@example.com', 'board@example.com', 'ROOT@Example.com']) {
        for (const field of ['sender_aliases', 'recipient_aliases']) {
          for (const id of [idOf(alice), idOf(boss)])
            assertRefused(await change(id, { [field]: [address] }, boss), 422, 'user.address_not_permitted');
          const made = await create({ email: 'new@example.com', [field]: address }, boss);
          assertRefused(made, 422, 'user.address_not_permitted');
          assert.equal((made.body as { field: string }).field, field);
        }
      }
      assertRefused(await create({ email: 'board@example.com' }, boss), 422, 'user.address_not_permitted');
      assertRefused(await change(idOf(alice), { email: 'board@example.com' }, boss), 422, 'user.address_not_permitted');
      await app.admin.refused(404, 'user.not_found', 'getUser', { params: { id: 'new@example.com' } });
    });

    test('opens no message to an outside person and sends no mail in their name until it is proven', async () => {
      const id = await send(alice, { recipients: [victim], authorization: 3, subject: 'For the board' });
      const spy = await managedAccount('spy', {
        recipient_aliases: [victim],
        sender_aliases: [victim],
        default_sender_alias: victim,
      });
      assert.deepEqual(await inboxOf(spy), []);
      await spy.expect(404, 'getMessage', { params: { id } });
      await spy.refused(422, 'address.unconfirmed', 'sendMessage', {
        body: { message: { recipients: ['ben@pier.example'], sender: victim, subject: 'Pay this' } },
      });
      const { user } = (await spy.expect(200, 'getAccount')).body as { user: Record<string, string> };
      assert.deepEqual([user.sender_aliases, user.recipient_aliases, user.default_sender_alias], ['', '', '']);
      const given = aliasesOf(await spy.expect(200, 'getAliases'));
      assert.deepEqual(given.unconfirmed, ['spy@example.com', victim]);
      await spy.refused(422, 'address.unconfirmed', 'changeAliases', { body: { default_sender_alias: victim } });
      await confirm(spy, victim);
      assert.deepEqual(await inboxOf(spy), [id]);
      await spy.expect(200, 'getMessage', { params: { id } });
    });

    testOnce('creates no account that can send as an outside person', async () => {
      const outside = 'cfo@harbour.example';
      const id = await send(alice, { recipients: [outside], authorization: 3 });
      const level2 = await send(alice, { recipients: [outside], authorization: 2 });
      const spy = await managedAccount('unused', { email: outside, password });
      assert.deepEqual(await inboxOf(spy), []);
      await spy.expect(404, 'getMessage', { params: { id } });
      await spy.expect(404, 'getMessage', { params: { id: level2 } });
      for (const [call, body] of [
        ['sendMessage', { message: { recipients: ['ben@pier.example'], subject: 'Pay this' } }],
        ['createFileRequest', { request: { recipient: 'ben@pier.example', subject: 'Send me that' } }],
      ] as const)
        await spy.refused(422, 'address.unconfirmed', call, { body });
      const request = { recipient: 'ben@pier.example', send_email: false };
      await spy.refused(422, 'address.unconfirmed', 'createFileRequest', { body: { request } });
      const { id: attachment } = await spy.upload('x.txt', 'x');
      await spy.refused(422, 'address.unconfirmed', 'createFileLink', { body: { link: { attachment } } });
      for (const [call, body] of [
        ['createFileRequest', { request: { ...request, dry_run: true } }],
        ['createFileLink', { link: { attachment, dry_run: true } }],
      ] as const) {
        const { dry_run: foreseen } = wireForm(dryRunAnswer, (await spy.expect(200, call, { body })).body);
        const refusals = foreseen.rules.filter((rule) => !rule.allowed).map(({ code }) => code);
        assert.deepEqual(refusals, ['address.unconfirmed'], call);
      }
      const { user } = (await spy.expect(200, 'getAccount')).body as { user: Record<string, string> };
      assert.equal(user.filedrop_url, '');

      await confirm(spy, outside);
      assert.equal((await inboxOf(spy)).length, 2);
      await spy.expect(200, 'getMessage', { params: { id } });
      await sendMessage(spy, { recipients: ['ben@pier.example'] });
    });

    testOnce('changes the e-mail address only for a person who can read mail sent to it', async () => {
      const carol = await newPerson(app, 'carol');
      const link = await share(carol);
      const moved = userOf(await change(idOf(carol), { email: 'carol@harbour.example' }, boss));
      assert.equal(moved.email, 'carol@harbour.example');
      assert.deepEqual(moved.unconfirmed_addresses, ['carol@harbour.example']);
      await carol.refused(422, 'address.unconfirmed', 'sendMessage', {
        body: { message: { recipients: ['ben@pier.example'] } },
      });
      const page = await (await fetch(`${app.url}/link/${link.linkId}`, { headers: { accept: 'text/html' } })).text();
      assert.ok(!page.includes('carol@harbour.example'), 'existing shares do not name the address either');
      await confirm(carol, 'carol@harbour.example');
      await sendMessage(carol, { recipients: ['ben@pier.example'] });
    });

    testOnce('does not become proven by a link that was mailed to another address before', async () => {
      const early = await managedAccount('early', { email: 'early@boss.example', invite: true });
      const [invitation] = (await mailbox.postTo(app, 'early@boss.example')).filter(
        ({ kind }) => kind === 'invitation',
      );
      const token = /\/invite\/([A-Za-z0-9]{44})/.exec(invitation!.text)![1]!;
      const id = 'early-boss-example';
      await boss.expect(200, 'changeUser', { params: { id }, body: { user: { email: 'late@harbour.example' } } });
      const visit = await fetch(`${app.url}/invite/${token}`, { headers: { accept: 'text/html' } });
      assert.equal(visit.status, 404);
      assert.deepEqual(aliasesOf(await early.expect(200, 'getAliases')).unconfirmed, ['late@harbour.example']);
    });
  });

  describe('a code', () => {
    testOnce('is sent only to addresses of the account, and is required only for unproven ones', async () => {
      await alice.refused(404, 'address.not_found', 'askAddressCode', { body: { address: victim } });
      await alice.refused(422, 'address.confirmed', 'askAddressCode', { body: { address: alice.email } });
      await alice.refused(422, 'user.bad_email', 'askAddressCode', { body: { address: 'nothing' } });
      await app.anonymous.expect(401, 'askAddressCode', { body: { address: victim } });
    });

    testOnce('has five attempts, ten minutes, one use, and is valid for one account and one address', async () => {
      const one = 'one@pier.example';
      const two = 'two@pier.example';
      const dora = await managedAccount('dora', { recipient_aliases: [one, two] });
      const twin = await managedAccount('twin', { recipient_aliases: [one] });
      const code = await askedCode(dora, one);
      await dora.refused(422, 'code.elsewhere', 'confirmAddress', { body: { address: two, code } });
      await twin.refused(422, 'code.elsewhere', 'confirmAddress', { body: { address: one, code } });
      app.clock.advance(10 * 60_000 + 1);
      await dora.refused(422, 'code.old', 'confirmAddress', { body: { address: one, code } });
      const next = await askedCode(dora, one);
      for (let count = 1; count <= 4; count++)
        await dora.refused(422, 'code.wrong', 'confirmAddress', { body: { address: one, code: 'AAAA-AAAA' } });
      await dora.refused(422, 'code.too_many', 'confirmAddress', { body: { address: one, code: 'AAAA-AAAA' } });
      await dora.refused(422, 'code.too_many', 'confirmAddress', { body: { address: one, code: next } });
    });

    testOnce('can be requested again after half a minute', async () => {
      const address = 'again@pier.example';
      const ada = await managedAccount('ada', { recipient_aliases: [address] });
      await askedCode(ada, address);
      app.clock.advance(20_001);
      const refused = await ada.refused(429, 'code.wait', 'askAddressCode', { body: { address } });
      assert.equal(refused.headers.get('retry-after'), '10');
      assert.match(refused.text, /Wait 10 seconds/);
      app.clock.advance(9_999);
      await ada.expect(200, 'askAddressCode', { body: { address } });
    });

    testOnce('comes in a mail that names the account and has no button, and opens nothing else', async () => {
      const address = 'fay@pier.example';
      const fay = await managedAccount('fay', { name: 'Fay', recipient_aliases: [address] });
      await fay.expect(200, 'askAddressCode', { body: { address } });
      const [mail] = (await mailbox.postTo(app, address)).filter(({ kind }) => kind === 'code');
      assert.match(mail!.text, /Fay \(fay@example\.com\)/);
      assert.doesNotMatch(mail!.text, /\/verify\//);
    });

    test('proves no address that was removed after the code was sent', async () => {
      const address = 'gone@pier.example';
      const gil = await managedAccount('gil', { recipient_aliases: [address] });
      const code = await askedCode(gil, address);
      await boss.expect(200, 'changeUser', { params: { id: idOf(gil) }, body: { user: { recipient_aliases: [] } } });
      await gil.refused(404, 'address.not_found', 'confirmAddress', { body: { address, code } });
      await boss.expect(200, 'changeUser', {
        params: { id: idOf(gil) },
        body: { user: { recipient_aliases: [address] } },
      });
      assert.ok((aliasesOf(await gil.expect(200, 'getAliases')).unconfirmed as string[]).includes(address));
    });

    testOnce('is required again for an alias that was removed and added again', async () => {
      const address = 'back@pier.example';
      const hal = await managedAccount('hal', { recipient_aliases: [address] });
      await confirm(hal, address);
      const set = (recipient_aliases: string[]) =>
        boss.expect(200, 'changeUser', { params: { id: idOf(hal) }, body: { user: { recipient_aliases } } });
      await set([]);
      assert.deepEqual(userOf(await set([address])).unconfirmed_addresses, ['hal@example.com', address]);
    });
  });

  testOnce('is not needed after an invitation link was opened, which proves the address it was mailed to', async () => {
    const ida = await managedAccount('ida', { email: 'ida@pier.example', invite: true });
    const [invitation] = (await mailbox.postTo(app, 'ida@pier.example')).filter(({ kind }) => kind === 'invitation');
    const token = /\/invite\/([A-Za-z0-9]{44})/.exec(invitation!.text)![1]!;
    assert.deepEqual(aliasesOf(await ida.expect(200, 'getAliases')).unconfirmed, ['ida@pier.example']);
    const { choosePassword } = await import('#server/actions/sessions/one-time-links.ts');
    const { systemCaller } = await import('#server/domain/caller.ts');
    await choosePassword(app.app.ctx, systemCaller, { token, kind: 'invitation', password, name: null });
    assert.deepEqual(aliasesOf(await ida.expect(200, 'getAliases')).unconfirmed, []);
    assert.deepEqual(await lastFacts(app, 'user.address_confirmed'), { address: 'ida@pier.example', way: 'link' });
  });

  describe('an address that a System Administrator sets', () => {
    test('applies immediately; the event has old and new values and the reason, and every address gets a notice', async () => {
      const jo = await newPerson(app, 'jo', { recipient_aliases: ['old@pier.example'] });
      const reason = 'Takes over from Kim';
      const user = { email: 'joan@pier.example', recipient_aliases: ['kim@pier.example'], reason };
      const after = userOf(await change(idOf(jo), user, app.admin));
      assert.deepEqual(after.unconfirmed_addresses, []);
      const facts = await lastFacts(app, 'user.changed');
      assert.equal(facts.reason, reason);
      const changed = facts.addresses as Record<string, { from: unknown; to: unknown }>;
      assert.deepEqual(changed.email, { from: 'jo@example.com', to: 'joan@pier.example' });
      assert.deepEqual(changed.recipient_aliases, { from: ['old@pier.example'], to: ['kim@pier.example'] });
      const eventsTo = async (address: string) => (await noticesTo(app, address)).map(({ event }) => event);
      assert.deepEqual(await eventsTo('kim@pier.example'), ['address-given']);
      assert.deepEqual(await eventsTo('joan@pier.example'), ['address-given']);
      assert.ok((await eventsTo('jo@example.com')).includes('address-changed'));
      assert.equal((await noticesTo(app, 'kim@pier.example'))[0]!.reason, reason);
    });

    testOnce('applies when a script gives no reason, and the event says that none was given', async () => {
      const kay = await newPerson(app, 'kay');
      const after = userOf(await change(idOf(kay), { sender_aliases: ['sales@pier.example'] }, app.admin));
      assert.deepEqual(after.unconfirmed_addresses, []);
      assert.equal((await lastFacts(app, 'user.changed')).reason, '');
    });

    testOnce('applies in a browser only with a reason', async () => {
      const lee = await newPerson(app, 'lee');
      const session = await signIn(app, 'root@example.com', 'quiet river under seven lamps');
      const aliases = { recipient_aliases: ['desk@pier.example'] };
      assert.deepEqual(userOf(await change(idOf(lee), aliases, session)).unconfirmed_addresses, ['desk@pier.example']);
      const again = await change(idOf(lee), { ...aliases, reason: 'Shared desk' }, session);
      assert.deepEqual(userOf(again).unconfirmed_addresses, []);
    });

    testOnce('does not prove what an Administrator set before, unless they give a reason', async () => {
      const max = await newPerson(app, 'max');
      await change(idOf(max), { recipient_aliases: ['planted@pier.example'] }, boss);
      const whole = userOf(await app.admin.expect(200, 'getUser', { params: { id: idOf(max) } }));
      const { email, name, recipient_aliases } = whole;
      const after = userOf(await change(idOf(max), { email, name, recipient_aliases }, app.admin));
      assert.deepEqual(after.unconfirmed_addresses, ['planted@pier.example']);
      const bad = { recipient_aliases, reason: 'two\nlines' };
      assertRefused(await change(idOf(max), bad, app.admin), 422, 'user.bad_reason');
    });
  });

  testOnce('gets a welcome if it is the address of a new account that works and was not invited', async () => {
    const mailsTo = async (user: { email: string } & Record<string, unknown>) => {
      await boss.expect(200, 'createUser', { body: { user } });
      await mailbox.post(app);
      return mailbox.transport.sent.map(({ mail }) => mail).filter((mail) => mail.to === user.email);
    };
    for (const [more, label] of [
      [{}, 'Choose a password:\n.*/forgot'],
      [{ password }, 'Sign in:\n.*/sign-in'],
    ] as const) {
      const [mail, ...others] = await mailsTo({ email: `new-${label.length}@pier.example`, ...more });
      assert.deepEqual([mail!.subject, others], ['You have an account at Waybill', []]);
      assert.match(mail!.text, /boss.* created it for you/);
      assert.match(mail!.text, new RegExp(label));
      assert.doesNotMatch(mail!.text, /added to an account|Message id|Reference/);
    }
    const invited = await mailsTo({ email: 'new-invited@pier.example', invite: true });
    assert.deepEqual(
      invited.map(({ subject }) => /invited you/.test(subject)),
      [true],
    );
    const disabled = await mailsTo({ email: 'new-disabled@pier.example', disabled: true });
    assert.deepEqual(
      disabled.map(({ subject }) => /added to an account/.test(subject)),
      [true],
    );
  });

  testOnce('gets a mail that it waits for a code, if an Administrator set it', async () => {
    await managedAccount('nora', { recipient_aliases: ['nora@pier.example'] });
    assert.deepEqual(
      (await noticesTo(app, 'nora@pier.example')).map(({ event }) => event),
      ['address-offered'],
    );
    const facts = await lastFacts(app, 'user.created');
    const given = facts.addresses as Record<string, { from: unknown; to: unknown }>;
    assert.deepEqual(given.recipient_aliases, { from: [], to: ['nora@pier.example'] });
  });

  testOnce('can get codes although a disabled account has it unproven', async () => {
    const address = 'blocked@pier.example';
    const id = await send(alice, { recipients: [address], authorization: 3 });
    await boss.expect(200, 'createUser', { body: { user: { email: address, disabled: true } } });
    const { checkTarget } = await import('#server/actions/codes/code-targets.ts');
    assert.notEqual((await checkTarget(app.app.ctx, `message:${id}`, address)).facts, null);
  });
});
