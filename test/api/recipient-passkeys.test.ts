import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { Authenticator } from '#test/kit/authenticator.ts';
import { Browser, type PageReply } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { DistantBrowser, openDistantMailbox } from '#test/kit/distant-browser.ts';
import { newLink } from '#test/kit/links.ts';
import { codeIn } from '#test/kit/mailbox.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { useApp } from '#test/kit/use-app.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

onEachDatabase('passkeys of recipients', (start) => {
  const mailbox = openDistantMailbox();
  const app = useApp(start, mailbox.options);
  /** People of groups with each value of `recipient_passkey`. */
  let senders: Record<'off' | 'offered' | 'required_once_enrolled', ApiClient>;
  let people = 0;
  before(async () => {
    const senderOf = async (setting: string) => {
      const group = await app.group(`Passkeys ${setting}`, { recipient_passkey: setting });
      return app.person(`sender${setting.length}`, { group });
    };
    senders = {
      off: await senderOf('off'),
      offered: await senderOf('offered'),
      required_once_enrolled: await senderOf('required_once_enrolled'),
    };
  });
  beforeEach(() => mailbox.post(app));

  const newAddress = () => `rita${++people}@harbour.example`;
  const messageTo = async (address: string, sender: keyof typeof senders = 'offered') => {
    const recipients = [address];
    const attachments = [inlineFile('plan.txt', 'the plan')];
    return `message:${(await sendMessage(senders[sender], { recipients, subject: 'Plans', attachments })).id}`;
  };
  const browse = () => new DistantBrowser(app.url);
  const newKey = () => new Authenticator(new URL(app.app.ctx.settings.surroundings.baseUrl).origin);
  const pathOf = (target: string) => `/${target.replace(':', '/')}`;
  const listPath = (target: string) => `/verify/passkeys?target=${target}`;
  const optionsIn = <Kind extends 'create' | 'use'>(page: PageReply, does: Kind) => {
    const part = [...page.text.matchAll(/data-passkey="([^"]*)" data-does="(\w+)"/g)].find(
      ([, , kind]) => kind === does,
    );
    assert.ok(part !== undefined, `nothing to ${does} in: ${page.words}`);
    return JSON.parse(part[1]!.replaceAll('&quot;', '"')) as Parameters<Authenticator[Kind]>[0];
  };
  const offers = (page: PageReply, does: 'create' | 'use') => page.text.includes(`data-does="${does}"`);
  const codeFor = async (browser: DistantBrowser, target: string, address: string) => {
    await browser.submit('/verify/address', { target, address });
    const [mail] = await mailbox.postTo(app, address);
    return mail === undefined ? null : codeIn(mail);
  };
  const proveByCode = async (
    target: string,
    address: string,
    browser = browse(),
    more: Record<string, string> = {},
  ) => {
    const code = await codeFor(browser, target, address);
    assert.ok(code !== null, 'no code was mailed');
    assert.equal((await browser.submit('/verify/code', { target, code, ...more })).location, pathOf(target));
    return browser;
  };
  const create = async (browser: DistantBrowser, target: string, address: string, key = newKey()) => {
    const credential = key.create(optionsIn(await browser.get(listPath(target)), 'create'));
    const reply = await browser.submit('/verify/passkeys', { target, address, credential });
    return { key, reply };
  };
  const enrol = async (address: string, sender: keyof typeof senders = 'offered') => {
    const target = await messageTo(address, sender);
    const browser = await proveByCode(target, address);
    const { key, reply } = await create(browser, target, address);
    assert.equal(reply.location, listPath(target).replace(':', '%3A'), reply.words);
    return { key, browser, target };
  };
  const use = async (
    key: Authenticator,
    target: string,
    {
      browser = browse(),
      forged = {},
    }: { browser?: DistantBrowser; forged?: Parameters<Authenticator['use']>[1] } = {},
  ) => {
    const credential = key.use(optionsIn(await browser.get(pathOf(target)), 'use'), forged);
    return { browser, credential, reply: await browser.submit('/verify/passkey', { target, credential }) };
  };
  const isOpen = async (browser: DistantBrowser, target: string) =>
    (await browser.get(pathOf(target))).words.includes('plan.txt');
  const passkeysOf = (address: string) =>
    app.app.ctx.db.read.selectFrom('passkeys').selectAll().where('address', '=', address).execute();
  const eventsAbout = async (address: string) => {
    const rows = await app.app.ctx.db.read.selectFrom('events').select(['action', 'facts']).orderBy('seq').execute();
    return rows.filter(({ action, facts }) => action.startsWith('passkey.') && facts.includes(`"${address}"`));
  };

  test('who opened without proving an address, is signed in, or uses a shared computer sets up none', async () => {
    const address = newAddress();
    const target = await messageTo(address);
    const stranger = browse();
    assert.equal((await stranger.get(listPath(target))).location, pathOf(target));
    const options = { challenge: 'guess', rp: { id: 'localhost' } };
    const forged = { target, address, credential: newKey().create(options) };
    assert.match((await stranger.submit('/verify/passkeys', forged)).location ?? '', /^\/message/);
    const shared = await proveByCode(target, address, browse(), { shared_computer: '1' });
    assert.doesNotMatch((await shared.get(pathOf(target))).text, /verify\/passkeys/);
    const page = await shared.get(listPath(target));
    assert.match(page.words, /Passkeys can’t be set up on a shared computer/);
    assert.equal(offers(page, 'create'), false);
    assert.match((await shared.submit('/verify/passkeys', forged)).words, /shared computer/);
    assert.equal((await passkeysOf(address)).length, 0);
  });

  test('after a mailed code a passkey is set up, and opens later messages and links with one touch', async () => {
    const address = newAddress();
    const { key, browser, target } = await enrol(address);
    assert.match((await browser.get(pathOf(target))).words, /Your passkeys/);
    await mailbox.post(app);
    const notice = mailbox.transport.sent.map(({ mail }) => mail).findLast(({ to }) => to === address);
    assert.match(notice!.subject, /A passkey was set up for your address/);
    assert.doesNotMatch(notice!.text, /\/message\//);
    const later = await messageTo(address);
    const link = await newLink(senders.offered, { require_authentication: true });
    for (const each of [later, `link:${link.id}`]) {
      const { browser: phone, reply } = await use(key, each);
      assert.equal(reply.location, pathOf(each), reply.words);
      assert.equal((await phone.get(pathOf(each))).status, 200);
    }
    const { browser: phone } = await use(key, later);
    assert.equal(await isOpen(phone, later), true);
    assert.equal((await mailbox.postTo(app, address)).filter(({ subject }) => subject.includes('code')).length, 0);
    const actions = (await eventsAbout(address)).map(({ action }) => action);
    assert.deepEqual(actions, ['passkey.created', 'passkey.used', 'passkey.used', 'passkey.used']);
    app.clock.advance(13 * hourMs);
    assert.equal(await isOpen(phone, later), false);
    assert.equal(await isOpen(browser, target), true);
  });

  test('a passkey is refused with a counter that went back, a wrong origin, or a user who is not verified', async () => {
    const address = newAddress();
    const { key, target } = await enrol(address);
    assert.equal((await use(key, target)).reply.status, 303);
    for (const forged of [
      { counter: 1 },
      { counter: 0 },
      { origin: 'https://evil.example' },
      { isUserVerified: false },
    ]) {
      const { browser, reply } = await use(key, target, { forged });
      assert.equal(reply.status, 422, JSON.stringify(forged));
      assert.equal(await isOpen(browser, target), false);
    }
    const refused = (await eventsAbout(address)).filter(({ action }) => action === 'passkey.refused');
    assert.equal(refused.length, 4);
    assert.equal((await use(key, target)).reply.status, 303);
  });

  test('a challenge works once, for its page, and not for a set-up in another browser', async () => {
    const address = newAddress();
    const { key, target } = await enrol(address);
    const { credential } = await use(key, target);
    assert.equal((await browse().submit('/verify/passkey', { target, credential })).status, 422);
    const other = await messageTo(address);
    const ofOther = key.use(optionsIn(await browse().get(pathOf(other)), 'use'));
    assert.equal((await browse().submit('/verify/passkey', { target, credential: ofOther })).status, 422);
    const late = key.use(optionsIn(await browse().get(pathOf(target)), 'use'));
    app.clock.advance(31 * minuteMs);
    assert.equal((await browse().submit('/verify/passkey', { target, credential: late })).status, 422);

    const second = newAddress();
    const place = await messageTo(second);
    const [mine, theirs] = [await proveByCode(place, second), await proveByCode(place, second)];
    const stolen = newKey().create(optionsIn(await theirs.get(listPath(place)), 'create'));
    const reply = await mine.submit('/verify/passkeys', { target: place, address: second, credential: stolen });
    assert.equal(reply.status, 422);
    assert.equal((await passkeysOf(second)).length, 0);
  });

  test('a forwarded link does not open with the passkey of another address, whose owner learns why', async () => {
    const [rita, other] = [newAddress(), newAddress()];
    const { key } = await enrol(other);
    const target = await messageTo(rita);
    const { browser, reply } = await use(key, target);
    assert.equal(reply.location, pathOf(target));
    assert.equal(await isOpen(browser, target), false);
    assert.match((await browser.get(pathOf(target))).words, /You can’t open this/);
    const seen = await app.app.ctx.db.read
      .selectFrom('events')
      .select(['owner_id', 'facts'])
      .where('action', '=', 'address.proven')
      .execute();
    const stranger = seen.filter(({ facts }) => facts.includes(other) && facts.includes(target));
    assert.deepEqual(
      stranger.map(({ owner_id }) => owner_id),
      [''],
    );
  });

  test('only a passkey of the address permits to add or remove one, within an hour', async () => {
    const address = newAddress();
    const { key, browser, target } = await enrol(address);
    const [first] = await passkeysOf(address);
    const reader = await proveByCode(target, address);
    const page = await reader.get(listPath(target));
    assert.match(page.words, /confirm with one of them first/);
    assert.equal(offers(page, 'create'), false);
    const removal = { target, address, passkey: first!.id };
    assert.match(
      (await reader.submit('/verify/passkeys/remove', removal)).words,
      /Confirm with a passkey of this address first/,
    );
    const foreign = { target, address: newAddress(), passkey: first!.id };
    assert.match((await browser.submit('/verify/passkeys/remove', foreign)).words, /Confirm your address again/);
    const credential = key.use(optionsIn(page, 'use'));
    assert.equal(
      (await reader.submit('/verify/passkey', { target, for: 'list', credential })).location,
      listPath(target).replace(':', '%3A'),
    );
    const { key: another } = await create(reader, target, address);
    assert.equal((await passkeysOf(address)).length, 2);
    app.clock.advance(hourMs + 1);
    assert.equal((await browser.submit('/verify/passkeys/remove', removal)).status, 422);
    const { browser: fresh } = await use(another, target);
    assert.equal((await fresh.submit('/verify/passkeys/remove', removal)).status, 303);
    assert.equal((await use(key, target)).reply.status, 422);
    assert.equal((await use(another, target)).reply.status, 303);
  });

  test('who takes over a mailbox after the set-up opens nothing that a required passkey protects', async () => {
    const address = newAddress();
    const earlier = await proveByCode(await messageTo(address), address);
    const { key, browser, target } = await enrol(address);
    const guarded = await messageTo(address, 'required_once_enrolled');
    const link = `link:${(await newLink(senders.required_once_enrolled, { require_authentication: true })).id}`;
    await mailbox.post(app);
    assert.equal(await isOpen(browser, guarded), true);
    assert.equal(await isOpen(earlier, guarded), false);
    assert.equal(await codeFor(browse(), guarded, address), null);
    const thief = await proveByCode(target, address);
    assert.equal(await isOpen(thief, target), true);
    for (const place of [guarded, link]) {
      const page = await thief.get(pathOf(place));
      assert.match(page.words, /If your address has a passkey, use it/);
      assert.doesNotMatch(page.words, /plan\.txt/);
    }
    assert.equal((await use(key, guarded, { browser: thief })).reply.location, pathOf(guarded));
    assert.equal(await isOpen(thief, guarded), true);
    const without = newAddress();
    const open = await messageTo(without, 'required_once_enrolled');
    assert.equal(await isOpen(await proveByCode(open, without), open), true);
  });

  test('at a drop page a passkey delivers what waits for a code', async () => {
    const address = newAddress();
    const { key } = await enrol(address);
    const { body } = await senders.required_once_enrolled.expect(200, 'getAccount');
    const path = new URL((body as { user: { filedrop_url: string } }).user.filedrop_url).pathname;
    const browser = new Browser(app.url);
    const drop_key = Browser.hidden(await browser.get(path), 'drop_key');
    const fields = { drop_key, email: address, subject: 'Moorings' };
    await mailbox.post(app);
    const asked = await browser.sendFiles(path, fields, [{ name: 'rope.txt', bytes: 'rope' }]);
    assert.deepEqual(
      (await mailbox.postTo(app, address)).filter(({ kind }) => kind === 'code'),
      [],
    );
    const credential = key.use(optionsIn(asked, 'use'));
    const reply = await browser.submit('/verify/passkey', { target: Browser.hidden(asked, 'target'), credential });
    assert.match(reply.location ?? '', /^\/delivered\//);
  });

  test('in a group without passkeys none is offered or accepted', async () => {
    const address = newAddress();
    const { key } = await enrol(address);
    const target = await messageTo(address, 'off');
    const page = await browse().get(pathOf(target));
    assert.equal(offers(page, 'use'), false);
    const elsewhere = await messageTo(address);
    const credential = key.use(optionsIn(await browse().get(pathOf(elsewhere)), 'use'));
    const visitor = browse();
    await visitor.submit('/verify/passkey', { target, credential });
    assert.equal(await isOpen(visitor, target), false);
    assert.deepEqual(
      (await eventsAbout(address)).map(({ action }) => action),
      ['passkey.created', 'passkey.refused'],
    );
    const browser = await proveByCode(target, address);
    assert.doesNotMatch((await browser.get(pathOf(target))).text, /verify\/passkeys/);
  });

  test('a replay counts the recipients who would need their passkey', async () => {
    const address = newAddress();
    await enrol(address);
    await messageTo(address, 'off');
    const { body } = await app.admin.expect(200, 'listGroups', {});
    const { id } = (body as { groups: { id: string; name: string }[] }).groups.find(
      ({ name }) => name === 'Passkeys off',
    )!;
    const replay = async (recipient_passkey: string) => {
      const call = { params: { id }, body: { replay: { group: { recipient_passkey } } } };
      const answer = (await app.admin.expect(200, 'replayGroup', call)).body as {
        replay: { changed: { values: unknown[] }[] };
      };
      return answer.replay.changed.map(({ values }) => values);
    };
    assert.deepEqual(await replay('offered'), []);
    assert.ok(
      (await replay('required_once_enrolled')).some(([value]) =>
        JSON.stringify(value).includes('"passkey_recipients","from":0,"to":1'),
      ),
    );
  });

  test('an administrator finds and removes one with a reason, which ends its proofs', async () => {
    const address = newAddress();
    const { key, browser, target } = await enrol(address, 'required_once_enrolled');
    const { body } = await app.admin.expect(200, 'listRecipientPasskeys', { query: { address: address.slice(0, 8) } });
    const listed = (body as { passkeys: { id: string; address: string }[] }).passkeys;
    const { id } = listed.find((each) => each.address === address)!;
    const remove = (reason: string) => ({ params: { id }, body: { passkey: { reason } } });
    await senders.offered.expect(403, 'listRecipientPasskeys', {});
    await senders.offered.expect(403, 'removeRecipientPasskey', remove('Lost phone'));
    assert.equal((await app.admin.call('removeRecipientPasskey', remove(' '))).status, 422);
    await app.admin.expect(200, 'removeRecipientPasskey', remove('Lost phone'));
    await app.admin.refused(404, 'passkey.not_found', 'removeRecipientPasskey', remove('Lost phone'));
    assert.equal(await isOpen(browser, target), false);
    assert.equal((await use(key, target)).reply.status, 422);
    assert.equal(await isOpen(await proveByCode(target, address), target), true);
    const removed = (await eventsAbout(address)).find(({ action }) => action === 'passkey.removed');
    assert.match(removed!.facts, /Lost phone/);
  });

  test('an address of an account has none, and those of a disabled account end', async () => {
    const address = newAddress();
    const { key, target } = await enrol(address);
    const account = await app.person(`account${people}`, { email: address });
    const browser = await proveByCode(target, address).catch(() => null);
    assert.equal(browser === null ? false : offers(await browser.get(listPath(target)), 'create'), false);
    const exported = await app.admin.expect(200, 'exportPerson', {
      params: { id: address.replace(/[^a-z0-9]+/g, '-') },
    });
    const { passkeys } = (exported.body as { export: { passkeys: { address: string }[] } }).export;
    assert.deepEqual(
      passkeys.map((each) => each.address),
      [address],
    );
    const user = { disabled: true };
    await app.admin.expect(200, 'changeUser', { params: { id: account.email }, body: { user } });
    assert.equal((await passkeysOf(address)).length, 0);
    assert.equal((await use(key, target)).reply.status, 422);
  });

  test('a passkey of an address signs nobody in, and one of an account proves no address', async () => {
    const { key } = await enrol(newAddress());
    const browser = browse();
    const request = optionsIn(await browser.get('/sign-in'), 'use');
    assert.equal((await browser.submit('/sign-in/passkey', { credential: key.use(request) })).status, 422);
    assert.notEqual((await browser.get('/sign-in')).location, '/app');
  });

  testOnce('from one network ten are set up in an hour, and thirty refused in a quarter', async () => {
    const address = newAddress();
    const { browser, target, key } = await enrol(address);
    for (let count = 1; count < 10; count++) assert.equal((await create(browser, target, address)).reply.status, 303);
    assert.equal((await create(browser, target, address)).reply.status, 422);
    assert.equal((await passkeysOf(address)).length, 10);
    const credential = newKey().use({ challenge: 'guess', rpId: 'localhost' });
    for (let count = 0; count < 30; count++) await browser.submit('/verify/passkey', { target, credential });
    const { reply } = await use(key, target, { browser: Object.assign(browse(), { address: browser.address }) });
    assert.match(reply.words, /too many|Wait|later/i);
    assert.equal((await use(key, target)).reply.status, 303);
  });
});
