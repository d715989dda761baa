import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { simpleParser } from 'mailparser';
import type { Ctx } from '#server/actions/context.ts';
import { startApp } from '#server/app.ts';
import { readConfig } from '#server/config.ts';
import type { MailResult, MailTransport, OutgoingMail } from '#server/domain/ports.ts';
import { createSendOutbox } from '#server/jobs/send-outbox.ts';
import { silentLog } from '#server/lib/log.ts';
import { openSmtpTransport } from '#server/mail/smtp.ts';
import { assertSameMail } from '#server/mail/transport.suite.ts';
import { onEachDatabase, startTestApp, type TestApp, testOnce } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { until } from '#test/kit/eventually.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { idOf } from '#test/kit/shared-files.ts';
import { startBadRelay, startRelay, type TestRelay } from '#test/kit/smtp-relay.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const shortTimeouts = { connectMs: 2000, greetingMs: 300, silenceMs: 300 };
const environment = {
  WAYBILL_ROLE: 'web',
  WAYBILL_MAIL_RATE: '0',
  WAYBILL_MAIL_FROM: 'files@northlight.example',
  WAYBILL_MAIL_ENVELOPE_FROM: 'bounces@northlight.example',
};
const settings = {
  from: 'files@northlight.example',
  envelopeFrom: 'bounces@northlight.example',
  ownDomains: [],
  perMinute: 0,
};

onEachDatabase('mail that leaves', (_start, engine) => {
  let app: TestApp;
  let alice: ApiClient;
  let relay: TestRelay;
  /** What the relay answers to this address instead of accepting. */
  const answers = new Map<string, { code: number; text: string }>();
  const meant = new Map<string, OutgoingMail>();
  let relayUrl = '';
  let goodUrl = '';
  let place: Record<string, string> = {};
  const transports = new Map<string, MailTransport>();
  const transportTo = (url: string): MailTransport => {
    const known = transports.get(url) ?? openSmtpTransport({ url, timeouts: url === goodUrl ? {} : shortTimeouts });
    transports.set(url, known);
    return known;
  };
  /** Sends through the current relay, and records what was to be sent. */
  const switching: MailTransport = {
    isReal: true,
    async send(mail) {
      meant.set(mail.messageId, mail);
      return transportTo(relayUrl).send(mail);
    },
    async close() {},
  };
  before(async () => {
    relay = await startRelay({
      onRcptTo(address, _session, callback) {
        const answer = answers.get(address.address);
        if (answer === undefined) return callback();
        callback(Object.assign(new Error(answer.text), { responseCode: answer.code }));
      },
    });
    goodUrl = `smtp://127.0.0.1:${relay.port}`;
    const watched = {
      ...engine,
      async create() {
        const made = await engine.create('migrated');
        place = made.environment;
        return made;
      },
    };
    app = await startTestApp(watched, { environment, mailTransport: switching });
    alice = await app.person('alice', { email: 'alice@northlight.example' });
  });
  after(async () => {
    await app.close();
    for (const transport of transports.values()) await transport.close();
    await relay.close();
  });
  beforeEach(async () => {
    relayUrl = goodUrl;
    answers.clear();
    app.clock.advance(2 * hourMs);
    await post();
    relay.received.length = 0;
  });

  const post = () => app.app.jobs.runOnce('send-outbox');
  const send = (more: Record<string, unknown> = {}) =>
    sendMessage(alice, {
      recipients: ['ben@harbour.example'],
      subject: 'Harbour drawings',
      message: 'Here they are.',
      send_email: true,
      bcc_myself: false,
      ...more,
    });
  const rows = (messageId: string) =>
    app.app.ctx.db.read
      .selectFrom('outbox')
      .selectAll()
      .where('message_id', '=', messageId)
      .orderBy('recipient')
      .execute();
  /** A context that can lose the database, for a while or as after a crash; the returned function ends that. */
  const detachable = () => {
    const { ctx } = app.app;
    let isUnreachable = false;
    const write: Ctx['db']['write'] = (work) =>
      isUnreachable ? Promise.reject(new Error('the process is dead')) : ctx.db.write(work);
    const loseDatabase = () => {
      isUnreachable = true;
      return () => {
        isUnreachable = false;
      };
    };
    return { ctx: { ...ctx, db: { ...ctx.db, write } }, loseDatabase };
  };
  const row = async (messageId: string) => (await rows(messageId)).find((mail) => mail.kind === 'message')!;
  const countQueued = async () => (await app.app.ctx.db.read.selectFrom('outbox').select('id').execute()).length;
  const receivedBy = () => relay.received.flatMap((mail) => mail.envelopeTo).sort();
  const parsed = () => Promise.all(relay.received.map((mail) => simpleParser(mail.mime)));

  testOnce('a message without send_email queues no mail, not even the copy', async () => {
    const { id } = await send({ send_email: false, bcc_myself: true });
    assert.deepEqual(await rows(id), []);
  });

  test('a refused creation queues no mail', async () => {
    const queued = await countQueued();
    for (const [field, refused] of Object.entries({
      attachments: { attachments: [inlineFile('a.txt', 'a'), '0000000000000000000000'] },
      subject: { subject: 'Hello\r\nBcc: eve@evil.example' },
      recipients: { recipients: ['ben@harbour.example', 'x@y.example\r\nRCPT TO:<eve@evil.example>'] },
      cc: { cc: ['"a" <b@c.example>, eve@evil.example'] },
      sender: { sender: 'another.person@northlight.example' },
    })) {
      const { body } = await alice.expect(422, 'sendMessage', {
        body: { message: { recipients: ['ben@harbour.example'], subject: 'x', send_email: true, ...refused } },
      });
      assert.equal((body as { field: string }).field, field);
    }
    assert.equal(await countQueued(), queued);
  });

  testOnce('a withdrawn message cancels its waiting mails', async () => {
    const { id } = await send();
    await alice.expect(200, 'deleteMessageAttachments', { params: { id } });
    await post();
    assert.equal((await row(id)).state, 'cancelled');
    assert.deepEqual(receivedBy(), []);
  });

  /** Runs `happens` while the mail of a message is being sent and the relay defers it. */
  async function deferredDuring(happens: () => Promise<unknown>): Promise<void> {
    let letGo = () => {};
    const slow: MailTransport = {
      isReal: true,
      send: () =>
        new Promise((resolve) => {
          letGo = () => resolve({ outcome: 'deferred', reason: '451 later' });
          started();
        }),
      async close() {},
    };
    let started = () => {};
    const isSending = new Promise<void>((resolve) => {
      started = resolve;
    });
    const running = createSendOutbox(slow, () => settings).run(app.app.ctx, { isConfirmed: false });
    await isSending;
    await happens();
    letGo();
    await running;
    app.clock.advance(hourMs);
    await post();
  }

  testOnce('a message that is withdrawn while its mail is being sent is not retried', async () => {
    const { id } = await send();
    await deferredDuring(() => alice.expect(200, 'deleteMessageAttachments', { params: { id } }));
    assert.deepEqual(receivedBy(), []);
    assert.equal((await row(id)).state, 'cancelled');
  });

  testOnce(
    'a mail is not retried to a recipient who lost access while it was being sent; to the others it is',
    async () => {
      const address = 'ben@harbour.example';
      const { id } = await send({ recipients: [address] });
      await deferredDuring(() => alice.expect(200, 'revokeRecipient', { params: { id, address }, body: {} }));
      assert.deepEqual(receivedBy(), []);
      assert.equal((await row(id)).state, 'cancelled');
      const kept = await send({ recipients: [address] });
      await deferredDuring(async () => {});
      assert.deepEqual(receivedBy(), [address]);
      assert.equal((await row(kept.id)).state, 'sent');
    },
  );

  testOnce(
    'a disabled sender invites no one; waiting mails are sent when they are enabled again, or fail',
    async () => {
      const mallory = await app.person('mallory', { email: 'mallory@northlight.example' });
      const switchOff = (disabled: boolean) =>
        app.admin.expect(200, 'changeUser', { params: { id: idOf(mallory) }, body: { user: { disabled } } });
      const invited = () => receivedBy().filter((address) => address.endsWith('@harbour.example'));
      const mail = { recipients: ['ben@harbour.example'], subject: 'Win', send_email: true, bcc_myself: false };
      const { id } = await sendMessage(mallory, { ...mail, message: 'Press here.' });
      await mallory.expect(200, 'createFileRequest', {
        body: { request: { recipient: 'carl@harbour.example', subject: 'Your password', send_email: true } },
      });
      await switchOff(true);
      await send({ recipients: ['dora@harbour.example'] });
      await post();
      assert.deepEqual(invited(), ['dora@harbour.example']);
      assert.equal((await row(id)).server_text, 'the sender is switched off');
      await switchOff(false);
      app.clock.advance(hourMs);
      await post();
      assert.deepEqual(invited(), ['ben@harbour.example', 'carl@harbour.example', 'dora@harbour.example']);
      const { id: never } = await sendMessage(mallory, { ...mail, message: 'Press here again.' });
      await switchOff(true);
      relay.received.length = 0;
      for (let hours = 0; hours <= 52; hours += 4) {
        app.clock.advance(4 * hourMs);
        await post();
      }
      assert.equal((await row(never)).state, 'failed');
      assert.deepEqual(receivedBy(), [], 'disabled users get no notice either');
    },
  );

  test('mail that still waits when its message or request expires is not sent; the copy of the sender is', async () => {
    answers.set('ben@harbour.example', { code: 451, text: 'later' });
    answers.set('alice@northlight.example', { code: 451, text: 'later' });
    const expires_at = new Date(app.clock.now()).toISOString().slice(0, 10);
    const { id } = await send({ expires_at, bcc_myself: true });
    const asked = await alice.expect(200, 'createFileRequest', {
      body: { request: { recipient: 'ben@harbour.example', subject: 'Plans', expires_at, send_email: true } },
    });
    const requestId = (asked.body as { request: { url: string } }).request.url.split('/').at(-1)!;
    await post();
    answers.clear();
    app.clock.advance(24 * hourMs);
    await post();
    assert.deepEqual(receivedBy(), ['alice@northlight.example']);
    assert.equal((await row(id)).state, 'cancelled');
    const request = await app.app.ctx.db.read
      .selectFrom('outbox')
      .selectAll()
      .where('request_id', '=', requestId)
      .executeTakeFirstOrThrow();
    assert.equal(request.state, 'cancelled');
  });

  test("every recipient gets a separate mail, and the relay's answer is stored", async () => {
    const { id } = await send({
      recipients: ['ben@harbour.example', 'BEN@harbour.example'],
      cc: ['cleo@harbour.example'],
      bcc: ['dana@secret.example'],
      bcc_myself: true,
    });
    await post();
    assert.deepEqual(receivedBy(), [
      'alice@northlight.example',
      'ben@harbour.example',
      'cleo@harbour.example',
      'dana@secret.example',
    ]);
    for (const mail of relay.received) {
      assert.equal(mail.envelopeTo.length, 1);
      assert.equal(mail.envelopeFrom, 'bounces@northlight.example');
    }
    for (const mail of await rows(id)) {
      assert.equal(mail.state, 'sent');
      assert.match(mail.server_text, /queued as \d/);
      assert.equal(mail.finished_at, app.clock.now());
    }
  });

  testOnce('a Bcc address is in no mail but its own and the copy of the sender', async () => {
    const { id } = await send({
      recipients: ['ben@harbour.example'],
      cc: ['cleo@harbour.example'],
      bcc: ['dana@secret.example', 'emil@secret.example'],
      bcc_myself: true,
    });
    await post();
    for (const mail of relay.received) {
      const [to] = mail.envelopeTo;
      const one = await simpleParser(mail.mime);
      const everything = `${mail.mime.toString()} ${one.text} ${one.html}`;
      assert.equal(one.headers.has('bcc'), false);
      if (to === 'alice@northlight.example') continue;
      const mentioned = [...new Set(everything.match(/\w+@secret\.example/g) ?? [])];
      assert.deepEqual(mentioned, to!.endsWith('@secret.example') ? [to] : []);
    }
    for (const email of ['ben@harbour.example', 'dana@secret.example']) {
      const reader = await app.person(email.split('@')[0]!, { email });
      const { text } = await reader.expect(200, 'getMessage', { params: { id } });
      assert.doesNotMatch(text, /secret\.example/);
    }
  });

  test('a deferred mail is retried after 1, 5, 15, 60, 120 and then every 240 minutes, and fails after 48 hours', async () => {
    answers.set('ben@harbour.example', { code: 451, text: '4.3.0 try later' });
    const { id } = await send();
    const sentAt = app.clock.now();
    for (const minutes of [1, 5, 15, 60, 120, 240, 240]) {
      await post();
      const waiting = await row(id);
      assert.equal(waiting.state, 'pending');
      assert.match(waiting.server_text, /4\.3\.0 try later/);
      assert.equal(waiting.next_at - app.clock.now(), minutes * minuteMs);
      const before = waiting.attempts;
      app.clock.advance(minutes * minuteMs - 1);
      await post();
      assert.equal((await row(id)).attempts, before, `tried again within ${minutes} minutes`);
      app.clock.advance(1);
    }
    while ((await row(id)).state === 'pending') {
      assert.ok(app.clock.now() - sentAt <= 52 * hourMs, 'retried for too long');
      await post();
      app.clock.advance(240 * minuteMs);
    }
    assert.equal((await row(id)).state, 'failed');
    await post();
    await post();
    const notices = (await parsed()).filter((mail) => mail.subject?.includes('ben@harbour.example'));
    assert.deepEqual(receivedBy(), ['alice@northlight.example']);
    assert.equal(notices.length, 1);
    assert.match(notices[0]!.text!, /try later/);
  });

  testOnce('a relay that is reachable again gets the waiting mail', async () => {
    answers.set('ben@harbour.example', { code: 421, text: '4.7.0 closing' });
    const { id } = await send();
    await post();
    answers.clear();
    app.clock.advance(minuteMs);
    await post();
    assert.equal((await row(id)).state, 'sent');
    assert.deepEqual(receivedBy(), ['ben@harbour.example']);
  });

  test('of five recipients one is refused: four get the mail, the sender gets one notice', async () => {
    answers.set('gone@harbour.example', { code: 550, text: '5.1.1 no such mailbox here' });
    const others = ['a@harbour.example', 'b@harbour.example', 'c@harbour.example', 'd@harbour.example'];
    const { id } = await send({ recipients: [...others, 'gone@harbour.example'] });
    await post();
    await post();
    app.clock.advance(hourMs);
    await post();
    assert.deepEqual(receivedBy(), [...others, 'alice@northlight.example'].sort());
    const states = Object.fromEntries((await rows(id)).map((mail) => [`${mail.kind} ${mail.recipient}`, mail.state]));
    assert.equal(states['message gone@harbour.example'], 'failed');
    const notice = (await parsed()).find((mail) => mail.headers.get('to') && /deliver/.test(mail.subject ?? ''));
    assert.match(notice!.subject!, /gone@harbour\.example/);
    assert.match(notice!.text!, /no such mailbox here/);
  });

  test('a notice that cannot be delivered causes no further notice', async () => {
    answers.set('gone@harbour.example', { code: 550, text: '5.1.1 unknown' });
    answers.set('alice@northlight.example', { code: 550, text: '5.1.1 unknown' });
    await send({ recipients: ['gone@harbour.example'] });
    for (let round = 0; round < 4; round++) await post();
    assert.deepEqual(receivedBy(), []);
    const waiting = await app.app.ctx.db.read
      .selectFrom('outbox')
      .select('id')
      .where('state', '=', 'pending')
      .execute();
    assert.deepEqual(waiting, []);
  });

  for (const misbehaviour of ['says-nothing', 'stalls', 'cuts-at-greeting', 'cuts-after-data'] as const) {
    test(`a relay that ${misbehaviour.replaceAll('-', ' ')} keeps the mail waiting, and the next attempt has the same Message-ID`, async () => {
      const bad = await startBadRelay(misbehaviour);
      relayUrl = `smtp://127.0.0.1:${bad.port}`;
      const { id } = await send();
      await post();
      const waiting = await row(id);
      assert.equal(waiting.state, 'pending');
      assert.equal(waiting.next_at - app.clock.now(), minuteMs);
      assert.equal(bad.handedOver(), misbehaviour === 'cuts-after-data' ? 1 : 0);
      relayUrl = goodUrl;
      app.clock.advance(minuteMs);
      await post();
      assert.deepEqual(receivedBy(), ['ben@harbour.example']);
      assert.equal((await parsed())[0]!.messageId, `<${waiting.id}@northlight.example>`);
      await bad.close();
    });
  }

  test('a relay that disconnects right after accepting has the mail, once', async () => {
    const bad = await startBadRelay('cuts-after-250');
    relayUrl = `smtp://127.0.0.1:${bad.port}`;
    const { id } = await send();
    await post();
    app.clock.advance(hourMs);
    await post();
    assert.equal(bad.handedOver(), 1);
    assert.deepEqual([(await row(id)).state, (await row(id)).server_text], ['sent', '250 2.0.0 Ok: queued as 4F2']);
    await bad.close();
  });

  test('a process that crashes between the acceptance and its commit causes one duplicate with the same Message-ID', async () => {
    const { id } = await send();
    let isDead = () => {};
    const dying = new Promise<void>((resolve) => {
      isDead = resolve;
    });
    const neverBack: MailTransport = {
      isReal: true,
      async send(mail) {
        await switching.send(mail);
        isDead();
        return new Promise(() => {});
      },
      async close() {},
    };
    const { ctx, loseDatabase } = detachable();
    void createSendOutbox(neverBack, () => settings).run(ctx, { isConfirmed: false });
    await dying;
    loseDatabase();
    app.clock.advance(15_000 - 1);
    await post();
    assert.equal(relay.received.length, 1, 'the lease still holds');
    app.clock.advance(1);
    await post();
    await post();
    const ids = (await parsed()).map((mail) => mail.messageId);
    assert.equal(ids.length, 2);
    assert.equal(new Set(ids).size, 1);
    assert.equal((await row(id)).state, 'sent');
  });

  testOnce('a worker whose lease was taken over changes nothing', async () => {
    const { id } = await send();
    let answer = () => {};
    let started = () => {};
    const isSending = new Promise<void>((resolve) => {
      started = resolve;
    });
    const late: MailTransport = {
      isReal: true,
      send: () =>
        new Promise((resolve) => {
          answer = () => resolve({ outcome: 'refused', reason: '550 5.1.1 too late' });
          started();
        }),
      async close() {},
    };
    const { ctx, loseDatabase } = detachable();
    const running = createSendOutbox(late, () => settings).run(ctx, { isConfirmed: false });
    await isSending;
    const findDatabase = loseDatabase();
    app.clock.advance(15_000);
    await post();
    assert.equal((await row(id)).state, 'sent');
    findDatabase();
    answer();
    await running;
    assert.equal((await row(id)).state, 'sent');
    await post();
    assert.deepEqual(receivedBy(), ['ben@harbour.example'], 'and no problem is reported');
  });

  testOnce('a slow relay is waited for, and the mail stays with the process that sends it', async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    const { id } = await send();
    const replying = Promise.withResolvers<MailResult>();
    const started = Promise.withResolvers<void>();
    const slow: MailTransport = {
      isReal: true,
      send() {
        started.resolve();
        return replying.promise;
      },
      async close() {},
    };
    const running = createSendOutbox(slow, () => settings).run(app.app.ctx, { isConfirmed: false });
    await started.promise;
    const leaseOf = async () => Number((await row(id)).lease_ends_at);
    for (let waited = 0; waited < 60_000; waited += 10_000) {
      const before = await leaseOf();
      app.clock.advance(10_000);
      context.mock.timers.tick(5_000);
      await until(async () => (await leaseOf()) > before);
      await post();
    }
    assert.equal(relay.received.length, 0, 'no other process has sent it');
    replying.resolve({ outcome: 'deferred', reason: '451 slowly' });
    await running;
    assert.deepEqual([(await row(id)).state, (await row(id)).server_text], ['pending', '451 slowly']);
  });

  testOnce('a code that can no longer be used is not sent', async () => {
    answers.set('ben@harbour.example', { code: 451, text: 'later' });
    const { id } = await send({ send_email: false });
    const asked = await new Browser(app.url).submit('/verify/address', {
      target: `message:${id}`,
      address: 'ben@harbour.example',
    });
    assert.equal(asked.status, 303);
    await post();
    answers.clear();
    app.clock.advance(10 * minuteMs);
    await post();
    assert.deepEqual(receivedBy(), []);
  });

  test('a mail that cannot be composed delays no other', async () => {
    const { id } = await send({ recipients: ['ben@harbour.example'] });
    await app.app.ctx.db.write((tx) =>
      tx
        .updateTable('outbox')
        .set({ payload_sealed: Buffer.from('nonsense') })
        .where('message_id', '=', id)
        .execute(),
    );
    app.clock.advance(1);
    await send({ recipients: ['cleo@harbour.example'] });
    await post();
    assert.deepEqual(receivedBy(), ['cleo@harbour.example']);
    assert.equal((await row(id)).state, 'pending');
  });

  test('hostile names, subjects and texts arrive as they were written, in mails of unchanged structure', async () => {
    const hostile = [
      'Tender "Harbour" <eve@evil.example>, Bcc: x',
      '=?utf-8?Q?Bcc:_eve?= plain',
      '<script>alert(1)</script> {{ payload }} {% if %}',
      'Umlaute ä ö ü 漢字 🙂 and a very long line '.repeat(12).trim(),
      '\u202Egpj.exe and \u200b zero width',
    ];
    for (const subject of hostile) {
      const name = subject.replace(/[\u202e\u200b]/g, '').slice(0, 60);
      await app.admin.expect(200, 'changeUser', { params: { id: alice.email }, body: { user: { name } } });
      await send({
        subject,
        message: `.\r\n.hidden dot\r\nFrom here\r\n\r\n--boundary\r\nContent-Type: text/html\r\n${subject}`,
        attachments: [inlineFile('a"; filename=evil.txt', 'x'), inlineFile('<img src=x>.txt', 'y')],
      });
    }
    await app.admin.expect(200, 'changeUser', { params: { id: alice.email }, body: { user: { name: 'alice' } } });
    await post();
    assert.equal(relay.received.length, hostile.length);
    for (const mail of relay.received) {
      const one = await simpleParser(mail.mime);
      const model = meant.get(one.messageId!)!;
      // A name that looks like an encoded word is split on purpose.
      assertSameMail(one, { ...model, from: { ...model.from, name: model.from.name.replaceAll('=?', '= ?') } });
      assert.deepEqual(mail.envelopeTo, ['ben@harbour.example']);
      assert.doesNotMatch(String(one.html), /<script|<img src=x/);
    }
    const subjects = (await parsed()).map((mail) => mail.subject);
    for (const subject of hostile.slice(0, 4)) assert.ok(subjects.includes(subject), subject);
  });

  testOnce('five hundred people get five hundred mails, and a five hundred and first is refused', async () => {
    const people = Array.from({ length: 500 }, (_, index) => `person${index}@harbour.example`);
    await alice.refused(422, 'message.too_many_recipients', 'sendMessage', {
      body: { message: { recipients: [...people, 'one@more.example'], send_email: true } },
    });
    await send({ recipients: people });
    await post();
    assert.deepEqual(receivedBy(), people.toSorted());
    for (const mail of relay.received.slice(0, 20)) {
      const one = await simpleParser(mail.mime);
      assertSameMail(one, meant.get(one.messageId!)!);
    }
    assert.equal(
      new Set(relay.received.map((mail) => /^message-id: (.*)$/im.exec(mail.mime.toString())?.[1])).size,
      500,
    );
    await alice.refused(422, 'message.mail_limit', 'sendMessage', {
      body: { message: { recipients: ['one@more.example'], send_email: true } },
    });
  });

  test('two processes over one database send each mail once', async () => {
    const other = await startApp(
      readConfig({
        ...environment,
        ...place,
        WAYBILL_LISTEN: '127.0.0.1:0',
        WAYBILL_BASE_URL: app.url,
        WAYBILL_WORKERS: '1',
        WAYBILL_MIN_FREE_SPACE: '0',
      }),
      silentLog,
      { clock: app.clock, mailTransport: switching },
    );
    try {
      const people = Array.from({ length: 40 }, (_, index) => `person${index}@harbour.example`);
      await send({ recipients: people });
      const work = createSendOutbox(switching, () => settings);
      // After the lease of the job: the leases of the mails alone must prevent duplicates.
      await Promise.all([app.app.ctx, other.ctx].map((ctx) => work.run(ctx, { isConfirmed: false })));
      await Promise.all([post(), other.jobs.runOnce('send-outbox')]);
      assert.deepEqual(receivedBy(), people.toSorted());
    } finally {
      await other.close();
    }
  });
});

onEachDatabase('mail over a restart', (start) => {
  test('mail queued before the service stopped is sent after it has started again, through the configured relay', async () => {
    const relay = await startRelay();
    const app = await start({ environment: { ...environment, WAYBILL_SMTP_URL: `smtp://127.0.0.1:${relay.port}` } });
    try {
      const alice = await app.person('alice');
      await app.app.jobs.runOnce('send-outbox');
      relay.received.length = 0;
      await sendMessage(alice, {
        recipients: ['ben@harbour.example'],
        subject: 'x',
        send_email: true,
        bcc_myself: false,
      });
      await app.restart();
      await app.app.jobs.runOnce('send-outbox');
      assert.deepEqual(
        relay.received.map((mail) => [mail.envelopeFrom, mail.envelopeTo]),
        [['bounces@northlight.example', ['ben@harbour.example']]],
      );
    } finally {
      await app.close();
      await relay.close();
    }
  });
});
