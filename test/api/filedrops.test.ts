import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import type { z } from 'zod';
import { attachmentAnswer } from '#contract/attachments.ts';
import { type filedrop, filedropAnswer, filedropStatusAnswer } from '#contract/filedrops.ts';
import { inboxAnswer } from '#contract/messages.ts';
import { problem } from '#contract/problems.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { Browser, type PageReply } from '#test/kit/browser.ts';
import { ApiClient } from '#test/kit/client.ts';
import { cutInto, sha256Of, someBytes } from '#test/kit/content.ts';
import { newNetwork } from '#test/kit/distant-browser.ts';
import { until } from '#test/kit/eventually.ts';
import { attachmentRow, chargeOf, storedBlobs } from '#test/kit/inside.ts';
import { codeIn, openMailbox } from '#test/kit/mailbox.ts';
import { browserProving, fileUrlOf, newPerson, readMessage, tracesOf } from '#test/kit/messages.ts';
import { isBehindNginx } from '#test/kit/outside.ts';
import { ask, basic } from '#test/kit/raw-http.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const sam = 'sam@elsewhere.example';
const day = 86_400_000;

onEachDatabase('Drop pages', (start) => {
  const mailbox = openMailbox();
  const environment = { ...mailbox.options.environment, WAYBILL_TRUST_PROXY: '127.0.0.1' };
  const app = useApp(start, { ...mailbox.options, environment });
  let alice: ApiClient;
  let name: string;
  before(async () => {
    alice = await newPerson(app, 'alice');
    name = await dropOf(alice);
  });
  // Removes the uploads that earlier tests left at the page, and the keys they opened.
  beforeEach(async () => {
    app.clock.advance(2 * 3_600_000);
    await app.app.jobs.runOnce('abandon-uploads', { isConfirmed: true });
  });

  async function dropOf(client: ApiClient): Promise<string> {
    const { body } = await client.expect(200, 'getAccount');
    const { filedrop_url } = (body as { user: { filedrop_url: string } }).user;
    assert.match(filedrop_url, new RegExp(`^${app.url}/filedrop/[A-Za-z0-9]{22}$`));
    return filedrop_url.slice(`${app.url}/filedrop/`.length);
  }

  async function readDrop(drop = name): Promise<z.input<typeof filedrop>> {
    return wireForm(filedropAnswer, (await app.anonymous.expect(200, 'getFiledrop', { params: { name: drop } })).body)
      .filedrop;
  }

  /** An outside visitor with a new key of the drop page. */
  async function visitor(drop = name): Promise<ApiClient> {
    return new ApiClient(app.url, (await readDrop(drop)).api_key, '');
  }

  async function handIn(
    client: ApiClient,
    fileName = 'plan.txt',
    bytes: Uint8Array<ArrayBuffer> | string = 'the plan',
    drop = name,
  ) {
    const reply = await client.expect(200, 'uploadForFiledrop', {
      params: { name: drop },
      query: { filename: fileName },
      bytes,
      headers: { 'x-forwarded-for': newNetwork() },
    });
    return wireForm(attachmentAnswer, reply.body).attachment.id;
  }

  const message = (attachments: string[], more: Record<string, unknown> = {}) => ({
    body: { message: { from: sam, subject: 'Plans', message: 'Here they are.', attachments, ...more } },
    params: { name },
  });

  async function inbox(client = alice) {
    return wireForm(inboxAnswer, (await client.expect(200, 'listInbox')).body).messages;
  }

  /** File names of the deliveries that are not in `known`. */
  async function arrivedBesides(known: { id: string }[]) {
    return (await inbox()).filter(({ id }) => !known.some((message) => message.id === id));
  }

  const referenceOf = (reply: PageReply): string | null =>
    reply.status === 200 ? (/>([A-Za-z0-9]{22})<\/code>/.exec(reply.text)?.[1] ?? null) : null;

  testOnce('names that do not exist are unknown, for programs and for people', async () => {
    const mute = await newPerson(app, 'mute', { group: await app.group('No drop', { filedrop_random: false }) });
    const { body } = await mute.expect(200, 'getAccount');
    assert.equal((body as { user: { filedrop_url: string } }).user.filedrop_url, '');
    const gone = await dropOf(await newPerson(app, 'gone'));
    await app.admin.expect(200, 'changeUser', {
      params: { id: 'gone-example-com' },
      body: { user: { disabled: true } },
    });
    // A drop page by e-mail address is off until a group switches it on.
    for (const wrong of [
      'A'.repeat(22),
      'x',
      gone,
      'unknown@example.com',
      alice.email,
      name.toLowerCase(),
      `${name}x`,
      '%',
    ]) {
      await app.anonymous.refused(404, 'filedrop.not_found', 'getFiledrop', { params: { name: wrong } });
      const page = await new Browser(app.url).get(`/filedrop/${encodeURIComponent(wrong)}`);
      assert.equal(page.status, 404, wrong);
      const posted = await new Browser(app.url).send(`/filedrop/${encodeURIComponent(wrong)}`, { email: sam });
      assert.equal(posted.status, 404, wrong);
    }
  });

  testOnce('the answer to a program has every field and a key that is new each time', async () => {
    const first = await readDrop();
    assert.deepEqual(
      { ...first, api_key: '' },
      {
        api_key: '',
        name: 'alice',
        permitted_extensions: '',
        limited_extensions: '',
        blocked_extensions: 'exe,bat,cmd,com,scr,msi,vbs,js,ps1',
        max_upload_size: 5120,
      },
    );
    assert.notEqual((await readDrop()).api_key, first.api_key);
    const group = await app.group('Pictures', { permitted_extensions: 'png,jpg', filedrop_max_size: 7 });
    const painter = await newPerson(app, 'painter', { group });
    const limited = await readDrop(await dropOf(painter));
    assert.deepEqual(
      [limited.permitted_extensions, limited.limited_extensions, limited.blocked_extensions, limited.max_upload_size],
      ['png,jpg', 'png,jpg', '', 7],
    );
  });

  testOnce('without a valid key of this drop page nothing is accepted', async () => {
    const other = await newPerson(app, 'other');
    const foreign = await visitor(await dropOf(other));
    const old = await visitor();
    const before = await storedBlobs(app);
    app.clock.advance(day);
    for (const client of [app.anonymous, foreign, old, alice, new ApiClient(app.url, 'A'.repeat(22), '')]) {
      await client.refused(401, 'credentials.invalid', 'uploadForFiledrop', {
        params: { name },
        query: { filename: 'a.txt' },
        bytes: 'x',
      });
    }
    await app.anonymous.refused(401, 'credentials.invalid', 'uploadForDropPage', {
      params: { name, key: old.key! },
      query: { filename: 'a.txt' },
      bytes: 'x',
    });
    assert.deepEqual(await storedBlobs(app), before);
  });

  testOnce('the key of a drop page opens nothing else', async () => {
    const client = await visitor();
    const file = await handIn(client);
    for (const call of ['getAccount', 'listInbox', 'listSent', 'listAttachments', 'listDownloads'] as const)
      await client.refused(401, 'credentials.invalid', call);
    await client.refused(401, 'credentials.invalid', 'uploadForMessage', { query: { filename: 'a' }, bytes: 'x' });
    await client.refused(401, 'credentials.invalid', 'deleteAttachment', { params: { id: file } });
    await client.refused(401, 'credentials.invalid', 'sendMessage', { body: { message: { recipients: [sam] } } });
    assert.doesNotMatch((await alice.expect(200, 'listAttachments')).text, new RegExp(file));
  });

  testOnce('blocked extensions and too many megabytes are refused', async () => {
    const client = await visitor();
    const { text } = await client.refused(422, 'attachment.extension_not_permitted', 'uploadForFiledrop', {
      params: { name },
      query: { filename: 'virus.exe' },
      bytes: 'x',
    });
    // Visitors have no group and no administrator, so the text mentions neither.
    assert.doesNotMatch(text, /group|administrator/i);
    const group = await app.group('Small drop', { filedrop_max_size: 1 });
    const drop = await dropOf(await newPerson(app, 'small', { group }));
    const sender = await visitor(drop);
    const files = [
      await handIn(sender, 'a.bin', someBytes(600_000, 1), drop),
      await handIn(sender, 'b.bin', someBytes(600_000, 2), drop),
    ];
    await sender.refused(422, 'submission.too_large', 'submitFiledrop', { ...message(files), params: { name: drop } });
    await sender.expect(200, 'submitFiledrop', { ...message(files.slice(0, 1)), params: { name: drop } });
  });

  testOnce('a delivery that is too large is refused on arrival, announced or not, whole or in chunks', async () => {
    const group = await app.group('Smaller drop', { filedrop_max_size: 1 });
    const drop = await dropOf(await newPerson(app, 'smaller', { group }));
    const target = `POST /filedrop/${drop}/attachments/upload?filename=large.bin`;
    const sender = await visitor(drop);
    const blobs = await storedBlobs(app);
    // nginx sends 100 Continue itself.
    if (!isBehindNginx) {
      const lines = [basic(sender.key), 'Expect: 100-continue', 'Content-Length: 1048577'];
      const early = await ask(app.url, target, lines);
      assert.deepEqual([early.status, wireForm(problem, early.body).code], [422, 'submission.too_large']);
    }
    const upload = (query: Record<string, string>, size: number) =>
      sender.call('uploadForFiledrop', {
        params: { name: drop },
        query: { filename: 'large.bin', ...query },
        // A stream announces no length.
        bytes: new Blob([someBytes(size)]).stream(),
      });
    assert.equal((await upload({}, 1_048_577)).status, 422);
    assert.equal((await upload({ chunks: '2', chunk: '0' }, 1_000_000)).status, 200);
    assert.equal((await upload({ chunks: '2', chunk: '0' }, 1_000_000)).status, 200, 'the same chunk again');
    assert.equal((await upload({ chunks: '2', chunk: '1' }, 48_577)).status, 422);
    assert.equal((await storedBlobs(app)).length, blobs.length + 1);
    assert.equal((await upload({ chunks: '2', chunk: '1' }, 48_576)).status, 200);
    await until(async () => ((await storedBlobs(app)).length === blobs.length + 2 ? true : null));
  });

  test('at most two deliveries wait at one page, also concurrent ones, and the owner is not charged', async () => {
    const group = await app.group('Small crowd', { filedrop_max_size: 1 });
    const person = await newPerson(app, 'crowd', { group });
    const drop = await dropOf(person);
    const sender = await visitor(drop);
    const upload = (_: unknown, number: number) =>
      sender.call('uploadForFiledrop', {
        params: { name: drop },
        query: { filename: `${number}.bin` },
        bytes: new Blob([someBytes(700_000, number)]).stream(),
      });
    const accepted = (replies: { status: number }[]) => replies.filter(({ status }) => status === 200).length;
    // Files without announced sizes reserve storage as they grow, so concurrent ones may refuse each other.
    let waiting = accepted(await Promise.all(Array.from({ length: 6 }, upload)));
    assert.ok(waiting <= 2, `${waiting} were accepted`);
    for (; waiting < 2; waiting++) assert.equal((await upload(null, 10 + waiting)).status, 200);
    assert.deepEqual(await chargeOf(app, person.email), { storedBytes: 0, reservedBytes: 0 });
    assert.equal((await upload(null, 7)).status, 422);
    const other = await visitor(drop);
    const file = { params: { name: drop }, query: { filename: 'a.bin' }, bytes: someBytes(700_000) };
    await other.refused(422, 'filedrop.full', 'uploadForFiledrop', file);
  });

  testOnce('a refused delivery leaves nothing and may be corrected under the same key', async () => {
    const client = await visitor();
    const file = await handIn(client);
    const stranger = await handIn(await visitor());
    const own = await alice.upload('own.txt', 'x', 'uploadForMessage');
    const before = await tracesOf(app);
    for (const [code, wrong] of [
      ['submission.no_files', message([])],
      ['submission.unknown_file', message([file, 'A'.repeat(22)])],
      ['submission.unknown_file', message([file, stranger])],
      ['submission.unknown_file', message([file, own.id])],
      ['user.bad_email', message([file], { from: 'Sam <sam@elsewhere.example>' })],
      ['user.bad_email', message([file], { from: `${sam}\r\nBcc: x@y.example` })],
      ['user.bad_email', message([file], { from: '' })],
      ['message.bad_subject', message([file], { subject: 'a\r\nX: y' })],
      ['message.bad_body', message([file], { message: '\u0001' })],
      ['user.bad_name', message([file], { name: 'a\nb' })],
      ['request.bad_json', message([file], { name: '\0' })],
      ['request.invalid', message([file], { from: undefined })],
      ['request.invalid', message([file], { attachments: undefined })],
    ] as const)
      await client.refused(422, code, 'submitFiledrop', wrong);
    assert.deepEqual(await tracesOf(app), before);
    await client.expect(200, 'submitFiledrop', message([file]));
  });

  test('a program delivers once with its key, and the owner has a message', async () => {
    const client = await visitor();
    const bytes = someBytes(50_000);
    const chunks = cutInto(bytes, 2);
    await client.expect(200, 'uploadForFiledrop', {
      params: { name },
      query: { filename: 'Plan.bin', chunks: '2', chunk: '1' },
      bytes: chunks[1]!,
    });
    const last = await client.expect(200, 'uploadForFiledrop', {
      params: { name },
      query: { filename: 'Plan.bin', chunks: '2', chunk: '0' },
      bytes: chunks[0]!,
    });
    const file = wireForm(attachmentAnswer, last.body).attachment.id;
    const known = await inbox();
    const reply = await client.expect(200, 'submitFiledrop', message([file], { name: 'Sam <b>Sailor</b>' }));
    assert.ok(wireForm(filedropStatusAnswer, reply.body).message.status.length > 0);
    assert.doesNotMatch(reply.text, /[A-Za-z0-9]{22}/, 'a stranger learns no id');
    const [received, ...more] = await arrivedBesides(known);
    assert.equal(more.length, 0);
    assert.deepEqual(
      [received!.sender, received!.recipients, received!.subject, received!.message, received!.authorization],
      [sam, [alice.email], 'Plans', 'Here they are.', 3],
    );
    assert.equal(received!.attachments[0]!.checksum, sha256Of(bytes));
    assert.equal((await alice.fetch(await fileUrlOf(alice, received!.id))).status, 200);
    const mails = await mailbox.postAbout(app, received!.id);
    assert.deepEqual(
      mails.map(({ kind, to }) => `${kind} ${to}`),
      [`files-received ${alice.email}`],
      'a typed address gets no mail',
    );
    assert.doesNotMatch(mails[0]!.html, /<b>Sailor/);
    await client.refused(401, 'credentials.invalid', 'submitFiledrop', message(['A'.repeat(22)]));
    await client.refused(401, 'credentials.invalid', 'submitFiledrop', message([file, 'A'.repeat(22)]));
    await client.refused(401, 'credentials.invalid', 'uploadForFiledrop', {
      params: { name },
      query: { filename: 'a.txt' },
      bytes: 'x',
    });
  });

  test('a delivery that is repeated because its answer was lost gets the same answer, and arrives once', async () => {
    const client = await visitor();
    const file = await handIn(client);
    const known = await inbox();
    const first = await client.expect(200, 'submitFiledrop', message([file]));
    const again = await client.expect(200, 'submitFiledrop', message([file]));
    assert.deepEqual(again.body, first.body);
    const stranger = await visitor();
    await stranger.refused(422, 'submission.unknown_file', 'submitFiledrop', message([file]));
    assert.equal((await arrivedBesides(known)).length, 1);
  });

  testOnce('a delivery works without credentials while its files belong to a valid key', async () => {
    const client = await visitor();
    const file = await handIn(client);
    const visitorWithoutKey = app.anonymous;
    await visitorWithoutKey.refused(401, 'credentials.invalid', 'submitFiledrop', message(['A'.repeat(22)]));
    const own = await alice.upload('own.txt', 'x', 'uploadForMessage');
    await visitorWithoutKey.refused(401, 'credentials.invalid', 'submitFiledrop', message([own.id]));
    const other = await newPerson(app, 'neighbour');
    await visitorWithoutKey.refused(401, 'credentials.invalid', 'submitFiledrop', {
      ...message([file]),
      params: { name: await dropOf(other) },
    });
    await visitorWithoutKey.expect(200, 'submitFiledrop', message([file]));
    await visitorWithoutKey.refused(401, 'credentials.invalid', 'submitFiledrop', message([file]));
    const late = await handIn(await visitor());
    app.clock.advance(day);
    await visitorWithoutKey.refused(401, 'credentials.invalid', 'submitFiledrop', message([late]));
  });

  testOnce('a key is valid for a day and not a millisecond more', async () => {
    const client = await visitor();
    const file = await handIn(client);
    app.clock.advance(day - 1);
    await handIn(client, 'late.txt');
    app.clock.advance(1);
    await client.refused(401, 'credentials.invalid', 'submitFiledrop', message([file]));
  });

  test('of ten deliveries under one key one arrives', async () => {
    const client = await visitor();
    const files: string[] = [];
    for (let number = 0; number < 10; number++) files.push(await handIn(client, `${number}.txt`));
    const known = await inbox();
    const replies = await Promise.all(files.map((file) => client.call('submitFiledrop', message([file]))));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    for (const { status } of replies) assert.ok([200, 401, 422].includes(status));
    assert.equal((await arrivedBesides(known)).length, 1);
  });

  testOnce('thirty deliveries an hour are accepted, and not one more', async () => {
    const busy = await newPerson(app, 'busy');
    const drop = await dropOf(busy);
    const waiting: [ApiClient, string][] = [];
    for (let number = 0; number < 33; number++) {
      const client = await visitor(drop);
      waiting.push([client, await handIn(client, `${number}.txt`, 'x', drop)]);
    }
    const submit = ([client, file]: [ApiClient, string]) =>
      client.call('submitFiledrop', { ...message([file]), params: { name: drop } });
    const replies = await Promise.all(waiting.map(submit));
    assert.equal(replies.filter(({ status }) => status === 200).length, 30);
    const late = waiting[replies.findIndex(({ status }) => status === 422)]!;
    assert.equal((await submit(late)).status, 422);
    app.clock.advance(3_600_000);
    assert.equal((await submit(late)).status, 200, 'the files and the key wait');
  });

  test('a drop page by address opens where the group has it, in any spelling of the address', async () => {
    const group = await app.group('Reachable', { filedrop_email: true, filedrop_random: false });
    const reachable = await newPerson(app, 'reachable', { group, email: 'reachable@quay.example' });
    const { body } = await reachable.expect(200, 'getAccount');
    const { filedrop_url, filedrop_email_url } = (body as { user: Record<string, string> }).user;
    assert.deepEqual([filedrop_url, filedrop_email_url], ['', `${app.url}/filedrop/${reachable.email}`]);
    await reachable.refused(422, 'filedrop.no_random', 'resetAppDrop');
    for (const drop of [reachable.email, 'REACHABLE@Quay.example']) {
      const client = await visitor(drop);
      const file = await handIn(client, 'plan.txt', 'x', drop);
      await client.expect(200, 'submitFiledrop', { ...message([file]), params: { name: drop } });
    }
    assert.equal((await inbox(reachable)).length, 2);
    const page = await new Browser(app.url).get(`/filedrop/${encodeURIComponent(reachable.email)}`);
    assert.equal(page.status, 200);
  });

  test('a form from a foreign page, with a wrong key, without an address or without files is refused', async () => {
    const browser = new Browser(app.url);
    const page = await browser.get(`/filedrop/${name}`);
    const drop_key = Browser.hidden(page, 'drop_key');
    const file = { name: 'plan.txt', bytes: 'the plan' };
    const known = await inbox();
    assert.equal(
      (await browser.send(`/filedrop/${name}`, { drop_key }, { origin: 'https://evil.example' })).status,
      403,
    );
    assert.equal((await browser.sendFiles(`/filedrop/${name}`, { drop_key, email: sam }, [])).status, 422);
    const blobs = await storedBlobs(app);
    for (const wrong of ['', 'A'.repeat(22), 'x'])
      assert.equal((await browser.sendFiles(`/filedrop/${name}`, { drop_key: wrong, email: sam }, [file])).status, 401);
    assert.deepEqual(await storedBlobs(app), blobs);
    const nameless = await browser.sendFiles(`/filedrop/${name}`, { drop_key, email: '', subject: 'My plans' }, [file]);
    assert.equal(nameless.status, 422);
    assert.match(nameless.text, /My plans/, 'the entered values are kept');
    assert.match(nameless.words, /plan\.txt/, 'the chosen file is kept');
    assert.deepEqual(await arrivedBesides(known), []);
  });

  testOnce('the form names no files but those uploaded under its own key', async () => {
    const stranger = await handIn(await visitor(), 'ledger.txt');
    const own = await alice.upload('ledger.txt', 'x', 'uploadForMessage');
    const browser = new Browser(app.url);
    const drop_key = Browser.hidden(await browser.get(`/filedrop/${name}`), 'drop_key');
    for (const key of [drop_key, 'A'.repeat(22)])
      for (const attachments of [stranger, own.id]) {
        const reply = await browser.send(`/filedrop/${name}`, { drop_key: key, email: '', attachments });
        assert.equal(reply.status, 422);
        assert.doesNotMatch(reply.words, /ledger/);
      }
  });

  testOnce('files wait until the sender has proven the address, and are delivered with the right code', async () => {
    const browser = new Browser(app.url);
    const page = await browser.get(`/filedrop/${name}`);
    const drop_key = Browser.hidden(page, 'drop_key');
    const fields = { drop_key, email: sam, name: 'Sam', subject: 'Plans of the pier', message: 'Dear Alice' };
    const known = await inbox();
    await mailbox.post(app);
    const asked = await browser.sendFiles(`/filedrop/${name}`, fields, [{ name: 'pier.txt', bytes: 'the pier' }]);
    assert.equal(asked.status, 200);
    assert.match(asked.text, /\/verify\/code/);
    assert.deepEqual(await arrivedBesides(known), [], 'nothing is delivered yet');
    const target = Browser.hidden(asked, 'target');
    assert.equal(target, `drop:${name}`);
    const [mail] = (await mailbox.post(app)).filter(({ kind }) => kind === 'code');
    assert.equal(mail!.to, sam);
    const wrong = await browser.send('/verify/code', { target, code: 'AAAA-AAAA' });
    assert.match(wrong.text, /\/verify\/code/);
    assert.deepEqual(await arrivedBesides(known), [], 'a wrong code delivers nothing');
    const filled = await browser.get(`/filedrop/${name}`);
    for (const part of ['pier.txt', 'Plans of the pier', 'Dear Alice', sam])
      assert.ok(filled.text.includes(part) || filled.words.includes(part), part);
    const strangers = await new Browser(app.url).get(`/filedrop/${name}`);
    assert.doesNotMatch(strangers.text, /pier/, 'another browser sees an empty form');
    const delivered = await browser.send('/verify/code', { target, code: codeIn(mail!) });
    const id = referenceOf(delivered);
    assert.ok(id !== null, delivered.text.slice(0, 500));
    const received = await readMessage(alice, id);
    assert.deepEqual(
      [received.sender, received.subject, received.attachments[0]!.filename],
      [sam, 'Plans of the pier', 'pier.txt'],
    );
    const mails = (await mailbox.postAbout(app, id)).map(({ kind, to }) => `${kind} ${to}`).sort();
    assert.deepEqual(mails, [`files-received ${alice.email}`, `uploader-receipt ${sam}`]);
    const again = await browser.get(`/filedrop/${name}`);
    assert.doesNotMatch(again.words, /pier/, 'a delivered form is empty again');
  });

  test('the button of the mail moves the delivery to another browser, which shows it and sends with one click', async () => {
    const address = 'otto@pier.example';
    const desktop = new Browser(app.url);
    const drop_key = Browser.hidden(await desktop.get(`/filedrop/${name}`), 'drop_key');
    const known = await inbox();
    await mailbox.post(app);
    const fields = { drop_key, email: address, name: 'Otto', subject: 'Moorings', message: '' };
    const asked = await desktop.sendFiles(`/filedrop/${name}`, fields, [{ name: 'mooring.txt', bytes: 'rope' }]);
    const [mail] = (await mailbox.post(app)).filter(({ kind }) => kind === 'code');
    assert.match(mail!.text, /your files go to alice/);
    const path = new URL(/https?:\S+\/verify\/\w+/.exec(mail!.text)![0]).pathname;
    const phone = new Browser(app.url);
    assert.match((await phone.get(path)).words, /Continue as o•••@pier\.example/);
    const form = await phone.send('/verify/link', { link: path.split('/').at(-1)! });
    assert.deepEqual(await arrivedBesides(known), [], 'nothing is sent before the sender has seen it');
    for (const part of ['mooring.txt', 'Your address is confirmed', address])
      assert.ok(form.words.includes(part), part);
    const attachments = /name="attachments"[^>]*value="(\w{22})"|value="(\w{22})"[^>]*name="attachments"/.exec(
      form.text,
    )!;
    const sent = await phone.send(`/filedrop/${name}`, {
      drop_key: Browser.hidden(form, 'drop_key'),
      subject: 'Moorings',
      attachments: (attachments[1] ?? attachments[2])!,
    });
    const id = referenceOf(sent)!;
    assert.equal((await readMessage(alice, id)).sender, address);
    const fresh = await phone.get(`/filedrop/${name}`);
    assert.ok(!fresh.words.includes('press Send'), 'nothing is left to send');
    const target = Browser.hidden(asked, 'target');
    const late = await desktop.send('/verify/code', { target, code: codeIn(mail!) });
    assert.equal(referenceOf(late), id, 'the waiting browser gets the same receipt');
  });

  /** Uploads one file at a page that requires a proven address, and returns the browser that waits for a code. */
  async function waiting(email: string, file: string) {
    const browser = new Browser(app.url);
    const drop_key = Browser.hidden(await browser.get(`/filedrop/${name}`), 'drop_key');
    await mailbox.post(app);
    await browser.sendFiles(`/filedrop/${name}`, { drop_key, email, subject: file }, [{ name: file, bytes: 'rope' }]);
    return { browser, target: `drop:${name}` };
  }
  const codeMail = async () => (await mailbox.post(app)).find(({ kind }) => kind === 'code')!;

  testOnce('waiting files are delivered by a second code, and by one for another address', async () => {
    for (const [fields, sender] of [
      [{}, 'nora@pier.example'],
      [{ address: 'nora@quay.example' }, 'nora@quay.example'],
    ] as const) {
      const { browser, target } = await waiting('nora@pier.example', 'again.txt');
      app.clock.advance(60_000);
      await mailbox.post(app);
      await browser.send('/verify/address', { target, ...fields });
      const mail = await codeMail();
      assert.equal(mail.to, sender);
      const id = referenceOf(await browser.send('/verify/code', { target, code: codeIn(mail) }));
      assert.ok(id !== null, 'the page said that the files go out with the code');
      assert.equal((await readMessage(alice, id)).sender, sender);
    }
  });

  testOnce('a code requested with an old button shows the waiting files, and sends them with one click', async () => {
    const known = await inbox();
    await waiting('olga@pier.example', 'late.txt');
    const path = new URL(/https?:\S+\/verify\/\w+/.exec((await codeMail()).text)![0]).pathname;
    app.clock.advance(11 * 60_000);
    const phone = new Browser(app.url);
    assert.match((await phone.get(path)).words, /older than 10 minutes/);
    const target = `drop:${name}`;
    await phone.send('/verify/address', { target, link: path.split('/').at(-1)! });
    const form = await phone.send('/verify/code', { target, code: codeIn(await codeMail()) });
    assert.deepEqual(await arrivedBesides(known), [], 'nothing is sent before the sender has seen it');
    for (const part of ['late.txt', 'Your address is confirmed']) assert.ok(form.words.includes(part), part);
  });

  testOnce('a finder of an old button cannot send the waiting files with another address', async () => {
    await waiting('pia@pier.example', 'private.txt');
    const path = new URL(/https?:\S+\/verify\/\w+/.exec((await codeMail()).text)![0]).pathname;
    app.clock.advance(11 * 60_000);
    const finder = new Browser(app.url);
    const target = `drop:${name}`;
    await finder.send('/verify/address', { target, link: path.split('/').at(-1)! });
    await mailbox.post(app);
    await finder.send('/verify/address', { target, address: 'finder@elsewhere.example' });
    const form = await finder.send('/verify/code', { target, code: codeIn(await codeMail()) });
    assert.equal(form.status, 200);
    assert.doesNotMatch(form.words, /private/);
  });

  testOnce('the proven address is the sender, whatever the form says', async () => {
    const browser = await browserProving(app, 'cleo@pier.example');
    const drop_key = Browser.hidden(await browser.get(`/filedrop/${name}`), 'drop_key');
    const delivered = await browser.sendFiles(
      `/filedrop/${name}`,
      { drop_key, email: 'boss@example.com', subject: 'x' },
      [{ name: 'a.txt', bytes: 'x' }],
    );
    assert.equal((await readMessage(alice, referenceOf(delivered)!)).sender, 'cleo@pier.example');
  });

  test('where the group requires no proof a form delivers immediately, and the entered address gets no mail', async () => {
    const group = await app.group('Trusting', { filedrop_confirm_sender: false });
    const trusting = await newPerson(app, 'trusting', { group });
    const drop = await dropOf(trusting);
    const browser = new Browser(app.url);
    const drop_key = Browser.hidden(await browser.get(`/filedrop/${drop}`), 'drop_key');
    const upload = await app.anonymous.expect(200, 'uploadForDropPage', {
      params: { name: drop, key: drop_key },
      query: { filename: 'script.txt' },
      bytes: 'by script',
    });
    const attachments = wireForm(attachmentAnswer, upload.body).attachment.id;
    const fields = { drop_key, email: sam, subject: 'Hello', attachments };
    for (const email of ['not an address', `${sam}\r\nBcc: x@y.example`])
      assert.equal((await browser.send(`/filedrop/${drop}`, { ...fields, email })).status, 422);
    const delivered = await browser.send(`/filedrop/${drop}`, fields);
    const id = referenceOf(delivered)!;
    assert.deepEqual(
      (await readMessage(trusting, id)).attachments.map(({ filename }) => filename),
      ['script.txt'],
    );
    assert.deepEqual(
      (await mailbox.postAbout(app, id)).map(({ kind }) => kind),
      ['files-received'],
    );
    assert.equal((await attachmentRow(app, attachments)).reference_count, 1);
    assert.equal(
      referenceOf(await browser.send(`/filedrop/${drop}`, fields)),
      id,
      'a repeated form leads to the receipt',
    );
    const other = await browser.send(`/filedrop/${drop}`, { ...fields, attachments: 'A'.repeat(22) });
    assert.ok(other.status >= 400 && other.status < 500, 'the key of the form served once');
  });
});
