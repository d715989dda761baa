import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { DryRunBody } from '#contract/dry-runs.ts';
import { onOneEngine } from '#test/kit/app.ts';
import type { ApiClient, Reply } from '#test/kit/client.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { inlineFile, newPerson, tracesOf } from '#test/kit/messages.ts';
import { useApp } from '#test/kit/use-app.ts';

const ben = 'ben@harbour.example';
const many = (count: number) => Array.from({ length: count }, (_, index) => `person${index}@harbour.example`);
const calls = { message: 'sendMessage', link: 'createFileLink', request: 'createFileRequest' } as const;
type Noun = keyof typeof calls;
type Fields = Record<string, unknown>;

/** Settings of a group, and requests of its members, each allowed or refused for the named reason. */
const groups: { settings: Fields; requests: [noun: Noun, fields: Fields, code: string | null, source?: string][] }[] = [
  {
    settings: {},
    requests: [
      ['message', { recipients: [ben], subject: 'Plans', message: 'Here they are.' }, null],
      ['message', { recipients: [ben], send_email: true, attachments: ['<own>', '<own>'] }, null],
      ['message', { recipients: [ben], attachments: [inlineFile('a.txt', 'hello')] }, null],
      ['message', { recipients: ['no-address'] }, 'message.bad_recipient', 'installation'],
      ['message', { recipients: many(501) }, 'message.too_many_recipients', 'installation'],
      ['message', {}, 'message.no_recipients', 'installation'],
      ['message', { send_email: true, authorization: 1 }, 'message.no_recipients', 'installation'],
      ['message', { recipients: [ben], authorization: 5 }, 'message.bad_authorization', 'installation'],
      ['message', { recipients: [ben], authorization: 0 }, 'message.audience_not_permitted', 'message_can_use_anyone'],
      ['message', { recipients: [ben], language: 'xx' }, 'language.unknown', 'installation'],
      ['message', { recipients: [ben], sender: 'x' }, 'user.bad_email', 'installation'],
      ['message', { recipients: [ben], sender: ben }, 'message.sender_not_permitted', 'installation'],
      ['message', { recipients: [ben], subject: 'two\nlines' }, 'message.bad_subject', 'installation'],
      ['message', { recipients: [ben], message: 'x'.repeat(300_000) }, 'message.body_too_long', 'installation'],
      ['message', { recipients: [ben], message: '\u0007' }, 'message.bad_body', 'installation'],
      ['message', { recipients: [ben], message_format: 'html' }, 'message.html_not_permitted', 'message_can_use_html'],
      ['message', { recipients: [ben], expires_at: 'soon' }, 'message.bad_date', 'installation'],
      ['message', { recipients: [ben], expires_at: '2001-01-01' }, 'message.expiry_past', 'installation'],
      ['message', { recipients: [ben], expires_at: '2999-01-01' }, 'message.expiry_too_late', 'message_max_expiration'],
      ['message', { recipients: [ben], attachments: ['unknown'] }, 'message.attachment_unknown', 'installation'],
      [
        'message',
        { recipients: [ben], attachments: [inlineFile('a.exe', 'x')] },
        'attachment.extension_not_permitted',
        'blocked_extensions',
      ],
      [
        'message',
        { recipients: [ben], attachments: [inlineFile('a.txt', 'x', { crc32: '1' })] },
        'attachment.checksum_mismatch',
        'installation',
      ],
      // With several faults, the first refusal is that of the call.
      ['message', { recipients: ['no-address'], subject: '\n', expires_at: 'soon' }, 'message.bad_recipient'],
      ['message', { subject: '\n', attachments: [inlineFile('a.exe', 'x')] }, 'attachment.extension_not_permitted'],
      ['message', { recipients: [ben], subject: '\n', attachments: ['unknown'] }, 'message.bad_subject'],
      ['link', { attachment: '<own>', password: 'open sesame' }, null],
      ['link', { attachment: 'unknown' }, 'link.attachment_unknown', 'installation'],
      ['link', { attachment: '<own>', expires_at: '2999-01-01' }, 'link.expiry_too_late', 'filelink_max_expiration'],
      ['link', { attachment: 'unknown', expires_at: 'soon' }, 'link.bad_date', 'installation'],
      ['request', { recipient: ben, subject: 'Please' }, null],
      ['request', { recipient: ben, send_email: false, multiuse: true }, null],
      ['request', { recipient: 'no-address' }, 'user.bad_email', 'installation'],
      ['request', { recipient: ben, subject: '\n', expires_at: 'soon' }, 'message.bad_subject', 'installation'],
      ['request', { recipient: ben, message: '\u0007' }, 'message.bad_body', 'installation'],
      ['request', { recipient: ben, expires_at: '2999-01-01' }, 'request.expiry_too_late', 'installation'],
    ],
  },
  {
    settings: { can_use_messages: false, can_use_file_requests: false },
    requests: [
      ['message', { recipients: [ben] }, 'message.not_permitted', 'can_use_messages'],
      ['message', { recipients: ['no-address'] }, 'message.not_permitted', 'can_use_messages'],
      ['request', { recipient: ben }, 'request.not_permitted', 'can_use_file_requests'],
      ['link', { attachment: '<own>' }, null],
    ],
  },
  {
    settings: { can_use_filelinks: false, message_can_use_anyone: true, message_max_size: 1 },
    requests: [
      ['link', { attachment: '<own>' }, 'link.not_permitted', 'can_use_filelinks'],
      [
        'message',
        { recipients: [ben], authorization: 0, private_message: true },
        'message.private_for_anyone',
        'installation',
      ],
      ['message', { authorization: 0 }, null],
      [
        'message',
        { recipients: [ben], attachments: [inlineFile('a.txt', 'x'.repeat(1024 * 1024 + 1))] },
        'message.too_large',
        'message_max_size',
      ],
    ],
  },
  {
    settings: {
      message_can_change_authorization: false,
      message_can_change_private_message: false,
      message_can_change_bcc_myself: false,
      message_can_change_expiration: false,
      message_can_change_expires_after: false,
      filelink_can_change_expiration: false,
      filelink_can_change_require_authentication: false,
      filelink_can_change_download_confirmation: false,
      filelink_can_set_password: false,
      file_request_multiuse_can_change: false,
    },
    requests: [
      ['message', { recipients: [ben] }, null],
      [
        'message',
        { recipients: [ben], authorization: 4 },
        'message.setting_locked',
        'message_can_change_authorization',
      ],
      [
        'message',
        { recipients: [ben], private_message: true },
        'message.setting_locked',
        'message_can_change_private_message',
      ],
      ['message', { recipients: [ben], bcc_myself: false }, 'message.setting_locked', 'message_can_change_bcc_myself'],
      [
        'message',
        { recipients: [ben], expires_at: '2999-01-01' },
        'message.expiry_locked',
        'message_can_change_expiration',
      ],
      [
        'message',
        { recipients: [ben], expires_after: 2 },
        'message.setting_locked',
        'message_can_change_expires_after',
      ],
      [
        'link',
        { attachment: '<own>', expires_at: '2999-01-01' },
        'link.expiry_locked',
        'filelink_can_change_expiration',
      ],
      [
        'link',
        { attachment: '<own>', require_authentication: true },
        'link.setting_locked',
        'filelink_can_change_require_authentication',
      ],
      [
        'link',
        { attachment: '<own>', download_receipt: false },
        'link.setting_locked',
        'filelink_can_change_download_confirmation',
      ],
      ['link', { attachment: '<own>', password: 'open sesame' }, 'link.setting_locked', 'filelink_can_set_password'],
      ['request', { recipient: ben, multiuse: true }, 'message.setting_locked', 'file_request_multiuse_can_change'],
    ],
  },
  {
    settings: {
      message_limit_recipients: true,
      message_recipient_domains: ['pier.example'],
      message_max_expires_after: 5,
      message_default_expires_after: 5,
      permitted_extensions: 'txt',
      blocked_extensions: '',
    },
    requests: [
      ['message', { recipients: ['cleo@pier.example'] }, null],
      ['message', { recipients: [ben] }, 'message.recipient_not_allowed', 'message_limit_recipients'],
      [
        'message',
        { recipients: ['cleo@pier.example'], expires_after: 6 },
        'message.too_many_downloads',
        'message_max_expires_after',
      ],
      [
        'message',
        { recipients: ['cleo@pier.example'], attachments: [inlineFile('a.pdf', 'x')] },
        'attachment.extension_not_permitted',
        'permitted_extensions',
      ],
    ],
  },
  {
    settings: { message_recipient_pattern: '@pier\\.example$' },
    requests: [['message', { recipients: [ben] }, 'message.recipient_not_allowed', 'message_recipient_pattern']],
  },
  {
    settings: { is_local: false },
    requests: [
      ['message', { recipients: [ben] }, 'message.recipient_not_allowed', 'message_can_send_to_local_users_only'],
      ['link', { attachment: '<own>' }, 'link.not_permitted', 'can_use_filelinks'],
    ],
  },
];

onOneEngine('a dry run', (start) => {
  // No mail is sent automatically, so nothing is counted that a dry run did not do.
  const app = useApp(start, openMailbox().options);
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });

  const ask = (who: ApiClient, noun: Noun, fields: Fields, headers: Record<string, string> = {}): Promise<Reply> =>
    who.call(calls[noun], { body: { [noun]: fields }, headers });

  async function dryRun(who: ApiClient, noun: Noun, fields: Fields, headers: Record<string, string> = {}) {
    const reply = await ask(who, noun, { ...fields, dry_run: true }, headers);
    assert.equal(reply.status, 200, reply.text);
    return (reply.body as DryRunBody).dry_run;
  }

  async function everything(): Promise<unknown> {
    const people = app.app.ctx.db.read.selectFrom('users').select(['id', 'stored_bytes', 'reserved_bytes']);
    return { traces: await tracesOf(app), people: await people.orderBy('id').execute() };
  }

  for (const [index, { settings, requests }] of groups.entries())
    test(`returns what the call returns, in group ${index + 1}, and writes nothing`, async () => {
      const who = await newPerson(app, `member${index}`, { group: await app.group(`Group ${index}`, settings) });
      const own = (await who.upload('own.txt', 'hello', 'uploadForMessage')).id;
      for (const [noun, template, code, source] of requests) {
        const fields = JSON.parse(JSON.stringify(template).replaceAll('<own>', own)) as Fields;
        const what = JSON.stringify({ noun, ...fields }).slice(0, 200);
        const untouched = await everything();
        const { allowed, rules } = await dryRun(who, noun, fields);
        assert.deepEqual(await everything(), untouched, what);
        const real = await ask(who, noun, fields);
        assert.equal(real.status, code === null ? 200 : 422, `${what} ${real.text}`);
        assert.equal(allowed, code === null, `${what} ${JSON.stringify(rules)}`);
        assert.ok(rules.length > 3, what);
        for (const rule of rules) assert.equal(rule.sentence === '', rule.allowed, what);
        const first = rules.find((rule) => !rule.allowed);
        if (code === null) continue;
        const refusal = real.body as { code: string; errors: string[] };
        assert.equal(refusal.code, code, what);
        assert.deepEqual([first?.code, first?.sentence], [refusal.code, refusal.errors[0]], what);
        if (source !== undefined) assert.equal(first?.source, source, what);
      }
    });

  test('lists every fault, each with its own reason', async () => {
    const fields = { recipients: [ben], subject: '\n', expires_at: 'soon', attachments: ['unknown'] };
    const { rules } = await dryRun(alice, 'message', fields);
    assert.deepEqual(
      rules.filter((rule) => !rule.allowed).map((rule) => rule.code),
      ['message.bad_subject', 'message.bad_date', 'message.attachment_unknown'],
    );
  });

  test('accepts files that are only named, with their size, type and storage', async () => {
    const group = await app.group('Little room', { storage_quota: 2, message_max_size: 1 });
    const who = await newPerson(app, 'narrow', { group });
    const refusals = async (noun: Noun, filename: string, size: number) => {
      const file = { filename, size };
      const fields = noun === 'link' ? { attachment: file } : { recipients: [ben], attachments: [file] };
      const { rules } = await dryRun(who, noun, fields);
      return rules.filter((rule) => !rule.allowed).map(({ code, source }) => `${code} ${source}`);
    };
    const megabyte = 1024 * 1024;
    const blocked = 'attachment.extension_not_permitted blocked_extensions';
    const full = 'attachment.quota_full storage_quota';
    const large = 'message.too_large message_max_size';
    assert.deepEqual(await refusals('message', 'a.txt', megabyte), []);
    assert.deepEqual(await refusals('message', 'a.txt', megabyte + 1), [large]);
    assert.deepEqual(await refusals('message', 'a.exe', 2 * megabyte + 1), [blocked, full, large]);
    assert.deepEqual(await refusals('link', 'a.txt', 2 * megabyte), []);
    assert.deepEqual(await refusals('link', 'a.exe', 2 * megabyte + 1), [blocked, full]);
  });

  test('needs a size for a file that is only named', async () => {
    for (const size of [undefined, -1, 1.5, '5', null]) {
      const message = { recipients: [ben], attachments: [{ filename: 'a.txt', size }], dry_run: true };
      await alice.refused(422, 'attachment.no_data', 'sendMessage', { body: { message } });
    }
  });

  test('accepts a named file that the real calls refuse', async () => {
    const file = { filename: 'a.txt', size: 5 };
    const message = { recipients: [ben], attachments: [file] };
    await alice.refused(422, 'attachment.no_data', 'sendMessage', { body: { message } });
    const sentences = new Map<unknown, RegExp>([
      [file, /^The field “link\.attachment” is not valid: expected string, received object\.$/],
      [7, /^The field “link\.attachment” is not valid: expected string, received number\.$/],
      [undefined, /^The field “link\.attachment” is missing\.$/],
    ]);
    for (const [attachment, sentence] of sentences) {
      const reply = await alice.refused(422, 'request.invalid', 'createFileLink', { body: { link: { attachment } } });
      const { errors, field } = reply.body as { errors: string[]; field: string };
      assert.match(errors[0]!, sentence);
      assert.equal(field, 'attachment');
    }
  });

  test('claims no Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'the-same-for-both' };
    const input = { recipients: [ben], subject: 'Once' };
    assert.equal((await dryRun(alice, 'message', input, headers)).allowed, true);
    assert.equal((await ask(alice, 'message', input, headers)).status, 200);
    const { allowed } = await dryRun(alice, 'message', { ...input, subject: 'Other' }, headers);
    assert.equal(allowed, true);
  });

  test('returns how many mails are left this hour, and uses none up', async () => {
    const bulk = await newPerson(app, 'bulk');
    const fields = { recipients: many(400), send_email: true };
    for (let times = 0; times < 3; times++) assert.equal((await dryRun(bulk, 'message', fields)).allowed, true);
    assert.equal((await ask(bulk, 'message', fields)).status, 200);
    const { rules } = await dryRun(bulk, 'message', fields);
    const refusal = (await bulk.refused(422, 'message.mail_limit', calls.message, { body: { message: fields } })).body;
    assert.deepEqual(
      rules.filter((rule) => !rule.allowed).map((rule) => rule.sentence),
      (refusal as { errors: string[] }).errors,
    );
    assert.equal((await dryRun(bulk, 'request', { recipient: ben })).allowed, true);
    assert.equal((await ask(bulk, 'message', { ...fields, recipients: many(100) })).status, 200);
    assert.equal((await dryRun(bulk, 'request', { recipient: ben })).allowed, false);
    assert.equal((await dryRun(bulk, 'request', { recipient: ben, send_email: false })).allowed, true);
  });

  test('needs a key like the call itself', async () => {
    const message = { recipients: [ben], dry_run: true };
    await app.anonymous.refused(401, 'credentials.invalid', 'sendMessage', { body: { message } });
  });
});
