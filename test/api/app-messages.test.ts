import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { activityAnswer, type SentItemBody, sentListAnswer } from '#contract/app/messages.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { until } from '#test/kit/eventually.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { browserOf, browserProving, inlineFile, newPerson, sendMessage } from '#test/kit/messages.ts';
import { clickFile, downloadAs, track, trackPerson } from '#test/kit/sent.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const dayMs = 86_400_000;
const password = 'seven lamps under a quiet river';

onEachDatabase('the tracker of sent messages', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice', { password });
  });

  const send = (more: Record<string, unknown> = {}, sender = alice) =>
    sendMessage(sender, {
      recipients: ['ben@harbour.example', 'chiara@rossi.example'],
      subject: 'Drawings',
      message: 'Here they are.',
      send_email: true,
      attachments: [inlineFile('plan.txt', 'the plan'), inlineFile('model.txt', 'the model')],
      ...more,
    });

  const list = async (query: Record<string, string> = {}, sender = alice) =>
    wireForm(sentListAnswer, (await sender.expect(200, 'listSentMessages', { query })).body);

  testOnce('only the sender sees it, not even a recipient or an administrator', async () => {
    const ben = await newPerson(app, 'ben', { email: 'ben@harbour.example' });
    const { id } = await send();
    for (const other of [ben, app.admin]) {
      await other.refused(404, 'message.not_found', 'getSentMessage', { params: { id } });
      await other.refused(404, 'message.not_found', 'listMessageActivity', { params: { id } });
      await other.refused(404, 'message.not_found', 'getExposure', { params: { id, address: 'ben@harbour.example' } });
    }
    await alice.refused(404, 'message.not_found', 'getSentMessage', { params: { id: 'nonsense' } });
    await app.anonymous.refused(401, 'credentials.invalid', 'getSentMessage', { params: { id } });
  });

  test('invalid states, dates, sorts and pages are refused', async () => {
    for (const query of [
      { state: 'great' },
      { from: '2026-02-30' },
      { to: 'yesterday' },
      { sort: 'colour' },
      { page: '0' },
      { page: '1.5' },
      { size: '101' },
    ] as Record<string, string>[]) {
      await alice.refused(422, 'request.invalid', 'listSentMessages', { query });
    }
    const { id } = await send();
    await alice.refused(422, 'request.invalid', 'listMessageActivity', { params: { id }, query: { kind: 'gossip' } });
  });

  testOnce(
    'shows each step of each person: pending, accepted, opened, partly downloaded, completely downloaded',
    async () => {
      const { id } = await send();
      const queued = await track(alice, id);
      assert.equal(queued.state, 'on_its_way');
      assert.deepEqual(
        queued.people.map((person) => [person.address, person.state, person.mail.state]),
        [
          ['ben@harbour.example', 'waiting', 'queued'],
          ['chiara@rossi.example', 'waiting', 'queued'],
        ],
      );
      await mailbox.post(app);
      const delivered = await trackPerson(alice, id, 'ben@harbour.example');
      assert.equal(delivered.state, 'delivered');
      assert.equal(delivered.mail.state, 'accepted');
      assert.ok(delivered.mail.at !== null);

      const browser = await browserProving(app, 'ben@harbour.example');
      await browser.get(`/message/${id}`);
      await until(async () => (await trackPerson(alice, id, 'ben@harbour.example')).state === 'opened');
      const [plan, model] = queued.files.map((file) => file.id) as [string, string];
      await downloadAs(app, 'ben@harbour.example', id, [plan]);
      const partly = await track(alice, id);
      assert.equal(partly.state, 'partly');
      assert.equal(partly.people[0]!.state, 'partly');
      assert.equal(partly.people[0]!.files_done, 1);
      assert.deepEqual(
        partly.files.map((file) => file.people_done),
        [1, 0],
      );
      const [download] = partly.people[0]!.files[0]!.downloads;
      assert.equal(download!.whole, true);
      assert.equal(download!.bytes, 8);
      assert.equal(download!.ip, '127.0.0.1');

      await downloadAs(app, 'ben@harbour.example', id, [model]);
      await downloadAs(app, 'chiara@rossi.example', id, [plan, model]);
      const all = await track(alice, id);
      assert.equal(all.state, 'all');
      assert.equal(all.people_done, 2);
      assert.deepEqual(
        all.files.map((file) => [file.filename, file.downloads, file.people_done]),
        [
          ['plan.txt', 2, 2],
          ['model.txt', 2, 2],
        ],
      );
    },
  );

  test('shows the words of a refusing server, for that person only', async () => {
    const { id } = await send({ recipients: ['gone@refusing.example', 'ben@harbour.example'] });
    mailbox.transport.answer = (mail) =>
      mail.to === 'gone@refusing.example'
        ? { outcome: 'refused', reason: '550 5.1.1 mailbox unavailable' }
        : { outcome: 'accepted', serverText: '250 queued as 1' };
    await mailbox.post(app);
    mailbox.transport.answer = null;
    const message = await track(alice, id);
    assert.equal(message.state, 'problem');
    assert.equal(message.people[0]!.state, 'problem');
    assert.equal(message.people[0]!.mail.state, 'refused');
    assert.match(message.people[0]!.mail.server_words, /mailbox unavailable/);
    assert.equal(message.people[0]!.mail.problem, 'unknown_address');
    assert.deepEqual(
      message.people[1]!.mails.map((mail) => [mail.kind, mail.state, mail.problem]),
      [['message', 'accepted', 'none']],
    );
    assert.equal(message.people[1]!.state, 'delivered');
  });

  testOnce('shows that a mail is delayed, and when it is tried again', async () => {
    const { id } = await send({ recipients: ['slow@deferring.example'] });
    mailbox.transport.answer = () => ({ outcome: 'deferred', reason: '451 try later' });
    await app.app.jobs.runOnce('send-outbox');
    mailbox.transport.answer = null;
    const { mail } = await trackPerson(alice, id, 'slow@deferring.example');
    assert.equal(mail.state, 'deferred');
    assert.equal(mail.attempts, 1);
    assert.ok(mail.next_at !== null && mail.next_at > new Date(app.clock.now()).toISOString());
    app.clock.advance(60_000);
    await mailbox.post(app);
    assert.equal((await trackPerson(alice, id, 'slow@deferring.example')).mail.state, 'accepted');
  });

  testOnce('without mail there is no delivery, and the sender passes on the link', async () => {
    const { id, url } = await send({ send_email: false });
    const message = await track(alice, id);
    assert.equal(message.people[0]!.mail.state, 'none');
    assert.equal(message.url, url);
  });

  testOnce('downloads by people who are no recipients are listed separately', async () => {
    const group = await app.group('Open hearts', { message_can_use_anyone: true });
    const olga = await newPerson(app, 'olga', { group });
    const { id } = await send({ authorization: 1 }, olga);
    const [plan] = (await track(olga, id)).files;
    await downloadAs(app, 'zoe@elsewhere.example', id, [plan!.id]);
    const message = await track(olga, id);
    assert.deepEqual(
      message.others.map((other) => [other.address, other.downloads.map((one) => one.filename)]),
      [['zoe@elsewhere.example', ['plan.txt']]],
    );
    assert.equal(message.people_done, 0);
    const open = await send({ authorization: 0 }, olga);
    const stranger = new Browser(app.url);
    const file = (await track(olga, open.id)).files[0]!;
    await stranger.get((await clickFile(stranger, open.id, file.id))!);
    assert.deepEqual(
      (await track(olga, open.id)).others.map((other) => other.address),
      [''],
    );
  });

  testOnce('programs that follow links are listed separately from people, and use up nothing', async () => {
    const { id } = await send();
    const scanner = new Browser(app.url);
    await scanner.head(`/message/${id}`);
    await scanner.get(`/message/${id}`, { 'user-agent': 'Mozilla/5.0 (compatible; LinkScanBot/2.0)' });
    const person = new Browser(app.url);
    await person.get(`/message/${id}`, {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      'accept-language': 'sv',
      'sec-fetch-mode': 'navigate',
    });
    const message = await until(async () => {
      const now = await track(alice, id);
      return now.scanners.length === 2 && now.visits.length === 1 && now;
    });
    assert.equal(message.visits[0]!.browser, 'Firefox 140');
    assert.equal(message.state, 'on_its_way');
    assert.ok(message.people.every((one) => one.opened_at === null && one.files.every((file) => file.used === 0)));
  });

  testOnce('a person has opened it at their first visit, whatever they did later', async () => {
    const { id } = await send();
    const ben = await browserProving(app, 'ben@harbour.example');
    await ben.get(`/message/${id}`);
    const first = await until(async () => (await trackPerson(alice, id, 'ben@harbour.example')).opened_at);
    app.clock.advance(60_000);
    await ben.get((await ben.submit(`/message/${id}/download`)).location!);
    const later = await until(async () => {
      const now = await trackPerson(alice, id, 'ben@harbour.example');
      return now.files.some((file) => file.used > 0) && now;
    });
    assert.equal(later.opened_at, first);
  });

  testOnce('a visit of the sender is not counted', async () => {
    const { id } = await send();
    const own = await browserOf(app, alice.email, password);
    await own.get(`/message/${id}`, { 'accept-language': 'sv', 'sec-fetch-mode': 'navigate' });
    const ben = await browserProving(app, 'ben@harbour.example');
    await ben.get(`/message/${id}`);
    await until(async () => (await trackPerson(alice, id, 'ben@harbour.example')).opened_at !== null);
    assert.deepEqual((await track(alice, id)).visits, []);
  });

  testOnce('the number of visits of one message is limited', async () => {
    const { id } = await send();
    const stranger = new Browser(app.url);
    for (let index = 0; index < 60; index++) {
      app.clock.advance(1000);
      await stranger.get(`/message/${id}`, {
        'user-agent': `Mozilla/5.0 Program${index}/1.0`,
        'accept-language': 'sv',
        'sec-fetch-mode': 'navigate',
      });
    }
    const ben = await browserProving(app, 'ben@harbour.example');
    await ben.get(`/message/${id}`);
    await until(async () => (await trackPerson(alice, id, 'ben@harbour.example')).opened_at !== null);
    const message = await track(alice, id);
    assert.equal(message.visits.length + message.scanners.length, 50);
  });

  test('shows a private message as read, once it was read', async () => {
    const { id } = await send({ private_message: true, attachments: [] });
    const browser = await browserProving(app, 'ben@harbour.example');
    await browser.submit(`/message/${id}/read`);
    const ben = await trackPerson(alice, id, 'ben@harbour.example');
    assert.ok(ben.read_at !== null);
    assert.equal(ben.state, 'done');
  });

  test('the list shows the state of each, and filters by words, people, dates and states', async () => {
    const sender = await newPerson(app, 'lister');
    const first = await send({ subject: 'Harbour tender', recipients: ['ben@harbour.example'] }, sender);
    app.clock.advance(2 * dayMs);
    const second = await send({ subject: 'Cost sheet', attachments: [inlineFile('Cöst.txt', 'x')] }, sender);
    app.clock.advance(1000);
    const third = await send(
      { subject: 'Short', expires_at: new Date(app.clock.now() + dayMs).toISOString().slice(0, 10) },
      sender,
    );
    await sender.expect(200, 'revokeMessage', { params: { id: second.id }, body: {} });
    const ids = (page: { messages: SentItemBody[] }) => page.messages.map((message) => message.id);
    const everything = await list({}, sender);
    assert.deepEqual(ids(everything), [third.id, second.id, first.id]);
    assert.equal(everything.total, 3);
    assert.deepEqual(
      everything.messages.map((message) => message.state),
      ['ending', 'stopped', 'on_its_way'],
    );
    assert.deepEqual(ids(await list({ sort: 'sent' }, sender)), [first.id, second.id, third.id]);
    assert.deepEqual(ids(await list({ size: '1', page: '2' }, sender)), [second.id]);
    assert.deepEqual(ids(await list({ q: 'TENDER harbour' }, sender)), [first.id]);
    assert.deepEqual(ids(await list({ q: 'cöst.txt' }, sender)), [second.id]);
    assert.deepEqual(ids(await list({ q: third.id }, sender)), [third.id]);
    assert.deepEqual(ids(await list({ state: 'stopped,ending' }, sender)), [third.id, second.id]);
    assert.deepEqual(ids(await list({ person: 'CHIARA' }, sender)), [third.id, second.id]);
    assert.deepEqual(ids(await list({ person: '%' }, sender)), []);
    const today = new Date(app.clock.now()).toISOString().slice(0, 10);
    assert.deepEqual(ids(await list({ from: today }, sender)), [third.id, second.id]);
    const yesterday = new Date(app.clock.now() - dayMs).toISOString().slice(0, 10);
    assert.deepEqual(ids(await list({ to: yesterday }, sender)), [first.id]);
    assert.deepEqual(ids(await list({ sort: 'subject' }, sender)), [second.id, first.id, third.id]);
    assert.deepEqual(
      (await list()).messages.filter((message) => message.id === first.id),
      [],
    );
  });

  testOnce('the timeline shows what happened, newest first, by pages and kinds', async () => {
    const { id } = await send({ recipients: ['ben@harbour.example'] });
    await mailbox.post(app);
    const [plan] = (await track(alice, id)).files;
    await downloadAs(app, 'ben@harbour.example', id, [plan!.id]);
    const read = async (query: Record<string, string>) =>
      wireForm(activityAnswer, (await alice.expect(200, 'listMessageActivity', { params: { id }, query })).body);
    const all = await read({});
    assert.deepEqual(
      all.events.map((event) => [event.action, event.kind, event.actor, event.address]),
      [
        ['file.downloaded', 'download', 'person', 'ben@harbour.example'],
        ['mail.accepted', 'mail', 'system', 'ben@harbour.example'],
        ['message.sent', 'change', 'you', ''],
      ],
    );
    assert.equal(all.next, null);
    const first = await read({ size: '2' });
    assert.ok(first.next !== null);
    const rest = await read({ size: '2', before: first.next });
    assert.deepEqual(
      rest.events.map((event) => event.action),
      ['message.sent'],
    );
    assert.deepEqual(
      (await read({ kind: 'mail' })).events.map((event) => event.action),
      ['mail.accepted'],
    );
    const eve = await newPerson(app, 'evelyn');
    const whole = { params: { id }, query: { format: 'csv' } };
    await eve.refused(404, 'message.not_found', 'exportMessageActivity', whole);
    await alice.refused(422, 'request.invalid', 'exportMessageActivity', { params: { id }, query: { format: 'xml' } });
    const csv = await alice.expect(200, 'exportMessageActivity', whole);
    assert.equal(csv.headers.get('content-disposition'), `attachment; filename="activity-${id}.csv"`);
    const lines = csv.text.trimEnd().split('\r\n');
    assert.equal(lines[0], 'at,kind,action,actor,address,ip,facts');
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(',')[2]),
      ['file.downloaded', 'mail.accepted', 'message.sent'],
    );
    const json = { params: { id }, query: { format: 'json', kind: 'mail' } };
    const exported = (await alice.expect(200, 'exportMessageActivity', json)).body as { events: unknown[] };
    assert.deepEqual(exported.events, (await read({ kind: 'mail' })).events);
  });
});
