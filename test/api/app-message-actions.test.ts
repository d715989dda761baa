import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { exposureAnswer, remindAnswer, wrongRecipientAnswer } from '#contract/app/message-actions.ts';
import type { EndpointName } from '#contract/endpoints.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { openDownload } from '#test/kit/downloads.ts';
import { until } from '#test/kit/eventually.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { browserProving, inlineFile, newPerson, sendMessage } from '#test/kit/messages.ts';
import { beyondBuffersBytes } from '#test/kit/outside.ts';
import { clickFile, downloadAs, track, trackPerson, untilDownloadsEnd } from '#test/kit/sent.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const dayMs = 86_400_000;
const ben = 'ben@harbour.example';
const chiara = 'chiara@rossi.example';

onEachDatabase('what a sender can do about a sent message', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });

  const send = async (more: Record<string, unknown> = {}, sender = alice): Promise<{ id: string; file: string }> => {
    const { id } = await sendMessage(sender, {
      recipients: [ben, chiara],
      subject: 'Drawings',
      message: 'Here they are.',
      send_email: true,
      bcc_myself: false,
      attachments: [inlineFile('plan.txt', 'the plan')],
      ...more,
    });
    return { id, file: (await track(sender, id)).files[0]!.id };
  };
  const isoDay = (days: number) => new Date(app.clock.now() + days * dayMs).toISOString().slice(0, 10);
  const actionsOf = async (id: string) => {
    const rows = await app.app.ctx.db.read
      .selectFrom('events')
      .select(['action', 'facts'])
      .where('object_id', '=', id)
      .orderBy('seq')
      .execute();
    return rows.map((row) => row.action);
  };
  const mayOpen = async (address: string, id: string, file: string) =>
    (await clickFile(await browserProving(app, address), id, file)) !== null;

  testOnce('a message of another person cannot be changed', async () => {
    const { id, file } = await send();
    const eve = await newPerson(app, 'eve');
    const calls: [EndpointName, unknown, Record<string, string>?][] = [
      ['remindRecipients', {}],
      ['extendMessage', { expires_at: isoDay(60) }],
      ['allowMoreDownloads', { expires_after: 5 }],
      ['addRecipients', { recipients: ['x@harbour.example'] }],
      ['correctRecipient', { address: 'x@harbour.example' }, { address: ben }],
      ['resendToRecipient', {}, { address: ben }],
      ['revokeRecipient', {}, { address: ben }],
      ['revokeMessage', {}],
      ['deleteMessageFiles', {}],
      ['removeMessageFile', {}, { file }],
      ['reportWrongRecipient', { address: ben }],
    ];
    const before = await actionsOf(id);
    for (const [name, body, params] of calls) {
      for (const caller of [eve, app.admin])
        await caller.refused(404, 'message.not_found', name, { params: { id, ...params }, body });
      await app.anonymous.refused(401, 'credentials.invalid', name, { params: { id, ...params }, body });
    }
    assert.deepEqual(await actionsOf(id), before);
  });

  test('reminders are refused while the mail is on its way and after all files were downloaded, and limited to one a day and three in all', async () => {
    const { id, file } = await send();
    const remind = (body: unknown) => alice.call('remindRecipients', { params: { id }, body });
    const refused = (code: string, body: unknown) =>
      alice.refused(422, code, 'remindRecipients', { params: { id }, body });
    await refused('message.nobody_to_remind', {});
    await refused('message.mail_waiting', { addresses: [ben] });
    await mailbox.post(app);
    await alice.refused(404, 'recipient.not_found', 'remindRecipients', {
      params: { id },
      body: { addresses: ['zoe@harbour.example'] },
    });
    await refused('message.bad_recipient', { addresses: ['not an address'] });
    await downloadAs(app, chiara, id, [file]);
    await refused('message.has_everything', { addresses: [chiara] });
    // Their first mail is a minute old.
    await refused('message.reminder_too_soon', { addresses: [ben] });
    assert.deepEqual((await track(alice, id)).actions.remind, []);
    app.clock.advance(dayMs);
    const reply = wireForm(remindAnswer, (await remind({})).body);
    assert.deepEqual(reply.reminded, [ben]);
    const mails = await mailbox.postAbout(app, id);
    assert.deepEqual(
      mails.filter((mail) => mail.kind === 'reminder').map((mail) => mail.to),
      [ben],
    );
    await refused('message.reminder_too_soon', { addresses: [ben] });
    for (let day = 2; day <= 3; day++) {
      app.clock.advance(dayMs);
      assert.equal((await remind({ addresses: [ben] })).status, 200);
      await mailbox.post(app);
    }
    app.clock.advance(dayMs);
    await refused('message.reminder_limit', { addresses: [ben] });
    const person = await trackPerson(alice, id, ben);
    assert.equal(person.reminders.count, 3);
    assert.equal(person.reminders.next_allowed_at, null);
    assert.equal((await actionsOf(id)).filter((action) => action === 'message.reminded').length, 3);
  });

  testOnce('mails and reminders are in the language their sender chose, the copy to the sender is not', async () => {
    const { id } = await send({ recipients: [ben], language: 'de', bcc_myself: true });
    const mails = await mailbox.postAbout(app, id);
    const languages = mails.map(({ kind, html }) => `${kind} ${/<html[^>]* lang="(\w+)/.exec(html)?.[1]}`).toSorted();
    assert.deepEqual(languages, ['copy-to-sender en', 'message de']);
    app.clock.advance(dayMs);
    await alice.expect(200, 'remindRecipients', { params: { id }, body: {} });
    const [reminder] = await mailbox.postAbout(app, id);
    assert.match(reminder!.html, /<html[^>]* lang="de/);
    await alice.refused(422, 'language.unknown', 'sendMessage', {
      body: { message: { recipients: [ben], language: 'tlh' } },
    });
  });

  test('two concurrent reminders send one mail', async () => {
    const { id } = await send({ recipients: [ben] });
    await mailbox.post(app);
    app.clock.advance(dayMs);
    const replies = await Promise.all(
      [1, 2, 3].map(() => alice.call('remindRecipients', { params: { id }, body: { addresses: [ben] } })),
    );
    assert.deepEqual(replies.map((reply) => reply.status).toSorted(), [200, 422, 422]);
    assert.equal((await mailbox.postAbout(app, id)).filter((mail) => mail.kind === 'reminder').length, 1);
  });

  testOnce('a group without reminders sends none', async () => {
    const group = await app.group('Silent', { message_reminders: 0 });
    const sam = await newPerson(app, 'sam', { group });
    const { id } = await send({}, sam);
    await mailbox.post(app);
    await sam.refused(422, 'message.reminders_off', 'remindRecipients', { params: { id }, body: {} });
    assert.deepEqual((await track(sam, id)).actions.remind, []);
  });

  testOnce('the expiry moves to a later day only, within the rules of the group', async () => {
    const { id, file } = await send({ expires_at: isoDay(1) });
    const refused = (code: string, on: unknown) =>
      alice.refused(422, code, 'extendMessage', { params: { id }, body: { expires_at: on } });
    await refused('request.invalid', '2026-02-30');
    await refused('request.invalid', 5);
    await refused('message.expiry_past', isoDay(-1));
    await refused('message.not_later', isoDay(1));
    await refused('message.expiry_too_late', isoDay(200));
    await alice.expect(200, 'extendMessage', { params: { id }, body: { expires_at: isoDay(10) } });
    assert.equal((await track(alice, id)).expires_at, isoDay(10));
    app.clock.advance(5 * dayMs);
    assert.ok(await mayOpen(ben, id, file));
    assert.ok((await actionsOf(id)).includes('message.extended'));
  });

  test('an expired message can be extended while its files are stored, and not after', async () => {
    const { id, file } = await send({ expires_at: isoDay(1) });
    app.clock.advance(3 * dayMs);
    assert.equal(await mayOpen(ben, id, file), false);
    await app.app.jobs.runOnce('expire');
    const expired = await track(alice, id);
    assert.equal(expired.state, 'expired');
    assert.equal(expired.files_state, 'going');
    await alice.refused(422, 'message.expired', 'remindRecipients', { params: { id }, body: {} });
    await alice.expect(200, 'extendMessage', { params: { id }, body: { expires_at: isoDay(2) } });
    await app.app.jobs.runOnce('expire');
    assert.ok(await mayOpen(ben, id, file));
    await downloadAs(app, ben, id, [file]);

    app.clock.advance(4 * dayMs);
    await app.app.jobs.runOnce('expire');
    await alice.expect(200, 'deleteMessageFiles', { params: { id }, body: {} });
    await alice.refused(422, 'message.ended', 'extendMessage', { params: { id }, body: { expires_at: isoDay(9) } });
    assert.equal((await track(alice, id)).files_state, 'deleted');
  });

  test('files that were erased after expiry cannot be restored', async () => {
    const { id } = await send({ expires_at: isoDay(1) });
    app.clock.advance(3 * dayMs);
    await app.app.jobs.runOnce('expire');
    app.clock.advance(2 * dayMs);
    await app.app.jobs.runOnce('erase-files', { isConfirmed: true });
    const gone = await track(alice, id);
    assert.equal(gone.files_state, 'deleted');
    assert.equal(gone.actions.extend_to, null);
    await alice.refused(422, 'message.files_gone', 'extendMessage', {
      params: { id },
      body: { expires_at: isoDay(9) },
    });
    assert.equal((await track(alice, id)).state, 'expired');
  });

  /** Status of a complete download; 0 when none is offered. */
  const statusOf = async (address: string, id: string, file: string) => {
    const browser = await browserProving(app, address);
    const path = await clickFile(browser, id, file);
    if (path === null) return 0;
    const { status } = await browser.get(path);
    await untilDownloadsEnd(app);
    return status;
  };

  test('the download limit is raised, for all recipients or one, within the rules of the group', async () => {
    const group = await app.group('Careful', {
      message_max_expires_after: 4,
      message_default_expires_after: 1,
      message_can_use_anyone: true,
    });
    const cara = await newPerson(app, 'cara', { group });
    const { id, file } = await send({ expires_after: 1 }, cara);
    const refused = (code: string, body: unknown) =>
      cara.refused(422, code, 'allowMoreDownloads', { params: { id }, body });
    await refused('message.not_more', { expires_after: 1 });
    await refused('message.too_many_downloads', { expires_after: 5 });
    await cara.refused(404, 'recipient.not_found', 'allowMoreDownloads', {
      params: { id },
      body: { expires_after: 2, address: 'zoe@harbour.example' },
    });
    await refused('message.not_more', { expires_after: 1, address: ben });
    const open = await send({ expires_after: 1, authorization: 0 }, cara);
    await cara.refused(422, 'message.limit_is_shared', 'allowMoreDownloads', {
      params: { id: open.id },
      body: { expires_after: 2, address: ben },
    });
    const { id: unlimited } = await send({ expires_after: 0 });
    for (const address of [undefined, ben])
      await alice.refused(422, 'message.not_more', 'allowMoreDownloads', {
        params: { id: unlimited },
        body: { expires_after: 2, ...(address && { address }) },
      });
    const { id: limited } = await send({ expires_after: 1 });
    await alice.refused(422, 'message.bad_limit', 'allowMoreDownloads', {
      params: { id: limited },
      body: { expires_after: 0, address: ben },
    });
    await downloadAs(app, ben, id, [file]);
    await downloadAs(app, chiara, id, [file]);
    const again = (address: string) => statusOf(address, id, file);
    assert.equal(await again(ben), 0, 'it is not offered');
    await cara.expect(200, 'allowMoreDownloads', { params: { id }, body: { expires_after: 2, address: ben } });
    assert.equal(await again(ben), 200);
    assert.equal(await again(ben), 0, 'it is not offered');
    assert.equal(await again(chiara), 0, 'only the one person has more');
    await cara.expect(200, 'allowMoreDownloads', { params: { id }, body: { expires_after: 0 } });
    const message = await track(cara, id);
    assert.equal(message.expires_after, 4, 'no limit means the maximum of the group');
    assert.deepEqual(
      message.people.map((person) => [person.files[0]!.used, person.files[0]!.left]),
      [
        [2, 2],
        [1, 3],
      ],
    );
    assert.equal(await again(chiara), 200);
    assert.equal(message.actions.allow_more_to, null);
    await refused('message.not_more', { expires_after: 4 });
  });

  testOnce('people are added under the rules of a new message, and get the mail', async () => {
    const group = await app.group('Fenced', {
      message_limit_recipients: true,
      message_recipient_domains: ['harbour.example'],
    });
    const finn = await newPerson(app, 'finn', { group });
    const { id, file } = await send({ recipients: [ben] }, finn);
    await mailbox.post(app);
    const refused = (code: string, body: unknown) => finn.refused(422, code, 'addRecipients', { params: { id }, body });
    await refused('message.no_recipients', {});
    await refused('message.recipient_not_allowed', { recipients: ['x@elsewhere.example'] });
    await refused('message.bad_recipient', { cc: ['nonsense'] });
    await refused('message.already_recipient', { bcc: [ben.toUpperCase()] });
    await finn.refused(422, 'message.recipient_not_allowed', 'correctRecipient', {
      params: { id, address: ben },
      body: { address: 'x@elsewhere.example' },
    });
    assert.equal(await mayOpen('dana@harbour.example', id, file), false);
    await finn.expect(200, 'addRecipients', {
      params: { id },
      body: { recipients: ['dana@harbour.example'], bcc: ['quiet@harbour.example'] },
    });
    const mails = await mailbox.postAbout(app, id);
    assert.deepEqual(mails.map((mail) => mail.to).toSorted(), ['dana@harbour.example', 'quiet@harbour.example']);
    assert.ok(
      mails.every((mail) => !mail.text.includes('quiet@harbour.example') || mail.to === 'quiet@harbour.example'),
    );
    assert.ok(await mayOpen('dana@harbour.example', id, file));
    assert.deepEqual(
      (await track(finn, id)).people.map((person) => person.role),
      ['to', 'to', 'bcc'],
    );
  });

  testOnce('a wrong address is corrected: the old one loses access, the right one gets the mail', async () => {
    const { id, file } = await send({ recipients: ['ben@harbuor.example', chiara] });
    mailbox.transport.answer = (mail) =>
      mail.to === 'ben@harbuor.example'
        ? { outcome: 'refused', reason: '550 no such domain' }
        : { outcome: 'accepted', serverText: '250 ok' };
    await mailbox.post(app);
    mailbox.transport.answer = null;
    const correct = (address: string, to: string) =>
      alice.call('correctRecipient', { params: { id, address }, body: { address: to } });
    assert.equal((await correct('ben@harbuor.example', 'nonsense')).status, 422);
    assert.equal((await correct('ben@harbuor.example', chiara)).status, 422);
    assert.equal((await correct('zoe@harbour.example', ben)).status, 404);
    assert.equal((await correct('ben@harbuor.example', ben)).status, 200);
    assert.deepEqual(
      (await mailbox.postAbout(app, id)).filter((mail) => mail.kind === 'message').map((mail) => mail.to),
      [ben],
    );
    const message = await track(alice, id);
    const old = message.people.find((person) => person.address === 'ben@harbuor.example')!;
    assert.equal(old.state, 'revoked');
    assert.equal(old.replaced_by, ben);
    assert.equal(message.people_count, 2);
    assert.notEqual(message.state, 'problem');
    assert.equal(await mayOpen('ben@harbuor.example', id, file), false);
    assert.ok(await mayOpen(ben, id, file));
    await downloadAs(app, ben, id, [file]);
    await alice.refused(422, 'message.already_opened', 'correctRecipient', {
      params: { id, address: ben },
      body: { address: 'x@harbour.example' },
    });
  });

  test('the mail is sent again, but not while one is on its way, and only a limited number of times', async () => {
    const { id } = await send({ recipients: [ben] });
    const resend = () => alice.call('resendToRecipient', { params: { id, address: ben }, body: {} });
    assert.equal((await resend()).status, 422);
    await mailbox.post(app);
    for (let count = 0; count < 4; count++) {
      assert.equal((await resend()).status, 200);
      assert.equal((await mailbox.postAbout(app, id)).filter((mail) => mail.kind === 'message').length, 1);
    }
    const reply = await resend();
    assert.equal((reply.body as { code: string }).code, 'message.resend_limit');
    assert.ok((await actionsOf(id)).includes('message.resent'));
    app.clock.advance(86_400_000 - 1);
    assert.equal((await resend()).status, 422, 'five a day');
    app.clock.advance(1);
    assert.equal((await resend()).status, 200);
  });

  testOnce(
    'the mail is not sent again to recipients without access, or whom the group may not write to now',
    async () => {
      const group = await app.group('Narrowed', {});
      const gina = await newPerson(app, 'gina', { group });
      const { id } = await send({}, gina);
      await mailbox.post(app);
      const refused = (status: number, code: string, address: string) =>
        gina.refused(status, code, 'resendToRecipient', { params: { id, address }, body: {} });
      await refused(404, 'recipient.not_found', 'zoe@harbour.example');
      await gina.expect(200, 'revokeRecipient', { params: { id, address: ben }, body: {} });
      await refused(422, 'message.already_revoked', ben);
      const fence = { message_limit_recipients: true, message_recipient_domains: ['harbour.example'] };
      await app.admin.expect(200, 'changeGroup', { params: { id: group }, body: { group: fence } });
      await refused(422, 'message.recipient_not_allowed', chiara);
      assert.deepEqual(await mailbox.postAbout(app, id), []);
    },
  );

  test('one person loses access immediately: page, old tickets, waiting mails; the others keep it', async () => {
    const { id, file } = await send({ authorization: 4, recipients: [ben, 'bea@harbour.example'] });
    const browser = await browserProving(app, ben);
    const ticket = await clickFile(browser, id, file);
    assert.ok(ticket !== null);
    await alice.refused(404, 'recipient.not_found', 'revokeRecipient', {
      params: { id, address: 'zoe@harbour.example' },
      body: {},
    });
    await alice.expect(200, 'revokeRecipient', { params: { id, address: ben }, body: {} });
    await alice.refused(422, 'message.already_revoked', 'revokeRecipient', { params: { id, address: ben }, body: {} });
    assert.notEqual((await browser.get(ticket)).status, 200);
    assert.equal(await mayOpen(ben, id, file), false, 'not even as a colleague of Bea');
    assert.ok(await mayOpen('bea@harbour.example', id, file));
    assert.deepEqual(
      (await mailbox.postAbout(app, id)).map((mail) => mail.to),
      ['bea@harbour.example'],
    );
    await alice.expect(200, 'addRecipients', { params: { id }, body: { recipients: [ben] } });
    assert.ok(await mayOpen(ben, id, file), 'access is granted again');
  });

  testOnce('a running download of a person who loses access is cut, and the log records it', async () => {
    const large = await alice.upload('large.bin', Buffer.alloc(beyondBuffersBytes, 'x'), 'uploadForMessage');
    const { id, file } = await send({ recipients: [ben], attachments: [large.id] });
    const browser = await browserProving(app, ben);
    const path = await clickFile(browser, id, file);
    const running = await openDownload(app.url, path!);
    await alice.expect(200, 'revokeRecipient', { params: { id, address: ben }, body: {} });
    await until(async () => {
      const [download] = (await trackPerson(alice, id, ben)).files[0]!.downloads;
      return download !== undefined && !download.is_running && !download.whole;
    });
    assert.equal((await running.rest()).isWhole, false);
  });

  test('sharing stops for all recipients; files are deleted later, or immediately on request', async () => {
    const { id, file } = await send();
    await alice.expect(200, 'revokeMessage', { params: { id }, body: {} });
    const stopped = await track(alice, id);
    assert.equal(stopped.state, 'stopped');
    assert.equal(stopped.files_state, 'going');
    assert.deepEqual(stopped.actions, {
      remind: [],
      extend_to: null,
      allow_more_to: null,
      add_recipient: false,
      revoke: false,
      delete_files: true,
      remove_files: [],
    });
    assert.equal(await mayOpen(ben, id, file), false);
    assert.deepEqual(await mailbox.postAbout(app, id), []);
    for (const [name, body] of [
      ['revokeMessage', {}],
      ['remindRecipients', {}],
      ['extendMessage', { expires_at: isoDay(60) }],
      ['addRecipients', { recipients: ['x@harbour.example'] }],
    ] as [EndpointName, unknown][]) {
      await alice.refused(422, 'message.ended', name, { params: { id }, body });
    }
    await alice.expect(200, 'deleteMessageFiles', { params: { id }, body: {} });
    assert.equal((await track(alice, id)).files_state, 'deleted');
    await alice.refused(422, 'message.files_gone', 'deleteMessageFiles', { params: { id }, body: {} });
    const direct = await send();
    await alice.expect(200, 'deleteMessageFiles', { params: { id: direct.id }, body: {} });
    assert.equal((await track(alice, direct.id)).state, 'stopped');
    assert.equal((await track(alice, direct.id)).files_state, 'deleted');
  });

  testOnce('files that a second message uses outlive the first', async () => {
    const shared = await alice.upload('shared.txt', 'shared', 'uploadForMessage');
    const first = await send({ attachments: [shared.id] });
    const second = await send({ attachments: [shared.id] });
    await alice.expect(200, 'deleteMessageFiles', { params: { id: first.id }, body: {} });
    assert.ok(await mayOpen(ben, second.id, second.file));
  });

  test('a wrong recipient loses access immediately, and exactly what they got is returned and recorded', async () => {
    const { id, file } = await send({
      attachments: [inlineFile('plan.txt', 'the plan'), inlineFile('two.txt', 'more')],
    });
    await alice.refused(404, 'recipient.not_found', 'reportWrongRecipient', {
      params: { id },
      body: { address: 'zoe@harbour.example' },
    });
    const early = wireForm(
      exposureAnswer,
      (await alice.expect(200, 'getExposure', { params: { id, address: ben } })).body,
    ).exposure;
    assert.deepEqual([early.mails, early.text_in_mail, early.opened_at], [[], false, null]);
    await mailbox.post(app);
    await downloadAs(app, ben, id, [file]);
    const { exposure, message } = wireForm(
      wrongRecipientAnswer,
      (await alice.expect(200, 'reportWrongRecipient', { params: { id }, body: { address: ben } })).body,
    );
    assert.equal(exposure.mails.length, 1);
    assert.equal(exposure.text_in_mail, true);
    assert.equal(exposure.names_in_mail, true);
    assert.deepEqual(
      exposure.files.map((one) => [one.filename, one.whole, one.bytes]),
      [
        ['plan.txt', true, 8],
        ['two.txt', false, 0],
      ],
    );
    assert.equal(exposure.is_open_to_others, false);
    assert.equal(message.people[0]!.state, 'revoked');
    assert.deepEqual(message.exposures, [exposure]);
    assert.equal(await mayOpen(ben, id, file), false);
    assert.deepEqual((await actionsOf(id)).slice(-2), ['message.recipient_revoked', 'message.wrong_recipient']);
    const rows = await app.app.ctx.db.read
      .selectFrom('events')
      .select('facts')
      .where('object_id', '=', id)
      .where('action', '=', 'message.wrong_recipient')
      .execute();
    assert.doesNotMatch(rows[0]!.facts, /plan\.txt/, 'names of files stay sealed');
  });

  testOnce(
    'the mail of a private message contained no content; the link of an open one still works for others',
    async () => {
      const group = await app.group('Wide open', { message_can_use_anyone: true });
      const wanda = await newPerson(app, 'wanda', { group });
      const secret = await send({ private_message: true }, wanda);
      const open = await send({ authorization: 0 }, wanda);
      await mailbox.post(app);
      const report = async (id: string) =>
        wireForm(
          wrongRecipientAnswer,
          (await wanda.expect(200, 'reportWrongRecipient', { params: { id }, body: { address: ben } })).body,
        ).exposure;
      const first = await report(secret.id);
      assert.deepEqual([first.text_in_mail, first.names_in_mail, first.mails.length], [false, false, 1]);
      assert.equal((await report(open.id)).is_open_to_others, true);
    },
  );
});
