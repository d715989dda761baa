import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { aliasesAnswer, noticesAnswer, profileAnswer, rulesAnswer } from '#contract/app/account.ts';
import { checkRecipientsAnswer, contactsAnswer } from '#contract/app/contacts.ts';
import { meAnswer } from '#contract/app/me.ts';
import { searchAnswer } from '#contract/app/search.ts';
import {
  appApiKeysAnswer,
  newApiKeyAnswer,
  sessionsAnswer,
  shownApiKeyAnswer,
  signInsAnswer,
  totpAnswer,
  totpOfferAnswer,
} from '#contract/app/security.ts';
import { resetSignInLimits } from '#server/actions/attempts.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { ApiClient } from '#test/kit/client.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { browserOf, newPerson, sendMessage } from '#test/kit/messages.ts';
import { signIn } from '#test/kit/signed-in.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const hourMs = 3_600_000;
const password = 'seven lamps under a quiet river';
const nextPassword = 'four unrelated stones on a shelf';

onEachDatabase('account of the web app', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice', { password });
  });

  const mailsOf = async (who: ApiClient, kind: string) => {
    const { rows } = await app.app.ctx.db.read
      .selectFrom('outbox')
      .select((eb) => eb.fn.countAll<number>().as('rows'))
      .where('recipient', '=', who.email)
      .where('kind', '=', kind)
      .executeTakeFirstOrThrow();
    return Number(rows);
  };
  const keys = async (who: ApiClient) =>
    wireForm(appApiKeysAnswer, (await who.expect(200, 'listApiKeys')).body).api_keys;
  const newKey = async (who: ApiClient, body: Record<string, unknown>) =>
    wireForm(newApiKeyAnswer, (await who.expect(200, 'createApiKey', { body })).body).api_key;
  const sessions = async (who: ApiClient) =>
    wireForm(sessionsAnswer, (await who.expect(200, 'listSessions')).body).sessions;

  test('an update of the profile refuses invalid values, and changes only the given fields', async () => {
    const refusals: [string, Record<string, unknown>][] = [
      ['language.unknown', { language: 'xx' }],
      ['profile.bad_time_zone', { time_zone: 'Europe/Nowhere' }],
      ['request.invalid', { theme: 'pink' }],
      ['user.bad_name', { name: 'a\nb' }],
    ];
    for (const [code, body] of refusals) await alice.refused(422, code, 'changeProfile', { body });
    const change = async (body: Record<string, unknown>) =>
      wireForm(profileAnswer, (await alice.expect(200, 'changeProfile', { body })).body).profile;
    await change({ name: 'Alice Lund', theme: 'dark' });
    const after = await change({ language: 'sv', time_zone: 'Europe/Stockholm' });
    assert.deepEqual(
      [after.name, after.theme, after.language, after.time_zone, after.shortcut_keys],
      ['Alice Lund', 'dark', 'sv', 'Europe/Stockholm', true],
    );
    assert.equal((await change({ language: '' })).language, '');
  });

  test('only an address of the account can be the default sender', async () => {
    const { body } = await app.admin.expect(200, 'createUser', {
      body: { user: { email: 'bo@example.com', name: 'Bo', sender_aliases: 'office@example.com' } },
    });
    assert.ok(body);
    const reply = await app.admin.expect(200, 'getApiKey', { query: { email: 'bo@example.com' } });
    const bo = new ApiClient(app.url, (reply.body as { user: { api_key: string } }).user.api_key, 'bo@example.com');
    const choose = (address: string) => ({ body: { default_sender_alias: address } });
    await bo.refused(422, 'profile.not_an_alias', 'changeAliases', choose('root@example.com'));
    await bo.refused(422, 'user.bad_email', 'changeAliases', choose('no-address'));
    const chosen = await bo.expect(200, 'changeAliases', choose('office@example.com'));
    assert.equal(wireForm(aliasesAnswer, chosen.body).aliases.default_sender_alias, 'office@example.com');
    const back = await bo.expect(200, 'changeAliases', choose('bo@example.com'));
    assert.equal(wireForm(aliasesAnswer, back.body).aliases.default_sender_alias, 'bo@example.com');
  });

  testOnce('notices are changed one by one', async () => {
    await alice.refused(422, 'request.invalid', 'changeNotices', { body: { receipts: 'weekly' } });
    await alice.expect(200, 'changeNotices', { body: { requests: false } });
    const { body } = await alice.expect(200, 'changeNotices', { body: { receipts: 'daily' } });
    assert.deepEqual(wireForm(noticesAnswer, body).notices, { receipts: 'daily', reminders: true, requests: false });
  });

  testOnce('the rules of the group are returned as facts', async () => {
    const group = await app.group('strict', {
      message_can_change_authorization: false,
      message_limit_recipients: true,
      message_recipient_domains: ['harbour.example'],
    });
    const cara = await newPerson(app, 'cara', { group });
    const { rules } = wireForm(rulesAnswer, (await cara.expect(200, 'getRules')).body);
    assert.deepEqual([rules.group, rules.messages.authorizations], ['strict', [3]]);
    assert.deepEqual(rules.messages.recipients.domains, ['harbour.example']);
  });

  test('a password changes only with the current one; other sessions end, and a notice is mailed', async () => {
    const dan = await newPerson(app, 'dan', { password });
    await browserOf(app, dan.email, password);
    await browserOf(app, dan.email, password);
    const change = (current: string, next: string) => ({ body: { current, new: next } });
    await dan.refused(422, 'password.wrong', 'changePassword', change('not this one at all', nextPassword));
    await dan.refused(422, 'password.too_short', 'changePassword', change(password, 'short'));
    await dan.refused(422, 'password.same', 'changePassword', change(password, password));
    assert.equal((await sessions(dan)).length, 2);
    await dan.expect(200, 'changePassword', change(password, nextPassword));
    assert.equal((await sessions(dan)).length, 0);
    assert.equal(await mailsOf(dan, 'security-notice'), 2); // the other one: the test kit read the key
    await app.anonymous.refused(401, 'login.wrong', 'login', { body: { user: { email: dan.email, password } } });
    await app.anonymous.expect(200, 'login', { body: { user: { email: dan.email, password: nextPassword } } });
  });

  testOnce('five attempts to guess a password are permitted; the right one is refused after that', async () => {
    const eli = await newPerson(app, 'eli', { password });
    const change = (current: string) => ({ body: { current, new: nextPassword } });
    for (let count = 0; count < 5; count++)
      await eli.refused(422, 'password.wrong', 'changePassword', change('not this one at all'));
    await eli.refused(429, 'tries.too_many', 'changePassword', change(password));
    await eli.refused(429, 'tries.too_many', 'startTotp', { body: { password } });
  });

  testOnce('without a password, no change is possible that requires it', async () => {
    const una = await newPerson(app, 'una');
    await una.refused(422, 'password.none', 'changePassword', { body: { current: '', new: nextPassword } });
    await una.refused(422, 'password.none', 'startTotp', { body: { password: '' } });
  });

  testOnce(
    'a second step that the group requires cannot be declined; where it is off it cannot be set up',
    async () => {
      const strict = await app.group('Two steps', { require_second_factor: 'required' });
      const off = await app.group('One step', { require_second_factor: 'off' });
      const zoe = await newPerson(app, 'zoe', { group: strict, password });
      await zoe.refused(422, 'totp.required', 'disableTotp', { body: { password } });
      const yan = await newPerson(app, 'yan', { group: off, password });
      await yan.refused(422, 'totp.not_offered', 'startTotp', { body: { password } });
    },
  );

  testOnce(
    'an authenticator app is set up with the password and a right code, and removed with the password',
    async () => {
      const fia = await newPerson(app, 'fia', { password });
      await fia.refused(422, 'password.wrong', 'startTotp', { body: { password: 'not this one at all' } });
      await fia.refused(422, 'totp.wrong_code', 'confirmTotp', { body: { code: '123456' } });
      const offer = wireForm(totpOfferAnswer, (await fia.expect(200, 'startTotp', { body: { password } })).body).totp;
      const code = () => new TOTP({ secret: Secret.fromBase32(offer.secret) }).generate({ timestamp: app.clock.now() });
      const wrong = String((Number(code()) + 1) % 1_000_000).padStart(6, '0');
      await fia.refused(422, 'totp.wrong_code', 'confirmTotp', { body: { code: wrong } });
      const on = await fia.expect(200, 'confirmTotp', { body: { code: code() } });
      assert.equal(wireForm(totpAnswer, on.body).totp.state, 'on');
      // The code of an authenticator app that is in use does not replace it.
      await fia.refused(422, 'totp.wrong_code', 'confirmTotp', { body: { code: code() } });
      await fia.refused(422, 'totp.already_on', 'startTotp', { body: { password } });
      await fia.refused(422, 'password.wrong', 'disableTotp', { body: { password: 'not this one at all' } });
      const off = await fia.expect(200, 'disableTotp', { body: { password } });
      assert.equal(wireForm(totpAnswer, off.body).totp.state, 'off');
    },
  );

  testOnce('sessions are listed and ended; those of other users are not found', async () => {
    const gil = await newPerson(app, 'gil', { password });
    const hope = await newPerson(app, 'hope', { password });
    await browserOf(app, gil.email, password);
    await browserOf(app, gil.email, password);
    await browserOf(app, hope.email, password);
    const [one] = await sessions(gil);
    for (const id of [one!.id, 'x', 'A'.repeat(22)])
      await hope.refused(404, 'session.not_found', 'endSession', { params: { id } });
    await gil.expect(200, 'endSession', { params: { id: one!.id } });
    assert.equal((await sessions(gil)).length, 1);
    await gil.expect(200, 'endOtherSessions');
    assert.deepEqual([(await sessions(gil)).length, (await sessions(hope)).length], [0, 1]);
    const signIns = wireForm(signInsAnswer, (await gil.expect(200, 'listSignIns')).body).sign_ins;
    assert.deepEqual(
      signIns.map(({ way }) => way),
      ['browser', 'browser'],
    );
  });

  test('the current session is marked, and stays when the others end', async () => {
    const ines = await newPerson(app, 'ines', { password });
    const browser = await browserOf(app, ines.email, password);
    await browserOf(app, ines.email, password);
    const cookie = `local-sid=${browser.cookies.get('local-sid')}`;
    const headers = { accept: 'application/json', cookie, 'sec-fetch-site': 'same-origin' };
    const me = (await (await fetch(`${app.url}/app-api/me`, { headers })).json()) as { me: { csrf_token: string } };
    const call = (path: string, method = 'GET') =>
      fetch(`${app.url}${path}`, { method, headers: { ...headers, 'x-csrf-token': me.me.csrf_token } });
    const listed = wireForm(sessionsAnswer, await (await call('/app-api/account/sessions')).json()).sessions;
    assert.deepEqual(listed.map((session) => session.is_current).toSorted(), [false, true]);
    assert.equal((await call('/app-api/account/sessions', 'DELETE')).status, 200);
    const left = wireForm(sessionsAnswer, await (await call('/app-api/account/sessions')).json()).sessions;
    assert.deepEqual(
      left.map((session) => session.is_current),
      [true],
    );
  });

  test('keys are shown once, work, and end; those of other users are not found', async () => {
    const jo = await newPerson(app, 'jo');
    const made = await newKey(jo, { name: 'nightly export' });
    const program = new ApiClient(app.url, made.key, jo.email);
    await program.expect(200, 'getAccount');
    assert.ok(!(await jo.expect(200, 'listApiKeys')).text.includes(made.key));
    const listed = (await keys(program)).find((key) => key.id === made.id)!;
    assert.deepEqual(
      [listed.kind, listed.name, listed.prefix, listed.is_current, listed.last_used_ip],
      ['named', 'nightly export', made.key.slice(0, 4), true, '127.0.0.1'],
    );
    await alice.refused(404, 'api_key.not_found', 'deleteApiKey', { params: { id: made.id } });
    await alice.refused(404, 'api_key.not_found', 'replaceApiKey', { params: { id: made.id } });
    await program.expect(200, 'getAccount');
    await jo.expect(200, 'deleteApiKey', { params: { id: made.id } });
    await program.refused(401, 'credentials.invalid', 'getAccount');
    await jo.refused(404, 'api_key.not_found', 'deleteApiKey', { params: { id: made.id } });
  });

  testOnce('a key needs a name, an expiry that the group permits, and fewer keys than the limit', async () => {
    const kai = await newPerson(app, 'kai');
    for (const name of [' ', 'a'.repeat(101), 'two\nlines'])
      await kai.refused(422, 'api_key.bad_name', 'createApiKey', { body: { name } });
    await kai.refused(422, 'api_key.expiry_past', 'createApiKey', { body: { name: 'a', expires_at: '2020-01-01' } });
    await kai.refused(422, 'api_key.expiry_too_late', 'createApiKey', {
      body: { name: 'a', expires_at: '2099-01-01' },
    });
    await newKey(kai, { name: 'a'.repeat(100) });
    for (let count = 1; count < 19; count++) await newKey(kai, { name: `key ${count}` });
    await kai.refused(422, 'api_key.limit', 'createApiKey', { body: { name: 'one too many' } });
  });

  test('a replaced key works one more day; reading back and signing in return the new one', async () => {
    const lea = await newPerson(app, 'lea', { password });
    const [old] = await keys(lea);
    assert.equal(old!.kind, 'account');
    assert.equal(old!.read_by, 'root@example.com');
    app.clock.advance(1000);
    const replacement = { params: { id: old!.id }, body: { password } };
    const reply = await lea.expect(200, 'replaceApiKey', replacement);
    const made = wireForm(newApiKeyAnswer, reply.body).api_key;
    await lea.refused(422, 'api_key.replaced', 'replaceApiKey', replacement);
    const fresh = new ApiClient(app.url, made.key, lea.email);
    assert.deepEqual(
      (await keys(fresh)).map((key) => [key.state, key.read_by]),
      [
        ['active', null],
        ['replaced', 'root@example.com'],
      ],
    );
    const login = await app.anonymous.expect(200, 'login', { body: { user: { email: lea.email, password } } });
    assert.deepEqual(login.body, { user: { api_key: made.key } });
    app.clock.advance(24 * hourMs - 1);
    await lea.expect(200, 'getAccount');
    const read = await app.admin.expect(200, 'getApiKey', { query: { email: lea.email } });
    assert.deepEqual(read.body, { user: { api_key: made.key } });
    app.clock.advance(1);
    await lea.refused(401, 'credentials.invalid', 'getAccount');
    await fresh.expect(200, 'getAccount');
  });

  testOnce('the key of the account is shown again to a user who enters the password, a named one never', async () => {
    const mona = await newPerson(app, 'mona', { password });
    const [own] = await keys(mona);
    const named = await newKey(mona, { name: 'mine' });
    const show = (id: string, typed: string) => ({ params: { id }, body: { password: typed } });
    await mona.refused(422, 'password.wrong', 'showApiKey', show(own!.id, 'not this one at all'));
    await mona.refused(422, 'api_key.shown_once', 'showApiKey', show(named.id, password));
    await alice.refused(404, 'api_key.not_found', 'showApiKey', show(own!.id, password));
    assert.deepEqual(
      (await keys(mona)).map((key) => [key.kind, key.read_by]).toSorted(),
      [
        ['account', 'root@example.com'],
        ['named', null],
      ],
      'an administrator can have read the account’s own key only',
    );
    const { body } = await mona.expect(200, 'showApiKey', show(own!.id, password));
    assert.deepEqual(wireForm(shownApiKeyAnswer, body).api_key, { id: own!.id, key: mona.key });
  });

  test('a key that is renewed ends immediately', async () => {
    const nils = await newPerson(app, 'nils', { password });
    const [own] = await keys(nils);
    const body = { ends_now: true, password };
    const reply = await nils.expect(200, 'replaceApiKey', { params: { id: own!.id }, body });
    const made = wireForm(newApiKeyAnswer, reply.body).api_key;
    await nils.refused(401, 'credentials.invalid', 'getAccount');
    assert.deepEqual(
      (await keys(new ApiClient(app.url, made.key, nils.email))).map(({ id, kind }) => [id, kind]),
      [[made.id, 'account']],
    );
  });

  test("a key does not replace the account's key without the password; a signed-in person does", async () => {
    const olaf = await newPerson(app, 'olaf', { password });
    const named = await newKey(olaf, { name: 'export' });
    const program = new ApiClient(app.url, named.key, olaf.email);
    const own = (await keys(olaf)).find(({ kind }) => kind === 'account')!;
    for (const client of [olaf, program]) {
      for (const body of [{}, { ends_now: true }, { password: 'not this one at all' }])
        await client.refused(422, 'password.wrong', 'replaceApiKey', { params: { id: own.id }, body });
      await app.app.ctx.db.write((tx) => resetSignInLimits(tx, 'olaf-example-com'));
    }
    await olaf.expect(200, 'getAccount');
    await program.expect(200, 'replaceApiKey', { params: { id: named.id }, body: {} });
    const session = await signIn(app, olaf.email, password);
    await session.expect(200, 'replaceApiKey', { params: { id: own.id }, body: {} });
  });

  test('a key creates no key that lives longer than itself, neither new nor as its replacement', async () => {
    const pam = await newPerson(app, 'pam', { password });
    const short = await newKey(pam, { name: 'short', expires_at: '2026-11-20' });
    const program = new ApiClient(app.url, short.key, pam.email);
    const made = await newKey(program, { name: 'successor' });
    assert.equal(made.expires_at, short.expires_at);
    await program.refused(422, 'api_key.outlives', 'createApiKey', {
      body: { name: 'successor', expires_at: '2026-11-21' },
    });
    assert.ok((await newKey(program, { name: 'shorter', expires_at: '2026-11-19' })).expires_at! < short.expires_at!);
    const reply = await program.expect(200, 'replaceApiKey', { params: { id: short.id }, body: {} });
    assert.equal(wireForm(newApiKeyAnswer, reply.body).api_key.expires_at, short.expires_at);
  });

  testOnce('the preferences of a person come with the answer about who they are', async () => {
    const olga = await newPerson(app, 'olga');
    await olga.expect(200, 'changeProfile', { body: { theme: 'dark', shortcut_keys: false, time_zone: 'Asia/Tokyo' } });
    const { me } = wireForm(meAnswer, (await olga.expect(200, 'getMe')).body);
    assert.deepEqual(me.preferences, { theme: 'dark', shortcut_keys: false, time_zone: 'Asia/Tokyo' });
  });

  testOnce('a named key is returned neither to an administrator nor by signing in', async () => {
    const max = await newPerson(app, 'max', { password });
    await newKey(max, { name: 'mine' });
    const read = await app.admin.expect(200, 'getApiKey', { query: { email: max.email } });
    assert.deepEqual(read.body, { user: { api_key: max.key } });
    const login = await app.anonymous.expect(200, 'login', { body: { user: { email: max.email, password } } });
    assert.deepEqual(login.body, { user: { api_key: max.key } });
  });

  testOnce("contacts are the people written to, newest first, and no other user's", async () => {
    const nia = await newPerson(app, 'nia');
    const mara = await newPerson(app, 'mara');
    await sendMessage(nia, { recipients: ['ben@harbour.example'], bcc: [mara.email], subject: 'One' });
    app.clock.advance(1000);
    await sendMessage(nia, { recipients: ['cleo@harbour.example'], subject: 'Two' });
    app.clock.advance(1000);
    await sendMessage(nia, { recipients: ['ben@harbour.example'], subject: 'Three' });
    app.clock.advance(1000);
    await sendMessage(nia, { recipients: ['dora@harbour.example'], subject: 'Four' });
    const people = async (who: ApiClient, q: string) =>
      wireForm(contactsAnswer, (await who.expect(200, 'listContacts', { query: { q } })).body).people;
    assert.deepEqual(
      (await people(nia, 'harbour')).map(({ address }) => address),
      ['dora@harbour.example', 'ben@harbour.example', 'cleo@harbour.example'],
    );
    assert.equal((await people(nia, mara.email))[0]!.name, 'mara');
    assert.deepEqual(await people(await newPerson(app, 'otto'), ''), []);
  });

  testOnce('recipients are validated with the same sentences as when sending', async () => {
    const group = await app.group('harbour only', {
      message_limit_recipients: true,
      message_recipient_domains: ['harbour.example'],
      message_can_send_to_local_users: false,
    });
    const pia = await newPerson(app, 'pia', { group });
    const typed = ['ben@harbour.example', 'dora@elsewhere.example', 'nonsense'];
    const reply = await pia.expect(200, 'checkRecipients', { body: { recipients: typed } });
    const { recipients } = wireForm(checkRecipientsAnswer, reply.body);
    assert.deepEqual(
      recipients.map((recipient) => recipient.is_allowed),
      [true, false, false],
    );
    for (const { typed: address, is_allowed: isAllowed, sentence, code } of recipients) {
      if (isAllowed) continue;
      const refusal = await pia.refused(422, code!, 'sendMessage', {
        body: { message: { recipients: [address], subject: 'x' } },
      });
      assert.equal((refusal.body as { errors: string[] }).errors[0], sentence);
    }
  });

  test('search finds by words and by id, in own items and in those that the user may open, and nothing else', async () => {
    const quin = await newPerson(app, 'quin');
    const rob = await newPerson(app, 'rob');
    const { id: file } = await quin.upload('harbour-plan.pdf', 'plan');
    const sent = await sendMessage(quin, {
      recipients: [rob.email],
      subject: 'Harbour tender',
      attachments: [file],
    });
    app.clock.advance(1000);
    const kept = await sendMessage(quin, { recipients: [quin.email], subject: 'Notes on the harbour' });
    await quin.expect(200, 'createFileLink', { body: { link: { attachment: file } } });
    await quin.expect(200, 'createFileRequest', {
      body: { request: { recipient: 'sam@elsewhere.example', subject: 'Photos of the harbour', send_email: false } },
    });
    const find = async (who: ApiClient, q: string) =>
      wireForm(searchAnswer, (await who.expect(200, 'search', { query: { q } })).body);
    await quin.refused(422, 'request.invalid', 'search', { query: { q: '' } });
    const found = await find(quin, 'HARBOUR');
    assert.deepEqual(
      [found.messages.length, found.links.length, found.requests.length, found.files.length, found.is_complete],
      [3, 1, 1, 1, true],
    );
    // A message to oneself is both sent and received.
    assert.deepEqual(
      found.messages.map(({ id, direction }) => [id, direction]),
      [
        [kept.id, 'sent'],
        [kept.id, 'received'],
        [sent.id, 'sent'],
      ],
    );
    assert.deepEqual(found.files[0]!.used_in, { kind: 'message', id: sent.id, title: 'Harbour tender' });
    assert.deepEqual(
      (await find(quin, 'rob')).people.map(({ address }) => address),
      [rob.email],
    );
    assert.deepEqual(
      (await find(rob, 'tender')).messages.map((message) => [message.id, message.direction]),
      [[sent.id, 'received']],
    );
    assert.deepEqual(
      (await find(quin, sent.id)).messages.map(({ id }) => id),
      [sent.id],
    );
    assert.deepEqual((await find(quin, 'file from a script')).help, [
      { title: 'Send a file from a script', section: 'Guides', url: '/docs/api/guides#send' },
    ]);
    const other = await find(alice, sent.id);
    assert.deepEqual([other.messages, (await find(alice, 'harbour')).files], [[], []]);
  });
});
