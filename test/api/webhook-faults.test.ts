// Webhooks whose receivers stall, break off, redirect, move to other addresses or want no more events.
import assert from 'node:assert/strict';
import dns from 'node:dns/promises';
import type { ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { after, afterEach, before, mock, test } from 'node:test';
import { deliverWebhooks } from '#server/actions/event-receivers/deliver-webhooks.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { eventually } from '#test/kit/eventually.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { useApp } from '#test/kit/use-app.ts';
import { objectsOf, openWebhookReceiver, recordJobRuns, type WebhookReceiver } from '#test/kit/webhook-receiver.ts';

const minuteMs = 60_000;
const dripMs = 500;

interface Shown {
  id: string;
  state: string;
  attempts: number;
  last_error: string;
}

onEachDatabase('A webhook whose receiver', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, {
    ...mailbox.options,
    environment: { ...mailbox.options.environment, WAYBILL_WEBHOOK_NETWORKS: 'loopback' },
  });
  let receiver: WebhookReceiver;
  let others: WebhookReceiver[] = [];
  before(async () => {
    receiver = await openWebhookReceiver();
  });
  after(() => receiver.close());
  afterEach(async () => {
    const { body } = await app.admin.expect(200, 'listWebhooks');
    for (const { id } of (body as { webhooks: Shown[] }).webhooks)
      await app.admin.expect(200, 'deleteWebhook', { params: { id } });
    for (const other of others) await other.close();
    others = [];
    receiver.received = [];
    receiver.accepted = [];
    receiver.answer = accept;
  });

  const accept = (_received: unknown, response: ServerResponse) => void response.writeHead(204).end();
  const another = async () => {
    const opened = await openWebhookReceiver();
    others.push(opened);
    return opened;
  };
  const create = async (url = receiver.url) => {
    const { body } = await app.admin.expect(200, 'createWebhook', { body: { webhook: { url, events: ['job.run'] } } });
    return (body as { webhook: Shown }).webhook;
  };
  const read = async ({ id }: Shown) =>
    ((await app.admin.expect(200, 'getWebhook', { params: { id } })).body as { webhook: Shown }).webhook;
  const deliver = () => deliverWebhooks(app.app.ctx);
  const happen = (...jobs: string[]) => recordJobRuns(app, jobs);

  testOnce(
    'is silent, slow with its headers or slow with its body is given up after 15 seconds, and delays no other',
    async () => {
      const drip = (response: ServerResponse, write: () => void) => {
        const timer = setInterval(write, dripMs);
        response.once('close', () => clearInterval(timer));
      };
      const stalls: ((received: unknown, response: ServerResponse) => void)[] = [
        () => {},
        (_received, response) => {
          response.socket!.write('HTTP/1.1 200 OK\r\n');
          drip(response, () => response.socket?.write('X-Slow: 1\r\n'));
        },
        (_received, response) => {
          response.writeHead(200, { 'content-length': '1000' });
          drip(response, () => response.write('.'));
        },
      ];
      const stalling = [];
      for (const answer of stalls) {
        const slow = await another();
        slow.answer = answer;
        stalling.push({ slow, webhook: await create(slow.url) });
      }
      await create();
      await happen('one');
      await deliver();
      await happen('two');
      await deliver();
      assert.deepEqual(objectsOf(receiver.accepted), ['one', 'two']);
      for (const { slow, webhook } of stalling) {
        const failed = await eventually('the attempt ends', async () => {
          const shown = await read(webhook);
          return shown.attempts > 0 && shown;
        });
        assert.deepEqual([failed.last_error, slow.received.length], ['no answer in time', 1]);
        slow.answer = accept;
      }
      app.clock.advance(minuteMs);
      await deliver();
      for (const { slow } of stalling) assert.deepEqual(objectsOf(slow.accepted), ['one', 'two']);
    },
  );

  test('breaks off in the middle of its answer gets the event again', async () => {
    const webhook = await create();
    receiver.answer = (_received, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('.', () => response.destroy());
    };
    await happen('one', 'two');
    await deliver();
    assert.notEqual((await read(webhook)).last_error, '');
    receiver.answer = accept;
    app.clock.advance(minuteMs);
    await deliver();
    assert.deepEqual(objectsOf(receiver.accepted), ['one', 'two']);
    const ids = receiver.received
      .filter(({ body }) => objectsOf([{ body }])[0] === 'one')
      .map((got) => got.headers['webhook-id']);
    assert.deepEqual(ids, [ids[0], ids[0]], 'the receiver detects the duplicate');
  });

  testOnce('answers with a megabyte is not read to the end', async () => {
    const webhook = await create();
    receiver.answer = (_received, response) => void response.end(Buffer.alloc(1_048_576));
    await happen('one');
    await deliver();
    assert.equal((await read(webhook)).last_error, 'the answer is too long');
  });

  testOnce('redirects to an address of this machine is not followed', async () => {
    const inside = await another();
    for (const status of [301, 302, 303, 307, 308]) {
      const webhook = await create();
      receiver.answer = (_received, response) => void response.writeHead(status, { location: inside.url }).end();
      await happen('one');
      await deliver();
      assert.equal((await read(webhook)).last_error, `the answer was ${status}; redirects are not followed`);
      await app.admin.expect(200, 'deleteWebhook', { params: { id: webhook.id } });
    }
    assert.deepEqual(inside.received, []);
  });

  testOnce('has a name is asked at the address that was checked, and not after the name has moved inside', async () => {
    let answer = ['127.0.0.1'];
    const lookups = mock.method(dns, 'lookup', async () => answer.map((address) => ({ address, family: 4 })));
    syncBuiltinESMExports();
    try {
      const webhook = await create(receiver.url.replace('127.0.0.1', 'receiver.example'));
      const asked = lookups.mock.callCount();
      await happen('one');
      await deliver();
      assert.deepEqual(objectsOf(receiver.accepted), ['one']);
      assert.equal(receiver.received[0]!.headers.host, `receiver.example:${new URL(receiver.url).port}`);
      assert.equal(lookups.mock.callCount(), asked + 1, 'a second answer could differ');
      answer = ['127.0.0.1', '10.0.0.1'];
      await happen('two');
      await deliver();
      assert.equal((await read(webhook)).last_error, '10.0.0.1 is not a public address');
      assert.equal(receiver.received.length, 1);
    } finally {
      lookups.mock.restore();
      syncBuiltinESMExports();
    }
  });

  test('answers 410 is switched off immediately, and administrators get an e-mail', async () => {
    const webhook = await create();
    receiver.answer = (_received, response) => void response.writeHead(410).end();
    await happen('one');
    await deliver();
    const off = await read(webhook);
    assert.deepEqual([off.state, off.last_error], ['failed', 'the answer was 410']);
    app.clock.advance(minuteMs);
    await happen('two');
    await deliver();
    assert.equal(receiver.received.length, 1);
    const { body } = await app.admin.expect(200, 'listEvents', { query: { action: 'webhook.switched_off' } });
    assert.equal((body as { events: unknown[] }).events.length, 1);
    await app.app.jobs.runOnce('watch-health');
    const [mail, ...more] = (await mailbox.post(app)).filter(({ kind }) => kind === 'admin-alert');
    assert.deepEqual([mail!.to, mail!.subject, more.length], [app.admin.email, 'A webhook was switched off', 0]);
    assert.ok(mail!.text.includes(new URL(receiver.url).host));
  });
});
