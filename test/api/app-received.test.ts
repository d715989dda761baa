import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { appRequestAnswer, appRequestsAnswer } from '#contract/app/file-requests.ts';
import { appDropAnswer } from '#contract/app/filedrops.ts';
import { appReceivedAnswer, appReceivedListAnswer, readReceivedAnswer, ticketAnswer } from '#contract/app/received.ts';
import { attachmentAnswer } from '#contract/attachments.ts';
import { fileRequestAnswer } from '#contract/file-requests.ts';
import { filedropAnswer } from '#contract/filedrops.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { ApiClient } from '#test/kit/client.ts';
import { fetchFile } from '#test/kit/downloads.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { countersOf, inlineFile, newPerson, sendMessage } from '#test/kit/messages.ts';
import { untilDownloadsEnd } from '#test/kit/sent.ts';
import { useApp } from '#test/kit/use-app.ts';
import { unpack } from '#test/kit/zip-reader.ts';
import { wireForm } from '../kit/wire-form.ts';

const dayMs = 86_400_000;

onEachDatabase('received, requests and drop page of the web app', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  let alice: ApiClient;
  let ben: ApiClient;
  let eve: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
    ben = await newPerson(app, 'ben');
    eve = await newPerson(app, 'eve');
  });

  const list = async (who: ApiClient, query: Record<string, string> = {}) =>
    wireForm(appReceivedListAnswer, (await who.expect(200, 'listReceived', { query })).body);
  const show = async (who: ApiClient, id: string) =>
    wireForm(appReceivedAnswer, (await who.expect(200, 'getReceived', { params: { id } })).body).received;
  const ticket = async (who: ApiClient, id: string, attachment: string) => {
    const reply = await who.expect(200, 'createReceivedTicket', { params: { id }, body: { attachment } });
    return wireForm(ticketAnswer, reply.body).ticket.url.slice(app.url.length);
  };
  const send = (to: ApiClient, more: Record<string, unknown> = {}) =>
    sendMessage(alice, {
      recipients: [to.email],
      subject: 'Plans',
      message: 'The text',
      attachments: [inlineFile('plan.txt', 'the plan')],
      ...more,
    });
  const ask = async (who: ApiClient, more: Record<string, unknown> = {}) => {
    const request = { recipient: 'sam@elsewhere.example', subject: 'Your drawings', message: 'Send them.', ...more };
    return wireForm(fileRequestAnswer, (await who.expect(200, 'createFileRequest', { body: { request } })).body)
      .request;
  };
  const answer = async (id: string) => {
    const reply = await app.anonymous.expect(200, 'uploadForRequest', {
      params: { id },
      query: { filename: 'drawing.txt' },
      bytes: 'lines',
    });
    const file = wireForm(attachmentAnswer, reply.body).attachment.id;
    return new Browser(app.url).submit(`/requests/${id}`, { note: '', attachments: file });
  };
  const requests = async (who: ApiClient, query: Record<string, string> = {}) =>
    wireForm(appRequestsAnswer, (await who.expect(200, 'listAppRequests', { query })).body);
  const request = async (who: ApiClient, id: string) =>
    wireForm(appRequestAnswer, (await who.expect(200, 'getAppRequest', { params: { id } })).body).request;
  const eventsOf = async (id: string) => {
    const rows = await app.app.ctx.db.read
      .selectFrom('events')
      .select('action')
      .where('object_id', '=', id)
      .orderBy('seq')
      .execute();
    return rows.map((row) => row.action);
  };

  testOnce('a message of another user is refused like one that never existed', async () => {
    const message = await send(ben);
    for (const id of [message.id, 'A'.repeat(22), 'short']) {
      await eve.refused(404, 'message.not_found', 'getReceived', { params: { id } });
      await eve.refused(404, 'message.not_found', 'readReceived', { params: { id } });
      await eve.refused(404, 'message.not_found', 'createReceivedTicket', { params: { id }, body: { attachment: id } });
    }
    assert.equal((await list(eve)).total, 0);
  });

  testOnce('a message to oneself is not listed as received', async () => {
    const message = await send(ben);
    await alice.refused(404, 'message.not_found', 'getReceived', { params: { id: message.id } });
  });

  testOnce('a withdrawn message disappears from the list and from its address', async () => {
    const cleo = await newPerson(app, 'cleo');
    const message = await send(cleo);
    assert.equal((await list(cleo)).total, 1);
    await alice.expect(200, 'deleteMessageAttachments', { params: { id: message.id } });
    assert.equal((await list(cleo)).total, 0);
    await cleo.refused(404, 'message.not_found', 'getReceived', { params: { id: message.id } });
  });

  test('an expired message is listed without its text and files', async () => {
    const dora = await newPerson(app, 'dora');
    const message = await send(dora);
    app.clock.advance(40 * dayMs);
    const [item] = (await list(dora, { state: 'expired' })).items;
    assert.deepEqual([item!.id, item!.state, item!.subject], [message.id, 'expired', 'Plans']);
    const detail = await show(dora, message.id);
    assert.deepEqual([detail.message, detail.attachments.map((file) => file.state)], [null, ['removed']]);
    await dora.refused(410, 'message.expired', 'createReceivedTicket', {
      params: { id: message.id },
      body: { attachment: detail.attachments[0]!.id },
    });
    await dora.refused(410, 'message.expired', 'readReceived', { params: { id: message.id } });
  });

  test('opening a message counts nothing; a ticket counts with its first byte, up to the limit of the sender', async () => {
    const fred = await newPerson(app, 'fred');
    const message = await send(fred, { expires_after: 1 });
    const detail = await show(fred, message.id);
    const file = detail.attachments[0]!;
    assert.deepEqual(
      [detail.state, detail.message, detail.downloads_left, file.state, file.downloaded_at],
      ['new', 'The text', 1, 'ready', null],
    );
    const path = await ticket(fred, message.id, file.id);
    assert.deepEqual(await countersOf(app, message.id), {});
    assert.equal((await fetchFile(app.url, path)).bytes.toString(), 'the plan');
    assert.deepEqual(await countersOf(app, message.id), { [fred.email]: 1 });
    await untilDownloaded(fred, message.id);
    const after = await show(fred, message.id);
    assert.deepEqual([after.state, after.attachments[0]!.state], ['downloaded', 'used_up']);
    assert.deepEqual(
      (await list(fred, { state: 'downloaded' })).items.map(({ id }) => id),
      [message.id],
    );
    assert.equal((await list(fred, { state: 'new' })).total, 0);
    await fred.refused(410, 'download.limit_reached', 'createReceivedTicket', {
      params: { id: message.id },
      body: { attachment: file.id },
    });
    await fred.refused(404, 'file.not_found', 'createReceivedTicket', {
      params: { id: message.id },
      body: { attachment: 'A'.repeat(22) },
    });
  });

  testOnce(
    'all files are one archive of what is left; a single one is served as such; without any, the reason is returned',
    async () => {
      const fay = await newPerson(app, 'fay');
      const two = [inlineFile('a.txt', 'first'), inlineFile('b.txt', 'second')];
      const message = await send(fay, { subject: 'Both', attachments: two, expires_after: 1 });
      const names = async (path: string) => unpack((await fetchFile(app.url, path)).bytes).map(({ name }) => name);
      const [a, b] = (await show(fay, message.id)).attachments;
      const path = await ticket(fay, message.id, 'all');
      assert.match(path, /^\/dl\/\w+\/Both\.zip$/);
      assert.equal((await fetchFile(app.url, await ticket(fay, message.id, a!.id))).bytes.toString(), 'first');
      const single = await ticket(fay, message.id, 'all');
      assert.match(single, /\/b\.txt$/);
      assert.equal((await fetchFile(app.url, single)).bytes.toString(), 'second');
      for (const attachment of ['all', b!.id])
        await fay.refused(410, 'download.limit_reached', 'createReceivedTicket', {
          params: { id: message.id },
          body: { attachment },
        });
      const free = await send(fay, { subject: 'Free', attachments: two });
      assert.deepEqual(await names(await ticket(fay, free.id, 'all')), ['a.txt', 'b.txt']);
      const empty = await send(fay, { attachments: [] });
      const params = { id: empty.id };
      await fay.refused(404, 'file.not_found', 'createReceivedTicket', { params, body: { attachment: 'all' } });
      app.clock.advance(40 * dayMs);
      await fay.refused(410, 'message.expired', 'createReceivedTicket', {
        params: { id: message.id },
        body: { attachment: 'all' },
      });
    },
  );

  /** The server records the delivery after the last byte. */
  async function untilDownloaded(who: ApiClient, id: string): Promise<void> {
    while ((await show(who, id)).state !== 'downloaded') await new Promise((resolve) => setImmediate(resolve));
  }

  test('a private text is shown by the read call only, which is counted and reported', async () => {
    const gina = await newPerson(app, 'gina');
    const message = await send(gina, { private_message: true, expires_after: 1 });
    assert.equal((await show(gina, message.id)).message, null);
    const reply = await gina.expect(200, 'readReceived', { params: { id: message.id } });
    assert.equal(wireForm(readReceivedAnswer, reply.body).message, 'The text');
    assert.equal((await show(gina, message.id)).message, null);
    await gina.refused(410, 'message.used_up', 'readReceived', { params: { id: message.id } });
    assert.ok((await eventsOf(message.id)).includes('message.read'));
  });

  testOnce('reading a text that is open, or one’s own, counts nothing', async () => {
    const hugh = await newPerson(app, 'hugh');
    const open = await send(hugh, { expires_after: 1 });
    const own = await sendMessage(hugh, {
      recipients: [hugh.email],
      message: 'x',
      private_message: true,
      expires_after: 1,
    });
    for (const { id } of [open, open, own, own]) {
      await hugh.expect(200, 'readReceived', { params: { id } });
      assert.ok(!(await eventsOf(id)).includes('message.read'));
    }
  });

  testOnce('formatted text is returned as such, for a private message by the read call only', async () => {
    const group = await app.group('Formatting', { message_can_use_html: true });
    const nora = await newPerson(app, 'nora', { group });
    const text = { recipients: [ben.email], subject: 'x', message: '<p>Hello <b>Ben</b></p>', message_format: 'html' };
    const open = await sendMessage(nora, text);
    const shown = await show(ben, open.id);
    assert.deepEqual([shown.message, shown.message_html], ['Hello Ben', '<p>Hello <b>Ben</b></p>']);
    const sealed = await sendMessage(nora, { ...text, private_message: true });
    const hidden = await ben.expect(200, 'getReceived', { params: { id: sealed.id } });
    assert.doesNotMatch(hidden.text, /Hello/);
    const read = await ben.expect(200, 'readReceived', { params: { id: sealed.id } });
    assert.equal(wireForm(readReceivedAnswer, read.body).message_html, '<p>Hello <b>Ben</b></p>');
  });

  testOnce('messages to an alias come to its owner; blind copies stay hidden', async () => {
    const { body } = await app.admin.expect(200, 'createUser', {
      body: { user: { email: 'hal@example.com', name: 'Hal', recipient_aliases: 'sales@example.com' } },
    });
    assert.ok(body);
    const key = (await app.admin.expect(200, 'getApiKey', { query: { email: 'hal@example.com' } })).body as {
      user: { api_key: string };
    };
    const hal = new ApiClient(app.url, key.user.api_key, 'hal@example.com');
    const attachments = [inlineFile('offer.txt', 'the offer')];
    const blind = { bcc: ['sales@example.com'], cc: [ben.email] };
    const message = await sendMessage(alice, { ...blind, subject: 'Offer', authorization: 3, attachments });
    const detail = await show(hal, message.id);
    assert.equal(detail.state, 'new');
    await fetchFile(app.url, await ticket(hal, message.id, detail.attachments[0]!.id));
    await untilDownloadsEnd(app);
    assert.equal((await show(hal, message.id)).state, 'downloaded', 'by the recipient address');
    assert.deepEqual([detail.to, detail.cc, detail.subject], [[], [ben.email], 'Offer']);
    assert.ok(!JSON.stringify(detail).includes('sales@'));
    const openedBy = async (client: ApiClient, id: string) => (await show(client, id)).is_only_recipient;
    assert.deepEqual([await openedBy(hal, message.id), await openedBy(ben, message.id)], [false, false]);
    const alone = await sendMessage(alice, { recipients: ['sales@example.com'], subject: 'Offer', authorization: 3 });
    assert.equal(await openedBy(hal, alone.id), true);
  });

  test('a ticket ends with the alias it was issued for, and returns the downloads of this person only', async () => {
    const email = 'ines@elsewhere.example';
    const ines = await newPerson(app, 'ines', { group: 'external-users', email });
    const change = (recipient_aliases: string[]) =>
      app.admin.expect(200, 'changeUser', {
        params: { id: 'ines-elsewhere-example' },
        body: { user: { recipient_aliases } },
      });
    await change(['desk@elsewhere.example']);
    const message = await sendMessage(alice, {
      recipients: ['desk@elsewhere.example'],
      authorization: 3,
      expires_after: 1,
      attachments: [inlineFile('plan.txt', 'the plan')],
    });
    const { id } = message;
    const attachment = (await show(ines, id)).attachments[0]!;
    assert.equal(attachment.downloads_left, 1);
    const path = await ticket(ines, id, attachment.id);
    await change([]);
    assert.equal((await fetchFile(app.url, path)).status, 403);
    await change(['desk@elsewhere.example']);
    assert.equal((await fetchFile(app.url, path)).status, 200);
    assert.equal((await show(ines, id)).attachments[0]!.downloads_left, 0);
    await alice.expect(200, 'allowMoreDownloads', {
      params: { id },
      body: { expires_after: 3, address: 'desk@elsewhere.example' },
    });
    assert.equal((await show(ines, id)).attachments[0]!.downloads_left, 2);
  });

  testOnce('a request of another user is refused like one that never existed, for every method', async () => {
    const { id } = await ask(alice);
    for (const unknownId of [id, 'A'.repeat(22), 'short']) {
      const params = { id: unknownId };
      await eve.refused(404, 'request.not_found', 'getAppRequest', { params });
      await eve.refused(404, 'request.not_found', 'remindRequest', { params });
      await eve.refused(404, 'request.not_found', 'closeRequest', { params });
      await eve.refused(404, 'request.not_found', 'extendRequest', { params, body: { expires_at: '2030-01-01' } });
      await eve.refused(404, 'request.not_found', 'reopenRequest', { params, body: {} });
    }
  });

  test('a request changes from waiting to received, and its answer is listed as received', async () => {
    const ida = await newPerson(app, 'ida');
    const { id } = await ask(ida);
    assert.deepEqual(
      (await requests(ida, { state: 'waiting' })).items.map((item) => item.id),
      [id],
    );
    assert.equal((await answer(id)).status, 303);
    const detail = await request(ida, id);
    assert.deepEqual([detail.state, detail.deliveries, detail.files], ['received', 1, 1]);
    assert.deepEqual(
      detail.deliveries_list[0]!.files.map((file) => file.filename),
      ['drawing.txt'],
    );
    const [item] = (await list(ida, { kind: 'request' })).items;
    assert.deepEqual([item!.id, item!.kind], [detail.deliveries_list[0]!.message_id, 'request']);
    const received = await show(ida, item!.id);
    assert.equal(received.request_id, id);
    const path = await ticket(ida, item!.id, received.attachments[0]!.id);
    assert.equal((await fetchFile(app.url, path)).bytes.toString(), 'lines');
    await ida.expect(200, 'deleteMessageAttachments', { params: { id: item!.id } });
    assert.equal((await request(ida, id)).state, 'used');
    assert.deepEqual(
      (await requests(ida, { q: 'drawings' })).items.map((found) => found.state),
      ['used'],
    );
  });

  test('reminders are sent once a day, as often as the group permits, and not for what is over', async () => {
    const group = await app.group('two reminders', { message_reminders: 2 });
    const jon = await newPerson(app, 'jon', { group });
    const { id } = await ask(jon);
    const params = { id };
    await jon.refused(422, 'request.reminded_lately', 'remindRequest', { params });
    for (let count = 1; count <= 2; count++) {
      app.clock.advance(dayMs);
      const reply = await jon.expect(200, 'remindRequest', { params });
      assert.equal(wireForm(appRequestAnswer, reply.body).request.reminders.sent, count);
      await jon.refused(422, count === 2 ? 'request.reminders_used' : 'request.reminded_lately', 'remindRequest', {
        params,
      });
    }
    const { mails } = await request(jon, id);
    assert.deepEqual(
      mails.map((mail) => mail.kind),
      ['reminder', 'reminder', 'request'],
    );
    await jon.expect(200, 'closeRequest', { params });
    await jon.refused(422, 'request.not_open', 'remindRequest', { params });
    assert.deepEqual(await eventsOf(id), ['request.created', 'request.reminded', 'request.reminded', 'request.closed']);
  });

  testOnce('a closed request accepts nothing more; open again, it does', async () => {
    const kim = await newPerson(app, 'kim');
    const { id, expires_at: until } = await ask(kim);
    const params = { id };
    await kim.refused(422, 'request.still_open', 'reopenRequest', { params, body: {} });
    await kim.refused(422, 'request.bad_date', 'extendRequest', { params, body: { expires_at: 'soon' } });
    await kim.refused(422, 'request.expiry_past', 'extendRequest', { params, body: { expires_at: '2020-01-01' } });
    await kim.expect(200, 'closeRequest', { params });
    await kim.refused(422, 'request.not_open', 'closeRequest', { params });
    await app.anonymous.refused(410, 'request.closed', 'uploadForRequest', {
      params,
      query: { filename: 'late.txt' },
      bytes: 'late',
    });
    await kim.refused(422, 'request.not_open', 'extendRequest', { params, body: { expires_at: until } });
    await kim.expect(200, 'reopenRequest', { params, body: { send_email: false } });
    assert.equal((await request(kim, id)).state, 'waiting');
    assert.equal((await answer(id)).status, 303);
    const { id: other } = await ask(kim);
    app.clock.advance(30 * dayMs);
    assert.equal((await request(kim, other)).state, 'expired');
    const day = new Date(app.clock.now() + 5 * dayMs).toISOString().slice(0, 10);
    const extended = await kim.expect(200, 'extendRequest', { params: { id: other }, body: { expires_at: day } });
    const body = wireForm(appRequestAnswer, extended.body).request;
    assert.deepEqual([body.state, body.expires_at], ['waiting', day]);
  });

  test('asking again by mail is a request, not a reminder', async () => {
    const lea = await newPerson(app, 'lea');
    const { id } = await ask(lea);
    await lea.expect(200, 'closeRequest', { params: { id } });
    app.clock.advance(1);
    await lea.expect(200, 'reopenRequest', { params: { id }, body: {} });
    assert.deepEqual(
      (await request(lea, id)).mails.map((mail) => mail.kind),
      ['request', 'request'],
    );
  });

  const drop = async (who: ApiClient) => wireForm(appDropAnswer, (await who.expect(200, 'getAppDrop')).body).drop;
  const nameOf = (url: string) => url.slice(`${app.url}/filedrop/`.length);
  const keyFor = async (name: string) =>
    wireForm(filedropAnswer, (await app.anonymous.expect(200, 'getFiledrop', { params: { name } })).body).filedrop
      .api_key;

  testOnce('a group without drop pages has nothing to switch', async () => {
    const group = await app.group('no drops', { filedrop_random: false });
    const lou = await newPerson(app, 'lou', { group });
    assert.deepEqual([(await drop(lou)).is_available, (await drop(lou)).random_url], [false, '']);
    await lou.refused(422, 'filedrop.not_permitted', 'changeAppDrop', { body: { is_open: true } });
    await lou.refused(422, 'filedrop.not_permitted', 'resetAppDrop');
  });

  test('a closed drop page answers like one that never existed, also to keys issued before', async () => {
    const mia = await newPerson(app, 'mia');
    const name = nameOf((await drop(mia)).random_url);
    const outside = new ApiClient(app.url, await keyFor(name), '');
    await mia.expect(200, 'changeAppDrop', { body: { is_open: false } });
    await app.anonymous.refused(404, 'filedrop.not_found', 'getFiledrop', { params: { name } });
    await outside.refused(404, 'filedrop.not_found', 'uploadForFiledrop', {
      params: { name },
      query: { filename: 'a.txt' },
      bytes: 'a',
    });
    await mia.expect(200, 'changeAppDrop', { body: { is_open: true } });
    assert.equal((await drop(mia)).is_open, true);
    await keyFor(name);
  });

  test('a new address stops the old one immediately, and the keys issued for it', async () => {
    const ned = await newPerson(app, 'ned');
    const old = nameOf((await drop(ned)).random_url);
    const outside = new ApiClient(app.url, await keyFor(old), '');
    const reply = await ned.expect(200, 'resetAppDrop');
    const name = nameOf(wireForm(appDropAnswer, reply.body).drop.random_url);
    assert.notEqual(name, old);
    await app.anonymous.refused(404, 'filedrop.not_found', 'getFiledrop', { params: { name: old } });
    await outside.refused(401, 'credentials.invalid', 'uploadForFiledrop', {
      params: { name },
      query: { filename: 'a.txt' },
      bytes: 'a',
    });
    const left = await app.app.ctx.db.read.selectFrom('drop_keys').select('id').where('drop_name', '=', old).execute();
    assert.deepEqual(left, [], 'keys are deleted, not only invalid');
    await keyFor(name);
  });
});
