import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createSendOutbox } from '#server/jobs/send-outbox.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { newPerson, sendMessage } from '#test/kit/messages.ts';
import { useApp } from '#test/kit/use-app.ts';

const address = 'files@northlight.example';
const settings = { from: address, envelopeFrom: address, ownDomains: [] };

onEachDatabase('the rate of mail', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, {
    ...mailbox.options,
    environment: { ...mailbox.options.environment, WAYBILL_MAIL_RATE: '20' },
  });
  let alice: ApiClient;
  const sendTo = (count: number) =>
    sendMessage(alice, {
      recipients: Array.from({ length: count }, (_, index) => `person${index}@harbour.example`),
      send_email: true,
      bcc_myself: false,
    });
  before(async () => {
    alice = await newPerson(app, 'alice');
    await sendTo(70);
  });

  async function sentInOneMinute(run: () => Promise<unknown>): Promise<number> {
    const before = mailbox.transport.sent.length;
    for (let second = 0; second < 60; second++) {
      await run();
      app.clock.advance(1000);
    }
    return mailbox.transport.sent.length - before;
  }

  test('of 20 a minute sends 20 in a minute', async () => {
    assert.equal(await sentInOneMinute(() => app.app.jobs.runOnce('send-outbox')), 20);
  });

  test('is shared by all processes', async () => {
    const other = createSendOutbox(mailbox.transport, () => ({ ...settings, perMinute: 20 }));
    const sent = await sentInOneMinute(async () => {
      await app.app.jobs.runOnce('send-outbox');
      await other.run(app.app.ctx, { isConfirmed: false });
    });
    assert.equal(sent, 20);
  });

  test('of thousands a minute is used up by a single run', async () => {
    await sendTo(90);
    app.clock.advance(60_000);
    await createSendOutbox(mailbox.transport, () => ({ ...settings, perMinute: 9000 })).run(app.app.ctx, {
      isConfirmed: false,
    });
    assert.equal(mailbox.transport.sent.filter(({ mail }) => mail.to.endsWith('@harbour.example')).length, 160);
  });
});
