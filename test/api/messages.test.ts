import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { audienceDescriptions, audiences } from '#contract/audiences.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { inlineFile, newPerson, readMessage, sendMessage, tracesOf } from '#test/kit/messages.ts';
import { useApp } from '#test/kit/use-app.ts';

const ben = 'ben@harbour.example';
const cleo = 'cleo@pier.example';
const dora = 'dora@quay.example';
const many = (count: number) => Array.from({ length: count }, (_, index) => `person${index}@harbour.example`);

onEachDatabase('POST /message', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });

  let groups = 0;
  async function member(settings: Record<string, unknown>): Promise<ApiClient> {
    groups++;
    const group = await app.group(`Group ${groups}`, settings);
    return newPerson(app, `member${groups}`, { group });
  }

  /** Checks that the refusals leave no row, no mail and no file. */
  async function leavesNothing(refusals: () => Promise<unknown>): Promise<void> {
    const before = await tracesOf(app);
    await refusals();
    assert.deepEqual(await tracesOf(app), before);
  }

  const refused = (client: ApiClient, code: string, ...messages: Record<string, unknown>[]) =>
    leavesNothing(async () => {
      for (const message of messages) await client.refused(422, code, 'sendMessage', { body: { message } });
    });

  testOnce('is refused with 401 without a key', async () => {
    const body = { message: { recipients: [ben] } };
    await leavesNothing(() => app.anonymous.refused(401, 'credentials.invalid', 'sendMessage', { body }));
  });

  testOnce('is refused to a group that cannot use messages', async () => {
    await refused(await member({ can_use_messages: false }), 'message.not_permitted', { recipients: [ben] });
  });

  testOnce('is refused without a message, or with fields of the wrong kind, and names the field', async () => {
    const wrong = [
      [{}, 'message'],
      [{ message: null }, 'message'],
      [{ message: [] }, 'message'],
      [{ message: { recipients: [ben], subject: 7 } }, 'subject'],
      [{ message: { recipients: [ben], message: {} } }, 'message'],
      [{ message: { recipients: [7] } }, 'recipients'],
      [{ message: { recipients: { to: ben } } }, 'recipients'],
      [{ message: { recipients: [ben], send_email: 'yes' } }, 'send_email'],
      [{ message: { recipients: [ben], private_message: 2 } }, 'private_message'],
      [{ message: { recipients: [ben], expires_after: -1 } }, 'expires_after'],
      [{ message: { recipients: [ben], expires_after: 1.5 } }, 'expires_after'],
      [{ message: { recipients: [ben], expires_after: 'many' } }, 'expires_after'],
      [{ message: { recipients: [ben], authorization: -1 } }, 'authorization'],
      [{ message: { recipients: [ben], attachments: 'a' } }, 'attachments'],
      [{ message: { recipients: [ben], attachments: [7] } }, 'attachments'],
    ] as const;
    await leavesNothing(async () => {
      for (const [body, field] of wrong) {
        const reply = await alice.refused(422, 'request.invalid', 'sendMessage', { body });
        assert.match(reply.text, new RegExp(field), JSON.stringify(body));
      }
    });
  });

  testOnce('is refused with a recipient that is not one plain address, in every list', async () => {
    const hostile = [
      'ben',
      'ben@',
      '@harbour.example',
      'Ben <ben@harbour.example>',
      '"ben"@harbour.example',
      'ben@harbour.example\r\nBcc: eve@quay.example',
      'ben@harbour.example\nX: y',
      'ben@harbour.example,eve@quay.example',
      'ben@harbour.example;eve@quay.example',
      'ben@[127.0.0.1]',
      'ben%elsewhere@harbour.example',
      '\u212aen@harbour.example',
      'ben@harbour.example.',
      'ben(comment)@harbour.example',
      'undisclosed-recipients:;',
    ];
    const messages = hostile.flatMap((address) =>
      ['recipients', 'cc', 'bcc'].map((field) => ({ recipients: [ben], send_email: true, [field]: [cleo, address] })),
    );
    await refused(alice, 'message.bad_recipient', ...messages);
  });

  testOnce('is refused with a NUL in any place', async () => {
    const messages = [
      { recipients: [`${ben}\0`] },
      { recipients: [ben], cc: ['\0'] },
      { recipients: [ben], sender: '\0' },
      { recipients: [ben], subject: 'a\0b' },
      { recipients: [ben], message: '\0' },
      { recipients: [ben], expires_at: '2026-11-20\0' },
      { recipients: [ben], attachments: [`${'A'.repeat(21)}\0`] },
      { recipients: [ben], attachments: [inlineFile('a\0.txt', 'x')] },
      { recipients: [ben], attachments: [inlineFile('a.txt', 'x', { content_type: 'text/\0' })] },
    ];
    await refused(alice, 'request.bad_json', ...messages);
  });

  testOnce('is refused for 501 people, over all three lists', async () => {
    const people = many(501);
    await refused(alice, 'message.too_many_recipients', { recipients: people });
    await refused(alice, 'message.too_many_recipients', {
      recipients: people.slice(0, 100),
      cc: people.slice(100, 300),
      bcc: people.slice(300),
    });
  });

  testOnce('requires a recipient at levels 3 and 4, and for a mail', async () => {
    const none = [undefined, [], '', null];
    const messages = [3, 4].flatMap((authorization) => none.map((recipients) => ({ authorization, recipients })));
    await refused(alice, 'message.no_recipients', ...messages, { authorization: 1, send_email: true });
    for (const authorization of [1, 2]) await sendMessage(alice, { authorization });
  });

  testOnce('is refused when a list of recipients holds only empty texts', async () => {
    const lists = [[''], ['', ' \t']].flatMap((list) => [{ recipients: list }, { recipients: [ben], cc: list }]);
    await refused(alice, 'message.no_recipients', ...lists.map((list) => ({ ...list, authorization: 1 })));
    await sendMessage(alice, { recipients: ['', ben], authorization: 1 });
  });

  testOnce('has no subject if it has only spaces', async () => {
    const { id } = await sendMessage(alice, { recipients: [ben], subject: ' \u00a0 ' });
    const { body } = await alice.expect(200, 'getSentMessage', { params: { id } });
    assert.equal((body as { message: { subject: string } }).message.subject, '');
  });

  testOnce('is refused with line breaks or control characters in the subject, or one too long for a mail', async () => {
    const subjects = ['a\r\nBcc: eve@quay.example', 'a\nb', 'a\rb', 'a\u0001b', 'a\u001bb'];
    await refused(alice, 'message.bad_subject', ...subjects.map((subject) => ({ recipients: [ben], subject })));
    await refused(alice, 'message.subject_too_long', { recipients: [ben], subject: 'é'.repeat(500) });
  });

  testOnce('is refused with control characters in the text, or one too long', async () => {
    for (const message of ['a\u0001b', 'a\u001b[2Jb'])
      await refused(alice, 'message.bad_body', { recipients: [ben], message });
    await refused(alice, 'message.body_too_long', { recipients: [ben], message: 'x'.repeat(256 * 1024 + 1) });
  });

  testOnce('is refused with a sender that is not one of the sender aliases', async () => {
    const foreign = ['boss@example.com', 'root@example.com'];
    await refused(alice, 'message.sender_not_permitted', ...foreign.map((sender) => ({ recipients: [ben], sender })));
    const wrong = ['not an address', 'alice@example.com\r\nX: y', 'Alice <alice@example.com>'];
    await refused(alice, 'user.bad_email', ...wrong.map((sender) => ({ recipients: [ben], sender })));
  });

  test('is refused with an expiry that is past, too far ahead, or no date', async () => {
    await refused(alice, 'message.expiry_past', { recipients: [ben], expires_at: '2026-11-15' });
    await refused(alice, 'message.expiry_too_late', { recipients: [ben], expires_at: '2027-05-16' });
    const dates = ['2026-02-30', '2026-13-01', 'tomorrow', '16.11.2026', '2026-11-17T00:00:00Z'];
    await refused(alice, 'message.bad_date', ...dates.map((expires_at) => ({ recipients: [ben], expires_at })));
    assert.equal((await sendMessage(alice, { recipients: [ben], expires_at: '2026-11-16' })).expires_at, '2026-11-16');
    assert.equal((await sendMessage(alice, { recipients: [ben], expires_at: '2027-05-15' })).expires_at, '2027-05-15');
  });

  testOnce('accepts what the group has locked when repeated, and refuses another value', async () => {
    const fixed = await member({
      message_can_change_expiration: false,
      message_default_expiration: 7,
      message_can_change_expires_after: false,
      message_default_expires_after: 3,
      message_can_change_bcc_myself: false,
      message_default_bcc_myself: false,
      message_can_change_private_message: false,
      message_default_private_message: true,
      message_can_change_authorization: false,
      message_default_authorization: 4,
    });
    const defaults = {
      expires_at: '2026-11-23',
      expires_after: 3,
      bcc_myself: false,
      private_message: true,
      authorization: 4,
    };
    for (const [field, value, code] of [
      ['expires_at', '2026-11-24', 'message.expiry_locked'],
      ['expires_after', 2, 'message.setting_locked'],
      ['expires_after', 0, 'message.setting_locked'],
      ['bcc_myself', true, 'message.setting_locked'],
      ['private_message', false, 'message.setting_locked'],
      ['authorization', 3, 'message.setting_locked'],
    ] as const)
      await refused(fixed, code, { recipients: [ben], [field]: value });
    for (const message of [{ recipients: [ben] }, { recipients: [ben], ...defaults }]) {
      const sent = await sendMessage(fixed, message);
      assert.equal(sent.expires_at, '2026-11-23');
      assert.equal(sent.expires_after, 3);
      assert.equal(sent.private_message, true);
      assert.equal(sent.authorization, 4);
    }
    const mailed = await sendMessage(fixed, { recipients: [ben], send_email: true });
    assert.deepEqual(
      (await mailbox.postAbout(app, mailed.id)).map((mail) => mail.to),
      [ben],
    );
  });

  testOnce('requires the permission of the group for each level', async () => {
    await refused(alice, 'message.bad_authorization', { recipients: [ben], authorization: 5 });
    await refused(alice, 'message.audience_not_permitted', { recipients: [ben], authorization: 0 });
    const flags = [
      'message_can_use_anyone',
      'message_can_use_anyone_with_auth',
      'message_can_use_specified_recipients_and_local',
      'message_can_use_specified_recipients',
      'message_can_use_specified_recipients_and_domains',
    ];
    const one = await member({
      ...Object.fromEntries(flags.map((flag) => [flag, false])),
      message_can_use_specified_recipients_and_local: true,
      message_default_authorization: 2,
    });
    const others = [0, 1, 3, 4].map((authorization) => ({ recipients: [ben], authorization }));
    await refused(one, 'message.audience_not_permitted', ...others);
    assert.equal((await sendMessage(one, { recipients: [ben] })).authorization, 2);
    const all = await member({ message_can_use_anyone: true });
    for (const authorization of [0, 1, 2, 3, 4]) {
      const sent = await sendMessage(all, { recipients: [ben], authorization });
      assert.equal(sent.authorization, authorization);
      assert.equal(sent.authorization_description, audienceDescriptions[audiences[authorization]!]);
    }
  });

  testOnce('never makes a private message open to anyone with the link', async () => {
    const open = await member({ message_can_use_anyone: true });
    await refused(open, 'message.private_for_anyone', { recipients: [ben], authorization: 0, private_message: true });
    const byDefault = await member({ message_can_use_anyone: true, message_default_private_message: true });
    await refused(byDefault, 'message.private_for_anyone', { recipients: [ben], authorization: 0 });
    await sendMessage(byDefault, { recipients: [ben], authorization: 0, private_message: false });
  });

  testOnce('is refused with more downloads than the group permits, and 0 is its maximum', async () => {
    const bounded = await member({ message_max_expires_after: 10, message_default_expires_after: 2 });
    await refused(bounded, 'message.too_many_downloads', { recipients: [ben], expires_after: 11 });
    assert.equal((await sendMessage(bounded, { recipients: [ben], expires_after: 10 })).expires_after, 10);
    assert.equal((await sendMessage(bounded, { recipients: [ben], expires_after: 0 })).expires_after, 10);
    assert.equal((await sendMessage(bounded, { recipients: [ben] })).expires_after, 2);
    assert.equal((await sendMessage(alice, { recipients: [ben], expires_after: 0 })).expires_after, 0);
    assert.equal((await sendMessage(alice, { recipients: [ben], expires_after: '5' })).expires_after, 5);
  });

  testOnce('may be limited to domains, to a pattern and to local users, in every list', async () => {
    const domains = await member({ message_limit_recipients: true, message_recipient_domains: ['harbour.example'] });
    const closed = await member({
      message_limit_recipients: true,
      message_recipient_domains: ['harbour.example'],
      message_can_send_to_local_users: false,
    });
    const pattern = await member({ message_recipient_pattern: '@(harbour|pier)\\.example$' });
    const outside = await newPerson(app, 'outside', { group: 'external-users', email: 'out@elsewhere.example' });
    for (const [client, to, bad] of [
      [domains, ben, cleo],
      [domains, alice.email, 'unknown@example.com'],
      [domains, ben, 'ben@sub.harbour.example'],
      [closed, ben, alice.email],
      [pattern, cleo, dora],
      [pattern, ben, 'ben@harbour.example.evil.org'],
      [outside, alice.email, ben],
      [outside, alice.email, 'out@elsewhere.example'],
    ] as const) {
      const messages = ['recipients', 'cc', 'bcc'].map((field) => ({ authorization: 1, [field]: [bad] }));
      await refused(client, 'message.recipient_not_allowed', ...messages);
      await sendMessage(client, { recipients: [to], cc: [to], bcc: [to] });
    }
  });

  testOnce(
    'is refused with files that are missing, incomplete, of another user, or submitted by a visitor',
    async () => {
      const bob = await newPerson(app, 'bob');
      const foreign = await bob.upload('theirs.txt', 'x', 'uploadForMessage');
      const gone = await alice.upload('gone.txt', 'x', 'uploadForMessage');
      await alice.expect(200, 'deleteAttachment', { params: { id: gone.id } });
      const own = await alice.upload('own.txt', 'x', 'uploadForMessage');
      const { body } = await alice.expect(200, 'createFileRequest', { body: { request: { recipient: ben } } });
      const { id } = (body as { request: { id: string } }).request;
      const upload = await app.anonymous.expect(200, 'uploadForRequest', {
        params: { id },
        query: { filename: 'in.txt' },
        bytes: 'x',
      });
      const handedIn = (upload.body as { attachment: { id: string } }).attachment.id;
      const wrong = ['A'.repeat(22), '', 'x', foreign.id, gone.id, handedIn];
      const messages = wrong.map((file) => ({ recipients: [ben], attachments: [own.id, file] }));
      await refused(alice, 'message.attachment_unknown', ...messages);
      await sendMessage(alice, { recipients: [ben], attachments: [own.id] });
    },
  );

  testOnce('checks extensions with the current rules, for files uploaded before and inside', async () => {
    const group = await app.group('Changing rules');
    const person = await newPerson(app, 'changing', { group });
    const file = await person.upload('drawing.dwg', 'x', 'uploadForMessage');
    await app.admin.expect(200, 'changeGroup', {
      params: { id: group },
      body: { group: { permitted_extensions: 'pdf' } },
    });
    for (const attachments of [[file.id], [inlineFile('a.dwg', 'x')], [inlineFile('pdf', 'x')]])
      await refused(person, 'attachment.extension_not_permitted', { recipients: [ben], attachments });
    await refused(alice, 'attachment.extension_not_permitted', {
      recipients: [ben],
      attachments: [inlineFile('a.txt', 'x'), inlineFile('virus.EXE', 'x')],
    });
    await sendMessage(person, { recipients: [ben], attachments: [inlineFile('a.PDF', 'x')] });
  });

  test('is refused with files that are too large together', async () => {
    const small = await member({ message_max_size: 1 });
    const half = await small.upload('half.bin', new Uint8Array(600 * 1024), 'uploadForMessage');
    const other = inlineFile('other.bin', new Uint8Array(600 * 1024));
    await refused(small, 'message.too_large', { recipients: [ben], attachments: [half.id, other] });
    await sendMessage(small, { recipients: [ben], attachments: [half.id] });
    await sendMessage(small, { recipients: [ben], attachments: [other] });
  });

  testOnce('applies the quota to files inside the request too', async () => {
    const person = await member({ storage_quota: 1 });
    const file = inlineFile('large.bin', new Uint8Array(700 * 1024));
    await sendMessage(person, { recipients: [ben], attachments: [file] });
    await refused(person, 'attachment.quota_full', { recipients: [ben], attachments: [file] });
  });

  testOnce('returns every field with its type', async () => {
    const file = await alice.upload('plan.txt', 'the plan', 'uploadForMessage');
    const reply = await alice.expect(200, 'sendMessage', {
      body: {
        message: {
          recipients: [ben],
          cc: [cleo],
          bcc: [dora],
          sender: 'Alice@Example.com',
          subject: 'The plan',
          message: 'Here it is.',
          expires_at: '2026-12-01',
          expires_after: 4,
          send_email: false,
          bcc_myself: true,
          private_message: false,
          authorization: 2,
          attachments: [file.id, inlineFile('notes.txt', 'some notes')],
        },
      },
    });
    const { message } = reply.body as { message: Record<string, unknown> };
    assert.deepEqual(Object.keys(message), [
      'id',
      'url',
      'expires_at',
      'expires_after',
      'authorization',
      'authorization_description',
      'private_message',
      'plain',
      'html',
      'html_64',
      'plain_64',
    ]);
    assert.equal(message.url, `${app.url}/message/${message.id}`);
    assert.equal(message.expires_at, '2026-12-01');
    assert.equal(message.expires_after, 4);
    assert.equal(message.authorization, 2);
    assert.equal(message.authorization_description, 'Specified Recipients and local users can access');
    assert.equal(message.private_message, false);
    assert.ok(!/": /.test(reply.text.slice(0, 60)), 'the JSON is compact');
    const stored = await readMessage(alice, String(message.id));
    assert.deepEqual(
      [stored.sender, stored.recipients, stored.ccs, stored.bccs, stored.subject, stored.message],
      [alice.email, [ben], [cleo], [dora], 'The plan', 'Here it is.'],
    );
    assert.deepEqual(
      stored.attachments.map((attachment) => attachment.filename),
      ['plan.txt', 'notes.txt'],
    );
    assert.equal(stored.size, 'the plan'.length + 'some notes'.length);
  });

  testOnce(
    'returns a text for callers that names subject, files and the address, and equals its Base64 form',
    async () => {
      const sent = await sendMessage(alice, {
        recipients: [ben],
        subject: 'Drawings of the quay',
        message: 'First line\nsecond line',
        attachments: [inlineFile('Kaimauer — Süd.pdf', 'x')],
      });
      for (const [text, twin] of [
        [sent.plain, sent.plain_64],
        [sent.html, sent.html_64],
      ] as const) {
        assert.equal(Buffer.from(twin, 'base64').toString('utf8'), text);
        assert.equal(Buffer.from(text).toString('base64'), twin);
        for (const part of ['First line', 'second line', 'Kaimauer — Süd.pdf', sent.url])
          assert.ok(text.includes(part), part);
      }
    },
  );

  test('turns nothing hostile in subject, text, names or file names into markup', async () => {
    const evil = `{{ 7 | times: 6 }}"><script>alert(1)</script><img src=x onerror='alert(2)'></a>`;
    const sent = await sendMessage(alice, {
      recipients: [ben],
      subject: evil,
      message: `${evil}\n<a href="javascript:alert(3)">click</a>`,
      attachments: [inlineFile(`${evil.replaceAll('/', '')}.txt`, 'x')],
    });
    assert.doesNotMatch(sent.html, /<script|<img|onerror='|href="javascript/i);
    assert.match(sent.html, /&lt;script&gt;/);
    assert.doesNotMatch(
      sent.html.replace(/<[^<>]*>/g, ''),
      /[<>]/,
      'every bracket in the HTML belongs to our own tags',
    );
    assert.match(sent.plain, /\{\{ 7 \| times: 6 }}/);
    assert.match(sent.html, /\{\{ 7 \| times: 6 }}/);
    // Text of users is marked line by line, so that it cannot pass as ours.
    for (const line of sent.plain.split('\n').filter((text) => /javascript/.test(text))) assert.match(line, /^> /);
    assert.doesNotMatch(sent.plain, /[\0\u0008\u001b\u202e]/);
  });

  testOnce('names neither text nor file names of a private message in the text for callers', async () => {
    const sent = await sendMessage(alice, {
      recipients: [ben],
      subject: 'Offer for the harbour',
      message: 'The price is 4711.',
      private_message: true,
      attachments: [inlineFile('offer.pdf', 'x')],
    });
    assert.equal(sent.private_message, true);
    for (const text of [sent.plain, sent.html]) {
      assert.doesNotMatch(text, /4711|offer\.pdf|Offer for the harbour/);
      assert.ok(text.includes(sent.url));
    }
  });

  test('accepts optional fields that are omitted, empty or null, and flags as words', async () => {
    const few = await sendMessage(alice, { subject: '', message: '', recipients: [ben], send_email: 'false' });
    assert.equal(few.expires_at, '2026-12-16');
    assert.equal(few.expires_after, 0);
    assert.equal(few.authorization, 3);
    await sendMessage(alice, { recipients: [ben] });
    const nothing = {
      cc: null,
      bcc: null,
      sender: null,
      subject: null,
      message: null,
      expires_at: null,
      attachments: null,
    };
    await sendMessage(alice, {
      recipients: [ben],
      ...nothing,
      expires_after: null,
      bcc_myself: null,
      private_message: null,
      authorization: null,
    });
    const words = await sendMessage(alice, { recipients: [ben], private_message: 'true', authorization: '1' });
    assert.equal(words.private_message, true);
    assert.equal(words.authorization, 1);
    const listed = await sendMessage(alice, { recipients: `${ben}, ${cleo}`, cc: '', attachments: [] });
    assert.deepEqual((await readMessage(alice, listed.id)).recipients, [ben, cleo]);
  });

  testOnce('treats an address in several lists as one recipient, in its most visible role', async () => {
    const sent = await sendMessage(alice, {
      recipients: ['BEN@harbour.example', ben],
      cc: [ben, 'Cleo@Pier.Example'],
      bcc: [cleo, ben, dora],
      send_email: true,
      bcc_myself: false,
    });
    const stored = await readMessage(alice, sent.id);
    assert.deepEqual([stored.recipients, stored.ccs, stored.bccs], [[ben], [cleo], [dora]]);
    assert.deepEqual((await mailbox.postAbout(app, sent.id)).map((mail) => mail.to).sort(), [ben, cleo, dora]);
  });

  test('attaches the same file once', async () => {
    const file = await alice.upload('once.txt', 'x', 'uploadForMessage');
    const sent = await sendMessage(alice, { recipients: [ben], attachments: [file.id, file.id] });
    assert.equal((await readMessage(alice, sent.id)).attachments.length, 1);
  });

  testOnce('accepts a file that a link uses too, whichever way it was uploaded', async () => {
    for (const route of ['uploadForMessage', 'uploadForLink'] as const) {
      const file = await alice.upload('both.txt', 'x', route);
      await alice.expect(200, 'createFileLink', { body: { link: { attachment: file.id } } });
      const first = await sendMessage(alice, { recipients: [ben], attachments: [file.id] });
      const second = await sendMessage(alice, { recipients: [cleo], attachments: [file.id] });
      assert.notEqual(first.id, second.id);
    }
  });

  testOnce('accepts a sender alias, and uses the default alias without one', async () => {
    const group = await app.group('With aliases');
    const sam = await newPerson(app, 'sam', { group });
    await app.admin.expect(200, 'changeUser', {
      params: { id: 'sam-example-com' },
      body: {
        user: { sender_aliases: ['sales@example.com', 'info@example.com'], default_sender_alias: 'info@example.com' },
      },
    });
    for (const [sender, expected] of [
      [undefined, 'info@example.com'],
      ['', 'info@example.com'],
      ['SALES@example.com', 'sales@example.com'],
      ['sam@example.com', 'sam@example.com'],
    ] as const) {
      const sent = await sendMessage(sam, { recipients: [ben], sender, send_email: true, bcc_myself: false });
      assert.equal((await readMessage(sam, sent.id)).sender, expected);
      const [mail] = await mailbox.postAbout(app, sent.id);
      assert.equal(mail!.replyTo, expected);
      assert.notEqual(mail!.from.address, expected);
    }
    await refused(sam, 'message.sender_not_permitted', { recipients: [ben], sender: 'alice@example.com' });
  });

  testOnce('queues no mail without send_email, one to each recipient and a copy with it', async () => {
    const quiet = await sendMessage(alice, { recipients: [ben], bcc_myself: true });
    assert.deepEqual(await mailbox.postAbout(app, quiet.id), []);
    const loud = await sendMessage(alice, {
      recipients: [ben],
      cc: [cleo],
      bcc: [dora],
      subject: 'To you all',
      message: 'Dear all',
      send_email: 'true',
    });
    const mails = await mailbox.postAbout(app, loud.id);
    assert.deepEqual(mails.map((mail) => mail.to).sort(), [alice.email, ben, cleo, dora]);
    for (const mail of mails.filter(({ to }) => to !== alice.email)) {
      assert.match(mail.subject, /To you all/);
      assert.match(mail.text, /Dear all/);
      assert.equal(mail.replyTo, alice.email);
    }
  });

  testOnce('names Bcc recipients in no mail but the one to them and the copy to the sender', async () => {
    await sendMessage(alice, { recipients: [ben], cc: [cleo], bcc: [dora], send_email: true });
    const before = mailbox.transport.sent.length;
    await mailbox.post(app);
    for (const { mail, mime } of mailbox.transport.sent.slice(before)) {
      if (mail.to === dora || mail.to === alice.email) continue;
      assert.ok(!mime.toString().includes('dora'), `the mail to ${mail.to} tells of Bcc`);
    }
  });

  testOnce('keeps the text, subject and files of a private message out of the mail', async () => {
    const { id } = await sendMessage(alice, {
      recipients: [ben],
      subject: 'Offer for the harbour',
      message: 'The price is 4711.',
      private_message: true,
      send_email: true,
      bcc_myself: false,
      attachments: [inlineFile('offer.pdf', 'x')],
    });
    const [mail] = await mailbox.postAbout(app, id);
    assert.doesNotMatch(mail!.subject + mail!.text + mail!.html, /4711|offer\.pdf|Offer for the harbour/);
  });

  testOnce('delivers an unusual subject as it was sent, and changes no header', async () => {
    const subject = 'Grüße =?utf-8?q?=0D=0ABcc:_eve@quay.example?= “x” 🚢 <b>';
    const { id } = await sendMessage(alice, { recipients: [ben], subject, send_email: true, bcc_myself: false });
    const [mail] = await mailbox.postAbout(app, id);
    assert.ok(mail!.subject.includes('🚢'));
    const { mime } = mailbox.transport.sent.find((sent) => sent.mail.messageId === mail!.messageId)!;
    const head = mime.toString('latin1').split('\r\n\r\n', 1)[0]!;
    assert.doesNotMatch(head, /^(bcc|cc):/im);
    assert.doesNotMatch(head, /eve@quay\.example\s*$/im);
  });

  testOnce('reaches 500 people, and then sends no mail for an hour', async () => {
    const bulk = await newPerson(app, 'bulk');
    // Copies to oneself and mails of the service itself do not count.
    await sendMessage(bulk, { recipients: [bulk.email], send_email: true });
    const sent = await sendMessage(bulk, { recipients: many(250), cc: [], bcc: many(500), send_email: true });
    assert.equal((await readMessage(bulk, sent.id)).recipients.length, 250);
    await refused(bulk, 'message.mail_limit', { recipients: [ben], send_email: true });
    await sendMessage(bulk, { recipients: [ben], send_email: false });
    await alice.expect(200, 'sendMessage', { body: { message: { recipients: [ben], send_email: true } } });
    app.clock.advance(3_600_001);
    await sendMessage(bulk, { recipients: [ben], send_email: true });
  });
});
