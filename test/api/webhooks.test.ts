// Webhooks: what receivers get, in which order, and what happens when they fail.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { deliverWebhooks } from '#server/actions/event-receivers/deliver-webhooks.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import {
  objectsOf,
  openWebhookReceiver,
  type Received,
  recordJobRuns,
  type WebhookReceiver,
} from '#test/kit/webhook-receiver.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

interface Shown {
  id: string;
  state: string;
  attempts: number;
  cursor: string;
  last_error: string;
}

onEachDatabase('A webhook', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web', WAYBILL_WEBHOOK_NETWORKS: 'loopback' } });
  let receiver: WebhookReceiver;
  let made: string[] = [];
  before(async () => {
    receiver = await openWebhookReceiver();
  });
  after(() => receiver.close());
  afterEach(async () => {
    for (const id of made) await app.admin.expect(200, 'deleteWebhook', { params: { id } });
    made = [];
    receiver.received = [];
    receiver.accepted = [];
    receiver.answer = (_received, response) => void response.writeHead(204).end();
  });

  async function create(webhook: Record<string, unknown> = {}): Promise<{ webhook: Shown; secret: string }> {
    const body = { webhook: { url: receiver.url, events: ['job.run'], ...webhook } };
    const answer = (await app.admin.expect(200, 'createWebhook', { body })).body as { webhook: Shown; secret: string };
    made.push(answer.webhook.id);
    return answer;
  }

  const read = async (id: string) =>
    ((await app.admin.expect(200, 'getWebhook', { params: { id } })).body as { webhook: Shown }).webhook;
  const deliver = () => deliverWebhooks(app.app.ctx);
  const happen = (...jobs: string[]) => recordJobRuns(app, jobs);

  testOnce('is refused at addresses that are not public, and for people without the right', async () => {
    const alice = await newPerson(app, 'other');
    await alice.refused(403, 'admin.not_permitted', 'listWebhooks');
    const refused: [string, Record<string, unknown>][] = [
      ['webhook.bad_address', { url: 'nowhere' }],
      ['webhook.bad_address', { url: 'https://user:secret@example.com/' }],
      ['webhook.address_refused', { url: 'ftp://example.com/' }],
      ['webhook.address_refused', { url: 'https://10.0.0.1/' }],
      ['webhook.address_refused', { url: 'https://[fd00::1]/' }],
      ['webhook.address_refused', { url: 'https://169.254.169.254/latest' }],
      ['webhook.address_refused', { url: 'http://8.8.8.8/' }],
      ['webhook.unknown_event', { events: ['nothing'] }],
      ['webhook.no_events', { events: [] }],
    ];
    for (const [code, webhook] of refused)
      await app.admin.refused(422, code, 'createWebhook', { body: { webhook: { url: receiver.url, ...webhook } } });
  });

  test('gets each event once, with a signature that the reference library accepts', async () => {
    const { webhook, secret } = await create({ events: ['message.sent', 'job.run'] });
    const alice = await newPerson(app, 'alice');
    await sendMessage(alice, { recipients: ['ben@harbour.example'], send_email: false });
    assert.equal(await deliver(), 1);
    assert.equal(await deliver(), 0);
    const [got] = receiver.received;
    assert.equal(receiver.received.length, 1);
    assert.equal(Number(got!.headers['webhook-timestamp']), Math.floor(app.clock.now() / 1000));
    const event = verified(secret, got!) as {
      type: string;
      timestamp: string;
      data: { actor: { email: string }; object_id: string };
    };
    assert.equal(event.type, 'message.sent');
    assert.equal(event.data.actor.email, alice.email);
    assert.match(event.data.object_id, /^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{2}$/);
    const { body } = await app.admin.expect(200, 'listWebhookDeliveries', { params: { id: webhook.id } });
    const { deliveries } = body as { deliveries: { action: string; status: number; error: string }[] };
    assert.deepEqual(
      deliveries.map(({ action, status, error }) => [action, status, error]),
      [['message.sent', 204, '']],
    );
  });

  test('keeps the order of the events of an object while it fails, and delivers those of other objects', async () => {
    const { webhook } = await create();
    let failsAt = 'one';
    receiver.answer = ({ body }, response) =>
      void response.writeHead(objectsOf([{ body }])[0] === failsAt ? 422 : 200).end();
    await happen('one', 'two', 'one', 'two');
    await deliver();
    assert.deepEqual(objectsOf(receiver.accepted), ['two', 'two']);
    const failing = await read(webhook.id);
    assert.deepEqual([failing.state, failing.attempts, failing.last_error], ['on', 1, 'the answer was 422']);
    failsAt = '';
    assert.equal(await deliver(), 0, 'not before the time of the next attempt');
    app.clock.advance(minuteMs);
    await deliver();
    assert.deepEqual(objectsOf(receiver.accepted), ['two', 'two', 'one', 'one']);
    assert.equal((await read(webhook.id)).attempts, 0);
    assert.equal(new Set(receiver.accepted.map(({ headers }) => headers['webhook-id'])).size, 4);
  });

  test('does not delay another while it stalls', async () => {
    const stalling = await create();
    const other = await openWebhookReceiver();
    try {
      await create({ url: other.url });
      receiver.answer = () => {};
      await happen('one');
      await deliver();
      assert.deepEqual(objectsOf(other.received), ['one']);
      await happen('two');
      await deliver();
      assert.deepEqual(objectsOf(other.received), ['one', 'two']);
      assert.equal((await read(stalling.webhook.id)).attempts, 0);
    } finally {
      await other.close();
      receiver.answer = (_received, response) => void response.writeHead(204).end();
      await receiver.close();
      receiver = await openWebhookReceiver();
    }
  });

  test('that fails for two days continues, and after three days is switched off and reported', async () => {
    const { webhook } = await create();
    receiver.answer = (_received, response) => void response.writeHead(500).end();
    await happen('one', 'two');
    let attempts = 0;
    const failFor = async (ms: number) => {
      for (const endsAt = app.clock.now() + ms; app.clock.now() < endsAt; app.clock.advance(60 * minuteMs)) {
        await deliver();
        attempts += 1;
      }
    };
    await failFor(2 * dayMs);
    assert.equal((await read(webhook.id)).state, 'on');
    const { answer } = receiver;
    receiver.answer = (_received, response) => void response.writeHead(200).end();
    await deliver();
    assert.deepEqual(objectsOf(receiver.accepted), ['one', 'two']);
    receiver.answer = answer;
    await happen('three');
    await failFor(3 * dayMs + 2 * 60 * minuteMs);
    assert.ok(attempts > 100);
    const off = await read(webhook.id);
    assert.deepEqual([off.state, off.last_error], ['failed', 'the answer was 500']);
    const { body } = await app.admin.expect(200, 'getOverview');
    assert.ok(JSON.stringify(body).includes('webhook-off'));
    receiver.answer = (_received, response) => void response.writeHead(200).end();
    await app.admin.expect(200, 'changeWebhook', {
      params: { id: webhook.id },
      body: { webhook: { enabled: true } },
    });
    await deliver();
    assert.deepEqual(objectsOf(receiver.accepted), ['one', 'two', 'three']);
  });

  test('signs with both secrets for a day after a rotation', async () => {
    const { webhook, secret } = await create();
    const rotated = await app.admin.expect(200, 'rotateWebhookSecret', { params: { id: webhook.id } });
    const { secret: newSecret } = rotated.body as { secret: string };
    assert.notEqual(newSecret, secret);
    const accepts = async () => {
      await happen('one');
      await deliver();
      const got = receiver.received.at(-1)!;
      return [newSecret, secret].map((held) => verified(held, got) !== null);
    };
    assert.deepEqual(await accepts(), [true, true]);
    app.clock.advance(dayMs - 1);
    assert.deepEqual(await accepts(), [true, true]);
    app.clock.advance(1);
    assert.deepEqual(await accepts(), [true, false]);
  });

  test('gets events again from any point', async () => {
    const { webhook } = await create();
    const from = (await read(webhook.id)).cursor;
    await happen('one', 'two');
    await deliver();
    await app.admin.expect(200, 'replayWebhook', { params: { id: webhook.id }, body: { replay: { after: from } } });
    await deliver();
    assert.deepEqual(objectsOf(receiver.accepted), ['one', 'two', 'one', 'two']);
    const ids = receiver.accepted.map(({ headers }) => headers['webhook-id']);
    assert.equal(new Set(ids).size, 2, 'receivers detect duplicates');
  });

  testOnce('sends a sentence to chats', async () => {
    const texts: Record<string, (body: never) => string> = {
      slack: ({ text }: { text: string }) => text,
      matrix: ({ text }: { text: string }) => text,
      teams: ({ attachments }: { attachments: { content: { body: { text: string }[] } }[] }) =>
        attachments[0]!.content.body[0]!.text,
    };
    for (const [format, textOf] of Object.entries(texts)) {
      await create({ format });
      await happen('one');
      await deliver();
      const { body, headers } = receiver.received.at(-1)!;
      assert.equal(textOf(JSON.parse(body) as never), 'job.run: job one, by system');
      assert.equal(headers['webhook-signature'], undefined);
      await app.admin.expect(200, 'deleteWebhook', { params: { id: made.pop()! } });
    }
  });

  testOnce('reports the result of a test, and keeps its address and secret encrypted', async () => {
    const { webhook, secret } = await create();
    const { body } = await app.admin.expect(200, 'testWebhook', { params: { id: webhook.id } });
    assert.equal((body as { test: { status: number } }).test.status, 204);
    const row = await app.app.ctx.db.read.selectFrom('webhooks').selectAll().executeTakeFirstOrThrow();
    assert.ok(!JSON.stringify(row).includes(secret));
    assert.ok(!row.address_sealed.includes('/events'));
  });
});

/** What the reference library reads; null if it refuses. It compares the timestamp with the real clock. */
function verified(secret: string, { headers, body }: Received): unknown {
  const { now } = Date;
  Date.now = () => Number(headers['webhook-timestamp']) * 1000;
  try {
    return new Verifier(secret).verify(body, headers as Record<string, string>);
  } catch {
    return null;
  } finally {
    Date.now = now;
  }
}
