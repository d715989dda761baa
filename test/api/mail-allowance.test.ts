import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndpointName } from '#contract/endpoints.ts';
import { fileRequestAnswer } from '#contract/file-requests.ts';
import { onOneEngine } from '#test/kit/app.ts';
import type { ApiClient, CallOptions } from '#test/kit/client.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { inlineFile, newPerson, sendMessage } from '#test/kit/messages.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const ben = 'ben@harbour.example';
const cleo = 'cleo@harbour.example';
const mistyped = 'chaira@rossi.example';
const recipients500 = Array.from({ length: 500 }, (_, index) => `person${index}@harbour.example`);

onOneEngine('the mails of an hour', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);

  const countMails = async () => (await app.app.ctx.db.read.selectFrom('outbox').select('id').execute()).length;

  async function askBen(asker: ApiClient): Promise<string> {
    const body = { request: { recipient: ben, send_email: true } };
    return wireForm(fileRequestAnswer, (await asker.expect(200, 'createFileRequest', { body })).body).request.id;
  }

  test('are limited to 500: then no reminder, no added person and no request is sent until the hour is over', async () => {
    const alice = await newPerson(app, 'alice');
    const attachments = [inlineFile('plan.txt', 'the plan')];
    const { id } = await sendMessage(alice, { recipients: [ben, cleo, mistyped], attachments, send_email: true });
    const [open, closed] = [await askBen(alice), await askBen(alice)];
    await alice.expect(200, 'closeRequest', { params: { id: closed } });
    await mailbox.post(app);
    app.clock.advance(2 * dayMs);
    const mailing: [EndpointName, CallOptions][] = [
      ['remindRecipients', { params: { id }, body: { addresses: [ben] } }],
      ['resendToRecipient', { params: { id, address: cleo }, body: {} }],
      ['correctRecipient', { params: { id, address: mistyped }, body: { address: 'chiara@rossi.example' } }],
      ['addRecipients', { params: { id }, body: { recipients: ['dora@harbour.example'], send_email: true } }],
      ['createFileRequest', { body: { request: { recipient: ben, send_email: true } } }],
      ['remindRequest', { params: { id: open } }],
      ['reopenRequest', { params: { id: closed }, body: { send_email: true } }],
    ];

    await sendMessage(alice, { recipients: recipients500, send_email: true, bcc_myself: false });
    const before = await countMails();
    for (const [name, options] of mailing) await alice.refused(422, 'message.mail_limit', name, options);
    // No mail is sent for this message.
    const recipients = ['emil@harbour.example'];
    await alice.expect(200, 'addRecipients', { params: { id }, body: { recipients, send_email: false } });
    await alice.expect(200, 'createFileRequest', { body: { request: { recipient: ben, send_email: false } } });
    assert.equal(await countMails(), before);

    app.clock.advance(hourMs);
    for (const [name, options] of mailing) await alice.expect(200, name, options);
    assert.equal(await countMails(), before + mailing.length);
  });
});
