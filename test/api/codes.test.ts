import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { proofIdOf } from '#server/domain/downloads.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { Browser, type PageReply } from '#test/kit/browser.ts';
import { DistantBrowser, inParallel, newNetwork, openDistantMailbox, pathIn } from '#test/kit/distant-browser.ts';
import { newLink } from '#test/kit/links.ts';
import { codeIn } from '#test/kit/mailbox.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

onEachDatabase('confirming an address', (start) => {
  const mailbox = openDistantMailbox();
  const app = useApp(start, mailbox.options);
  const alice = usePerson(app, 'alice');
  let people = 0;

  // Mails of earlier tests.
  beforeEach(() => mailbox.post(app));

  const newAddress = () => `ben${++people}@harbour.example`;
  const newMessage = async (recipients: string[], more: Record<string, unknown> = {}) =>
    (
      await sendMessage(alice, {
        recipients,
        subject: 'Harbour drawings',
        message: 'The secret text.',
        attachments: [inlineFile('plan.txt', 'the plan')],
        ...more,
      })
    ).id;
  const browse = (address?: string) => new DistantBrowser(app.url, address);
  /** Follows the redirect of a form back to the confirmation page. */
  const shown = async (browser: DistantBrowser, reply: PageReply): Promise<PageReply> =>
    reply.location?.startsWith('/verify') === true ? browser.get(reply.location) : reply;
  const askForCode = async (browser: DistantBrowser, target: string, address: string) =>
    shown(browser, await browser.submit('/verify/address', { target, address }));
  const tryCode = async (browser: DistantBrowser, target: string, code: string, more: Record<string, string> = {}) =>
    shown(browser, await browser.submit('/verify/code', { target, code, ...more }));
  const codeFor = async (browser: DistantBrowser, target: string, address: string): Promise<string> => {
    await askForCode(browser, target, address);
    const [mail] = await mailbox.postTo(app, address);
    assert.ok(mail !== undefined, 'no code was mailed');
    return codeIn(mail);
  };
  const codeRow = (address: string) =>
    app.app.ctx.db.read.selectFrom('codes').selectAll().where('address', '=', address).executeTakeFirstOrThrow();
  const countProofs = async (address: string) =>
    (await app.app.ctx.db.read.selectFrom('proofs').selectAll().where('address', '=', address).execute()).length;

  test('an address without access gets the same page to the byte, and no mail is sent', async () => {
    const ben = newAddress();
    const target = `message:${await newMessage([ben])}`;
    const stranger = ben.replace('harbour', 'harbeur');
    const permitted = await askForCode(browse(), target, ben);
    const refused = await askForCode(browse(), target, stranger);
    assert.equal(permitted.status, 200);
    assert.equal(refused.status, 200);
    assert.equal(
      Browser.withoutToken(refused.text.replaceAll('harbeur', 'harbour')),
      Browser.withoutToken(permitted.text),
    );
    const names = (reply: typeof permitted) => [...reply.headers.keys()].sort();
    assert.deepEqual(names(refused), names(permitted));
    assert.equal(refused.headers.get('content-length'), permitted.headers.get('content-length'));
    const mails = await mailbox.post(app);
    assert.deepEqual(
      mails.map((mail) => mail.to),
      [ben],
    );
  });

  test('wrong codes of a permitted and of a refused address get the same text', async () => {
    const ben = newAddress();
    const target = `message:${await newMessage([ben])}`;
    const stranger = ben.replace('harbour', 'harbeur');
    const pages: string[][] = [];
    for (const address of [ben, stranger]) {
      const browser = browse();
      await askForCode(browser, target, address);
      const answers: string[] = [];
      for (let index = 0; index < 7; index++) {
        const reply = await tryCode(browser, target, 'AAAA-AAAA', { sent_to: address });
        answers.push(`${reply.status} ${Browser.withoutToken(reply.text.replaceAll('harbeur', 'harbour'))}`);
      }
      pages.push(answers);
    }
    assert.deepEqual(pages[1], pages[0]);
  });

  test('an unknown message, a malformed target and no target get the same page', async () => {
    const pages = await Promise.all(
      ['message:0000000000000000000000', 'nonsense', ''].map((target) => askForCode(browse(), target, 'x@example.com')),
    );
    for (const page of pages) assert.equal(page.status, 404);
    assert.equal(new Set(pages.map((page) => page.words)).size, 1);
    assert.deepEqual(await mailbox.post(app), []);
  });

  testOnce('an empty and an invalid address are reported at the field', async () => {
    const target = `message:${await newMessage([newAddress()])}`;
    const empty = await askForCode(browse(), target, '');
    const impossible = await askForCode(browse(), target, 'ben at harbour');
    assert.match(empty.text, /aria-invalid="true"/);
    assert.match(impossible.text, /aria-invalid="true"/);
    assert.match(impossible.text, /value="ben at harbour"/);
  });

  testOnce('the address of a disabled account gets no code, for a message or for a link', async () => {
    const email = newAddress();
    const eva = await app.person('eva', { email });
    const message = await newMessage([eva.email]);
    const link = await newLink(alice, { require_authentication: true });
    await app.admin.expect(200, 'changeUser', { params: { id: email }, body: { user: { disabled: true } } });
    await mailbox.post(app);
    await askForCode(browse(), `message:${message}`, email);
    await askForCode(browse(), `link:${link.id}`, email);
    assert.deepEqual(await mailbox.post(app), []);
  });

  test('an alias of a disabled account gets no code either, unless another account has it as well', async () => {
    const [alias, shared] = [newAddress(), newAddress()];
    const change = (id: string, user: Record<string, unknown>) =>
      app.admin.expect(200, 'changeUser', { params: { id }, body: { user } });
    const ida = await app.person('ida', { email: newAddress() });
    const ivo = await app.person('ivo', { email: newAddress() });
    await change(ida.email, { recipient_aliases: [alias, shared], reason: 'Her old names' });
    await change(ivo.email, { recipient_aliases: [shared], reason: 'The desk they share' });
    await change(ida.email, { disabled: true });
    const target = `message:${await newMessage([alias, shared])}`;
    await mailbox.post(app);
    await askForCode(browse(), target, alias);
    await askForCode(browse(), target, shared);
    assert.deepEqual(
      (await mailbox.post(app)).map(({ to }) => to),
      [shared],
    );
  });

  for (const [how, switchOff] of [
    [
      'disabled',
      (id: string) => app.admin.expect(200, 'changeUser', { params: { id }, body: { user: { disabled: true } } }),
    ],
    [
      'left',
      (id: string) =>
        app.admin.expect(200, 'leaveUser', {
          params: { id },
          body: { leave: { hand_over_to: null, reason: 'Last day' } },
        }),
    ],
  ] as const)
    test(`a person who was ${how} opens nothing with an earlier proof of their browser, or with a code sent before`, async () => {
      const eva = await app.person('eva', { email: newAddress() });
      const message = await newMessage([eva.email]);
      const [proven, waiting] = [browse(), browse()];
      await tryCode(proven, `message:${message}`, await codeFor(proven, `message:${message}`, eva.email));
      assert.match((await proven.get(`/message/${message}`)).text, /The secret text/);
      const code = await codeFor(waiting, `message:${message}`, eva.email);
      await switchOff(eva.email);
      assert.doesNotMatch((await proven.get(`/message/${message}`)).text, /The secret text/);
      assert.notEqual((await tryCode(waiting, `message:${message}`, code)).status, 303);
      assert.equal(await countProofs(eva.email), 0);
    });

  testOnce('a code is refused in another browser, without cookies, and for another message', async () => {
    const ben = newAddress();
    const first = `message:${await newMessage([ben])}`;
    const second = `message:${await newMessage([ben])}`;
    const browser = browse();
    const code = await codeFor(browser, first, ben);
    assert.notEqual((await tryCode(browse(), first, code)).status, 303);
    const other = browse();
    await askForCode(other, first, ben);
    await mailbox.post(app);
    assert.notEqual((await tryCode(other, first, code)).status, 303);
    assert.notEqual((await tryCode(browser, second, code)).status, 303);
    assert.equal(await countProofs(ben), 0);
    assert.equal((await tryCode(browser, first, code)).status, 303);
  });

  testOnce('an empty nonce cookie does not match browsers without one', async () => {
    const ben = newAddress();
    const target = `message:${await newMessage([ben])}`;
    const browser = browse();
    browser.cookies.set('local-nonce', '');
    const code = await codeFor(browser, target, ben);
    assert.notEqual((await tryCode(browse(), target, code)).status, 303);
    assert.equal((await tryCode(browser, target, code)).status, 303);
  });

  testOnce('a code ends after ten minutes', async () => {
    const ben = newAddress();
    const target = `message:${await newMessage([ben])}`;
    const browser = browse();
    const code = await codeFor(browser, target, ben);
    app.clock.advance(10 * minuteMs);
    const reply = await tryCode(browser, target, code);
    assert.notEqual(reply.status, 303);
    assert.equal(await countProofs(ben), 0);
  });

  testOnce('the fifth wrong attempt invalidates a code, and then the right one is refused', async () => {
    const ben = newAddress();
    const target = `message:${await newMessage([ben])}`;
    const browser = browse();
    const code = await codeFor(browser, target, ben);
    const pages: string[] = [];
    for (let index = 0; index < 5; index++) pages.push((await tryCode(browser, target, 'AAAA-AAAA')).text);
    assert.equal(new Set(pages).size, 5, 'each page shows the remaining attempts');
    assert.notEqual((await tryCode(browser, target, code)).status, 303);
    assert.equal((await codeRow(ben)).state, 'burned');
    assert.equal(await countProofs(ben), 0);
  });

  testOnce('an empty attempt is not counted', async () => {
    const ben = newAddress();
    const target = `message:${await newMessage([ben])}`;
    const browser = browse();
    const code = await codeFor(browser, target, ben);
    for (let index = 0; index < 6; index++) assert.notEqual((await tryCode(browser, target, '  ')).status, 303);
    assert.equal((await tryCode(browser, target, code)).status, 303);
  });

  test('a code works once', async () => {
    const ben = newAddress();
    const target = `message:${await newMessage([ben])}`;
    const browser = browse();
    const code = await codeFor(browser, target, ben);
    assert.equal((await tryCode(browser, target, code)).status, 303);
    browser.cookies.delete('local-rcpt');
    assert.notEqual((await tryCode(browser, target, code)).status, 303);
    assert.equal(browser.cookies.has('local-rcpt'), false);
    assert.equal(await countProofs(ben), 1);
  });

  test('of a thousand parallel submissions of one right code exactly one proves the address', async () => {
    const ben = newAddress();
    const target = `message:${await newMessage([ben])}`;
    const browser = browse();
    const code = await codeFor(browser, target, ben);
    const before = await countEvents(ben);
    const replies = await inParallel(1000, 50, async () => {
      const same = await browse(browser.address).imitate(browser);
      return same.post('/verify/code', { target, code });
    });
    assert.equal(replies.filter((reply) => reply.location?.startsWith('/message/')).length, 1);
    assert.equal(replies.filter(givesProof).length, 1);
    assert.equal(await countProofs(ben), 1);
    assert.equal((await countEvents(ben)) - before, 1);
    const cookies = replies.find(givesProof)!.headers.getSetCookie().join();
    const hash = app.app.ctx.keys.hash('proof', /-rcpt=(\w+)/.exec(cookies)![1]!);
    assert.equal(await countEvents(`"proof_id":"${proofIdOf(hash)}"`), 1);
  });
  const givesProof = (reply: PageReply) => reply.headers.getSetCookie().some((line) => line.includes('-rcpt='));
  const countEvents = async (address: string) => {
    const rows = await app.app.ctx.db.read
      .selectFrom('events')
      .select('facts')
      .where('action', '=', 'address.proven')
      .execute();
    return rows.filter((row) => row.facts.includes(address)).length;
  };

  test('a fourth code within ten minutes is not sent, whatever the spelling of the address, nor by concurrent requests', async () => {
    const ben = newAddress();
    const target = `message:${await newMessage([ben])}`;
    const spellings = [ben, ben.toUpperCase(), ben.replace('harbour', 'HARBOUR'), ben];
    const answers = [];
    for (const address of spellings) answers.push(await askForCode(browse(), target, address));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 429],
    );
    assert.match(answers[3]!.words, /You can get the next one in 10 minutes\./);
    assert.equal((await mailbox.postTo(app, ben)).length, 3);
    app.clock.advance(10 * minuteMs + 1);
    await inParallel(20, 20, () => askForCode(browse(), target, ben));
    assert.equal((await mailbox.postTo(app, ben)).length, 3);
  });

  testOnce('requests for unknown targets do not block codes for others, not even from the same network', async () => {
    const ben = newAddress();
    const target = `message:${await newMessage([ben])}`;
    const [office, elsewhere] = [newNetwork(), newNetwork()];
    for (const kind of ['message', 'link', 'drop', 'account'])
      for (const network of [office, office, elsewhere, elsewhere])
        await askForCode(browse(network), `${kind}:${app.app.ctx.random.id()}`, ben);
    assert.equal((await mailbox.postTo(app, ben)).length, 0);
    assert.equal((await askForCode(browse(office), target, ben)).status, 200);
    assert.equal((await mailbox.postTo(app, ben)).length, 1);
  });

  testOnce('a visitor from another network cannot use up the codes of an address for other messages', async () => {
    const ben = newAddress();
    const [first, second] = [`message:${await newMessage([ben])}`, `message:${await newMessage([ben])}`];
    const attacker = newNetwork();
    for (let time = 0; time < 3; time++) await askForCode(browse(attacker), first, ben);
    assert.equal(
      (await askForCode(browse(attacker), second, ben)).status,
      429,
      'three for an address from one network',
    );
    assert.equal((await askForCode(browse(), first, ben)).status, 429, 'three for an address and one message');
    assert.equal((await askForCode(browse(), second, ben)).status, 200);
    assert.equal((await mailbox.postTo(app, ben)).length, 4);
  });

  test('an address gets thirty codes an hour in all, however many messages and networks there are', async () => {
    const ben = newAddress();
    const targets: string[] = [];
    for (let count = 0; count < 11; count++) targets.push(`message:${await newMessage([ben])}`);
    for (const target of targets) for (let time = 0; time < 3; time++) await askForCode(browse(), target, ben);
    assert.equal((await mailbox.postTo(app, ben)).filter((mail) => /code/i.test(mail.subject)).length, 30);
    app.clock.advance(hourMs + 1);
    assert.equal((await askForCode(browse(), targets[0]!, ben)).status, 200);
  });

  testOnce('one message sends twenty codes an hour, and one network requests twenty', async () => {
    const many = Array.from({ length: 21 }, newAddress);
    const target = `message:${await newMessage(many)}`;
    for (const address of many) await askForCode(browse(), target, address);
    assert.equal((await mailbox.post(app)).length, 20);
    const network = newNetwork();
    for (const address of many) {
      const message = await newMessage([address]);
      await askForCode(browse(network), `message:${message}`, address);
    }
    assert.equal((await mailbox.post(app)).length, 20);
    app.clock.advance(hourMs);
    await askForCode(browse(network), target, many[0]!);
    assert.equal((await mailbox.post(app)).length, 1);
  });

  test('lower case, spaces and dashes anywhere are accepted', async () => {
    for (const spell of [
      (code: string) => code.toLowerCase(),
      (code: string) => ` ${code.replace('-', ' ')} `,
      (code: string) => [...code.replace('-', '')].join('-'),
      (code: string) => code.replace('-', '\u2013'),
    ]) {
      const ben = newAddress();
      const target = `message:${await newMessage([ben])}`;
      const browser = browse();
      const code = await codeFor(browser, target, ben);
      assert.equal((await tryCode(browser, target, spell(code))).status, 303);
    }
  });

  testOnce('the link of the mail fills the code in, submits nothing and uses no attempt', async () => {
    const ben = newAddress();
    const target = `message:${await newMessage([ben])}`;
    const browser = browse();
    await askForCode(browser, target, ben);
    const [mail] = await mailbox.postTo(app, ben);
    const path = pathIn(mail!, '/verify');
    for (let index = 0; index < 6; index++) {
      const page = await browser.get(path);
      assert.equal(page.status, 200);
      assert.match(
        page.text,
        new RegExp(`name="code"[^>]*value="${codeIn(mail!)}"|value="${codeIn(mail!)}"[^>]*name="code"`),
      );
      assert.doesNotMatch(page.text, /<script(?![^>]*passkey)/);
    }
    assert.deepEqual({ ...(await codeRow(ben)) }.tries, 0);
    assert.equal((await tryCode(browser, target, codeIn(mail!))).status, 303);
  });

  testOnce(
    'a scanner that follows every link and posts every form invalidates nothing and learns nothing',
    async () => {
      const ben = newAddress();
      const id = await newMessage([ben]);
      const target = `message:${id}`;
      const browser = browse();
      await askForCode(browser, target, ben);
      const [mail] = await mailbox.postTo(app, ben);
      const path = pathIn(mail!, '/verify');
      for (let index = 0; index < 6; index++) {
        const scanner = browse();
        await scanner.get(path);
        const posted = await tryCode(scanner, target, codeIn(mail!));
        assert.notEqual(posted.status, 303);
        assert.doesNotMatch(posted.text, /secret text|plan\.txt/);
        assert.ok(!givesProof(posted));
        // Submitting the button of the mail works once, in the browser that submitted it, and does not use the code.
        const reply = await scanner.submit('/verify/link', { link: path.split('/').at(-1)! });
        assert.equal(givesProof(reply), index === 0);
      }
      assert.equal((await codeRow(ben)).tries, 0);
      assert.equal((await tryCode(browser, target, codeIn(mail!))).status, 303);
      assert.match((await browser.get(`/message/${id}`)).text, /secret text/);
    },
  );

  test('the button of the mail confirms the address in any browser, with one click, once', async () => {
    const ben = newAddress();
    const id = await newMessage([ben]);
    await askForCode(browse(), `message:${id}`, ben);
    const [mail] = await mailbox.postTo(app, ben);
    const path = pathIn(mail!, '/verify');
    const link = path.split('/').at(-1)!;
    const phone = browse();
    const page = await phone.get(path);
    assert.match(page.words, /Continue as b•••@harbour\.example/);
    assert.doesNotMatch(page.text, new RegExp(codeIn(mail!)), 'the code works only in the requesting browser');
    assert.doesNotMatch(page.text, new RegExp(ben));
    assert.equal(await countProofs(ben), 0, 'viewing proves nothing');
    const reply = await phone.submit('/verify/link', { link });
    assert.equal(reply.location, `/message/${id}`);
    assert.match((await phone.get(`/message/${id}`)).text, /secret text/);
    const again = await browse().get(path);
    assert.match(again.words, /That link was already used\. Get a new code\./);
    assert.match(again.words, /b•••@harbour\.example/, 'a new code goes to the same address with one click');
    const second = browse();
    app.clock.advance(minuteMs);
    await second.submit('/verify/address', { target: `message:${id}`, link });
    assert.equal((await mailbox.postTo(app, ben)).length, 1);
  });

  testOnce(
    'a code or a button that is submitted twice continues: the second request comes from a confirmed browser',
    async () => {
      const ben = newAddress();
      const id = await newMessage([ben]);
      const target = `message:${id}`;
      const browser = browse();
      await askForCode(browser, target, ben);
      const [mail] = await mailbox.postTo(app, ben);
      const phone = browse();
      const link = pathIn(mail!, '/verify').split('/').at(-1)!;
      for (let attempt = 0; attempt < 2; attempt++) {
        assert.equal((await tryCode(browser, target, codeIn(mail!))).location, `/message/${id}`);
        assert.equal((await phone.submit('/verify/link', { link })).location, `/message/${id}`);
      }
      assert.match((await browser.get(`/message/${id}`)).text, /secret text/);
      assert.equal(await countProofs(ben), 2, 'nothing is proven twice');
    },
  );

  testOnce('an expired button says so and offers a new code', async () => {
    const ben = newAddress();
    const target = `message:${await newMessage([ben])}`;
    await askForCode(browse(), target, ben);
    const [mail] = await mailbox.postTo(app, ben);
    const path = pathIn(mail!, '/verify');
    app.clock.advance(10 * minuteMs);
    assert.match((await browse().get(path)).words, /That link is older than 10 minutes/);
    const reply = await browse().submit('/verify/link', { link: path.split('/').at(-1)! });
    assert.equal(reply.location, path);
    assert.ok(!givesProof(reply));
    assert.equal((await browse().get('/verify/AAAAAAAAAAAAAAAAAAAAAA')).status, 404);
  });

  testOnce(
    'the reason of a refused code is stated: wrong, too many attempts, used, expired, other browser',
    async () => {
      const ben = newAddress();
      const target = `message:${await newMessage([ben])}`;
      const browser = browse();
      const first = await codeFor(browser, target, ben);
      assert.match((await tryCode(browse(), target, first)).words, /This browser didn’t ask for a code\./);
      assert.match((await tryCode(browser, target, 'AAAA-AAAA')).words, /doesn’t match.*4 tries left/);
      for (let index = 0; index < 3; index++) await tryCode(browser, target, 'AAAA-AAAA');
      assert.match((await tryCode(browser, target, 'AAAA-AAAA')).words, /too many wrong attempts/);
      assert.match((await tryCode(browser, target, first)).words, /too many wrong attempts/);
      const early = await shown(browser, await browser.submit('/verify/address', { target }));
      assert.match(early.words, /No new code was sent\. You can get one in 30 seconds/);
      app.clock.advance(30_000);
      const second = await codeFor(browser, target, ben);
      assert.equal((await tryCode(browser, target, second)).status, 303);
      browser.cookies.delete('local-rcpt');
      assert.match((await tryCode(browser, target, second)).words, /already used/);
      app.clock.advance(30_000);
      const third = await codeFor(browser, target, ben);
      app.clock.advance(10 * minuteMs);
      assert.match((await tryCode(browser, target, third)).words, /too old/);
    },
  );

  test('the link in a person’s own mail shows their address as a hint on the page, and proves nothing', async () => {
    const [ben, cleo] = [newAddress(), newAddress()];
    const id = await newMessage([ben, cleo], { send_email: true });
    const [mail] = await mailbox.postTo(app, ben);
    const path = pathIn(mail!, '/message');
    assert.match(path, new RegExp(`^/message/${id}\\?for=[A-Za-z0-9_-]{16}$`));
    const browser = browse();
    const page = await browser.get(path);
    assert.match(page.words, /We(?:&#x27;|’)ll send it to.*b•••@harbour\.example/);
    assert.doesNotMatch(page.text, new RegExp(`${ben}|secret text`));
    const asked = await browser.submit('/verify/address', {
      target: `message:${id}`,
      for: path.split('for=')[1]!,
    });
    const code = await browser.get(asked.location!);
    assert.doesNotMatch(code.text, new RegExp(ben), 'other holders of the link do not learn the address');
    assert.deepEqual(
      (await mailbox.post(app)).map(({ to }) => to),
      [ben],
    );
    assert.doesNotMatch((await browse().get(`/message/${id}?for=AAAAAAAAAAAAAAAA`)).words, /•••/);
  });

  test('a code posted from a foreign page is refused before it is checked', async () => {
    const ben = newAddress();
    const target = `message:${await newMessage([ben])}`;
    const browser = browse();
    const code = await codeFor(browser, target, ben);
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of foreign) {
      const reply = await browser.submit('/verify/code', { target, code }, headers);
      assert.equal(reply.status, 403);
    }
    assert.equal((await codeRow(ben)).tries, 0);
  });

  testOnce('of two codes only the newer one of a browser works', async () => {
    const ben = newAddress();
    const target = `message:${await newMessage([ben])}`;
    const browser = browse();
    const older = await codeFor(browser, target, ben);
    app.clock.advance(31_000);
    const newer = await codeFor(browser, target, ben);
    assert.notEqual((await tryCode(browser, target, older)).status, 303);
    assert.equal((await tryCode(browser, target, newer)).status, 303);
  });

  testOnce('a proven browser is remembered for fourteen days, a shared computer for one hour', async () => {
    const ben = newAddress();
    const id = await newMessage([ben], { expires_at: '2027-03-01' });
    const target = `message:${id}`;
    const isOpen = async (browser: DistantBrowser) => /secret text/.test((await browser.get(`/message/${id}`)).text);
    const own = browse();
    const kept = await tryCode(own, target, await codeFor(own, target, ben));
    assert.match(
      kept.headers.getSetCookie()[0]!,
      /^local-rcpt=\w{44}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=1209600$/,
    );
    const shared = browse();
    const brief = await tryCode(shared, target, await codeFor(shared, target, ben), { shared_computer: '1' });
    assert.match(brief.headers.getSetCookie()[0]!, /^local-rcpt=\w{44}; Path=\/; HttpOnly; SameSite=Lax$/);
    assert.deepEqual([await isOpen(own), await isOpen(shared)], [true, true]);
    app.clock.advance(hourMs);
    assert.deepEqual([await isOpen(own), await isOpen(shared)], [true, false]);
    app.clock.advance(14 * dayMs - hourMs - 1);
    assert.equal(await isOpen(own), true);
    app.clock.advance(1);
    assert.equal(await isOpen(own), false);
  });

  testOnce('a proof cookie that we did not issue is replaced by a new one', async () => {
    const ben = newAddress();
    const id = await newMessage([ben]);
    for (const planted of ['x', 'A'.repeat(44)]) {
      const browser = browse();
      browser.cookies.set('local-rcpt', planted);
      const reply = await tryCode(browser, `message:${id}`, await codeFor(browser, `message:${id}`, ben));
      assert.equal(reply.status, 303);
      assert.notEqual(browser.cookies.get('local-rcpt'), planted);
      assert.match((await browser.get(`/message/${id}`)).text, /secret text/);
    }
  });

  testOnce('with the wrong address proven, another one can be used', async () => {
    const [ben, cleo] = [newAddress(), newAddress()];
    const theirs = await newMessage([cleo]);
    const mine = await newMessage([ben]);
    const browser = browse();
    await tryCode(browser, `message:${theirs}`, await codeFor(browser, `message:${theirs}`, cleo));
    const refused = await browser.get(`/message/${mine}`);
    assert.doesNotMatch(refused.text, /secret text|plan\.txt/);
    const other = /href="([^"]*\/verify\/other[^"]*)"/.exec(refused.text)?.[1]?.replaceAll('&amp;', '&');
    assert.ok(other !== undefined, refused.text);
    assert.equal((await browser.get(other)).status, 200);
    await tryCode(browser, `message:${mine}`, await codeFor(browser, `message:${mine}`, ben));
    assert.match((await browser.get(`/message/${mine}`)).text, /secret text/);
    assert.match((await browser.get(`/message/${theirs}`)).text, /secret text/);
  });

  test('a message that has ended reveals nothing at the confirmation page', async () => {
    const ben = newAddress();
    const id = await newMessage([ben]);
    await alice.expect(200, 'deleteMessageAttachments', { params: { id } });
    for (const path of [`/verify?target=message:${id}`, `/verify/other?target=message:${id}`])
      assert.doesNotMatch((await browse().get(path)).text, /Harbour drawings/);
    await askForCode(browse(), `message:${id}`, ben);
    assert.deepEqual(await mailbox.postTo(app, ben), []);
  });

  testOnce('a link that requires a confirmed address opens after proof, and the log names the address', async () => {
    const ben = newAddress();
    const link = await newLink(alice, { require_authentication: true });
    const target = `link:${link.id}`;
    const browser = browse();
    assert.equal((await browser.submit(`/link/${link.id}/download`)).location, `/link/${link.id}`);
    const proven = await tryCode(browser, target, await codeFor(browser, target, ben));
    assert.equal(proven.location, `/link/${link.id}`);
    const reply = await browser.submit(`/link/${link.id}/download`);
    assert.equal(reply.status, 303);
    assert.equal((await browser.get(reply.location!)).text, 'hello');
    const { body } = await alice.expect(200, 'listLinkDownloads', { params: { id: link.id } });
    const [line] = (body as { downloads: { recipient: string }[] }).downloads;
    assert.equal(line?.recipient, ben);
  });

  testOnce('the mail of a private message does not name the subject, other codes do', async () => {
    const [ben, cleo] = [newAddress(), newAddress()];
    const secret = await newMessage([ben], { private_message: true, subject: 'Merger talks' });
    const open = await newMessage([cleo], { subject: 'Merger talks' });
    await askForCode(browse(), `message:${secret}`, ben);
    await askForCode(browse(), `message:${open}`, cleo);
    const mails = await mailbox.post(app);
    assert.doesNotMatch(mails.find((mail) => mail.to === ben)!.text, /Merger/);
    assert.match(mails.find((mail) => mail.to === cleo)!.text, /Merger talks/);
  });
});
