// The pace of mail (docs/adr/0018): WAYBILL_MAIL_RATE is what leaves in a minute, also when it is small, and over all
// processes together.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createSendOutbox } from '#server/jobs/send-outbox.ts';
import { onEachDatabase } from '../kit/app.ts';
import { openMailbox } from '../kit/mailbox.ts';
import { newPerson, sendMessage } from '../kit/messages.ts';
import { useApp } from '../kit/use-app.ts';

onEachDatabase('the pace of mail', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, {
    ...mailbox.options,
    environment: { ...mailbox.options.environment, WAYBILL_MAIL_RATE: '20' },
  });
  before(async () => {
    const alice = await newPerson(app, 'alice');
    const people = Array.from({ length: 70 }, (_, index) => `person${index}@harbour.example`);
    await sendMessage(alice, { recipients: people, send_email: true, bcc_myself: false });
  });

  async function sentInOneMinute(run: () => Promise<unknown>): Promise<number> {
    const before = mailbox.transport.sent.length;
    for (let second = 0; second < 60; second++) {
      await run();
      app.clock.advance(1000);
    }
    return mailbox.transport.sent.length - before;
  }

  test('of 20 a minute lets 20 leave in a minute', async () => {
    assert.equal(await sentInOneMinute(() => app.app.jobs.runOnce('send-outbox')), 20);
  });

  test('is one for all processes', async () => {
    const settings = { from: 'files@northlight.example', envelopeFrom: '', ownDomains: [], perMinute: 20 };
    const other = createSendOutbox(mailbox.transport, settings);
    const sent = await sentInOneMinute(async () => {
      await app.app.jobs.runOnce('send-outbox');
      await other.run(app.app.ctx, { isConfirmed: false });
    });
    assert.equal(sent, 20);
  });
});
