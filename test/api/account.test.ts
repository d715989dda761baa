import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const specified: Record<string, string> = {
  delete_inactive_user: 'Integer',
  user_id: 'String',
  email: 'String',
  name: 'String',
  group: 'String',
  group_id: 'String',
  is_local: 'Boolean',
  can_use_messages: 'Boolean',
  can_use_filelinks: 'Boolean',
  can_use_file_requests: 'Boolean',
  can_invite_users: 'Boolean',
  permitted_extensions: 'String',
  blocked_extensions: 'String',
  recipient_aliases: 'String',
  sender_aliases: 'String',
  default_sender_alias: 'String',
  menubar_title: 'String',
  page_title: 'String',
  api_key_expires_at: 'String',
  version: 'String',
  version_numeric: 'Integer',
  message_max_size: 'Integer',
  message_default_expiration: 'Integer',
  message_can_change_expiration: 'Boolean',
  message_max_expiration: 'Integer',
  message_can_change_expires_after: 'Boolean',
  message_max_expires_after: 'Integer',
  message_default_bcc_myself: 'Boolean',
  message_can_change_bcc_myself: 'Boolean',
  message_default_private_message: 'Boolean',
  message_can_change_private_message: 'Boolean',
  message_default_authorization: 'Integer',
  message_can_change_authorization: 'Boolean',
  message_limit_recipients: 'Boolean',
  message_can_send_to_local_users: 'Boolean',
  message_can_send_to_local_users_only: 'Boolean',
  message_recipient_domains: 'Array',
  message_recipient_pattern: 'String',
  message_can_use_specified_recipients: 'Boolean',
  message_can_use_specified_recipients_and_domains: 'Boolean',
  message_can_use_specified_recipients_and_local: 'Boolean',
  message_can_use_anyone_with_auth: 'Boolean',
  message_can_use_anyone: 'Boolean',
  message_can_use_html: 'Boolean',
  filedrop_url: 'String',
  filedrop_email_url: 'String',
  filelink_default_expiration: 'Integer',
  filelink_can_change_expiration: 'Boolean',
  filelink_max_expiration: 'Integer',
  filelink_default_require_authentication: 'Boolean',
  filelink_can_change_require_authentication: 'Boolean',
  filelink_default_download_confirmation: 'Boolean',
  filelink_can_change_download_confirmation: 'Boolean',
  file_request_permission: 'Integer',
  file_request_multiuse: 'Boolean',
  file_request_multiuse_can_change: 'Boolean',
  client_size_override: 'Integer',
  client_can_override_size_limit: 'Boolean',
  client_can_send_folders: 'Boolean',
  client_custom_settings: 'mixed',
  client_encryption_key: 'String',
};

/** Fields that later versions removed. */
const removed = [
  'limited_extensions',
  'custom_settings',
  'recipients_domains',
  'accept_html_message',
  'default_private_message',
  'can_change_private_message',
  'can_use_anyone',
  'can_use_anyone_with_auth',
  'can_use_specified_recipients_and_local',
  'can_use_specified_recipients',
  'enable_send_messages',
  'can_send_to_local_users',
  'limit_recipient_domains',
  'enable_send_folders',
  'can_override_size_limit',
  'default_authorization',
  'max_file_size',
  'max_expires_after',
  'max_expiration',
  'enable_private_message',
  'change_expiration',
  'can_change_expiration',
  'accepted_filetypes',
  'local',
  'client_enable_send_folders',
];

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'Array';
  if (Number.isInteger(value)) return 'Integer';
  return Object.prototype.toString.call(value).slice(8, -1);
}

async function accountOf(client: ApiClient): Promise<Record<string, unknown>> {
  const { body } = await client.expect(200, 'getAccount');
  return (body as { user: Record<string, unknown> }).user;
}

onEachDatabase('GET /account', (start) => {
  const app = useApp(start);
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });

  testOnce('is refused without a key with 401 and the error body', async () => {
    await app.anonymous.refused(401, 'credentials.invalid', 'getAccount');
    await app.anonymous.refused(401, 'credentials.invalid', 'getAccountByPost');
  });

  test('returns every field of the specification, with its type and in its order', async () => {
    const user = await accountOf(alice);
    assert.deepEqual(Object.keys(user), Object.keys(specified));
    for (const [field, type] of Object.entries(specified))
      if (type !== 'mixed') assert.equal(typeOf(user[field]), type, field);
  });

  testOnce('returns none of the removed fields', async () => {
    const user = await accountOf(alice);
    assert.deepEqual(
      removed.filter((field) => field in user),
      [],
    );
  });

  testOnce('returns who the caller is', async () => {
    const user = await accountOf(alice);
    assert.equal(user.user_id, 'alice-example-com');
    assert.equal(user.email, 'alice@example.com');
    assert.equal(user.name, 'alice');
    assert.equal(user.group, 'Local Users');
    assert.equal(user.group_id, 'local-users');
    assert.equal(user.is_local, true);
  });

  testOnce('returns when the key expires, or null if it never does', async () => {
    assert.equal((await accountOf(alice)).api_key_expires_at, '2027-11-16T09:00:00.000Z');
    const group = await app.group('Keys for ever', { api_key_lifetime: 0 });
    assert.equal((await accountOf(await newPerson(app, 'everlasting', { group }))).api_key_expires_at, '');
  });

  testOnce('returns a version of the API without details of the installation', async () => {
    const user = await accountOf(alice);
    assert.match(user.version as string, /^\d+\.\d+$/);
  });

  testOnce('returns a client storage key that differs between users and never changes', async () => {
    const bob = await newPerson(app, 'bob');
    const first = (await accountOf(alice)).client_encryption_key as string;
    assert.ok(first.length >= 22);
    assert.equal((await accountOf(alice)).client_encryption_key, first);
    assert.notEqual((await accountOf(bob)).client_encryption_key, first);
  });

  testOnce('shows that an outside person may not use links and may write to local users only', async () => {
    const user = await accountOf(await newPerson(app, 'outsider', { group: 'external-users' }));
    assert.equal(user.is_local, false);
    assert.equal(user.can_use_filelinks, false);
    assert.equal(user.message_can_send_to_local_users_only, true);
  });

  test('shows a changed setting of the group in the next answer', async () => {
    const group = await app.group('Changing', { filelink_max_expiration: 60 });
    const carol = await newPerson(app, 'carol', { group });
    assert.equal((await accountOf(carol)).filelink_max_expiration, 60);
    const changes = {
      filelink_max_expiration: 21,
      can_use_messages: false,
      permitted_extensions: 'pdf, .DOCX',
      message_recipient_domains: ['Example.org'],
      client_custom_settings: { colour: 'green', list: [1, 2] },
      menubar_title: 'Our files',
      file_request_permission: 2,
    };
    await app.admin.expect(200, 'changeGroup', { params: { id: group }, body: { group: changes } });
    const user = await accountOf(carol);
    assert.equal(user.filelink_max_expiration, 21);
    assert.equal(user.can_use_messages, false);
    assert.equal(user.permitted_extensions, 'pdf,docx');
    assert.equal(user.blocked_extensions, '', 'only one of the two lists is set');
    assert.deepEqual(user.message_recipient_domains, ['example.org']);
    assert.deepEqual(user.client_custom_settings, { colour: 'green', list: [1, 2] });
    assert.equal(user.menubar_title, 'Our files');
    assert.equal(user.file_request_permission, 2);
  });

  test('shows the settings of the new group after a person moves to it', async () => {
    const dave = await newPerson(app, 'dave');
    await app.admin.expect(200, 'changeUser', {
      params: { id: 'dave-example-com' },
      body: { user: { group: 'external-users' } },
    });
    const user = await accountOf(dave);
    assert.equal(user.group_id, 'external-users');
    assert.equal(user.is_local, false);
  });

  test('applies different defaults to groups of local and of outside people whose stored documents are equal', async () => {
    // A document from before most settings existed: the defaults complete it and depend on the kind of group.
    const [staff, guests] = await Promise.all([
      app.admin.expect(200, 'createGroup', { body: { group: { name: 'Old staff' } } }),
      app.admin.expect(200, 'createGroup', { body: { group: { name: 'Old guests', is_local: false } } }),
    ]);
    const groupIds = [staff, guests].map((reply) => (reply.body as { group: { id: string } }).group.id);
    await app.app.ctx.db.write((tx) =>
      tx.updateTable('groups').set({ policy: '{}' }).where('id', 'in', groupIds).execute(),
    );
    const inside = await accountOf(await newPerson(app, 'ingrid', { group: groupIds[0]! }));
    const outside = await accountOf(await newPerson(app, 'olaf', { group: groupIds[1]! }));
    assert.deepEqual([inside.can_use_filelinks, inside.message_limit_recipients], [true, false]);
    assert.deepEqual([outside.can_use_filelinks, outside.message_limit_recipients], [false, true]);
  });

  testOnce('returns aliases as comma-separated text', async () => {
    const erin = await newPerson(app, 'erin', {
      sender_aliases: ['sales@example.com', 'info@example.com'],
      recipient_aliases: 'team@example.com',
      default_sender_alias: 'sales@example.com',
    });
    const user = await accountOf(erin);
    assert.equal(user.sender_aliases, 'sales@example.com,info@example.com');
    assert.equal(user.recipient_aliases, 'team@example.com');
    assert.equal(user.default_sender_alias, 'sales@example.com');
  });

  testOnce('returns the same answer to an old client that posts, with or without a body', async () => {
    const expected = await accountOf(alice);
    const empty = await alice.expect(200, 'getAccountByPost');
    const withBody = await alice.expect(200, 'getAccountByPost', { body: { anything: true } });
    assert.deepEqual((empty.body as { user: unknown }).user, expected);
    assert.deepEqual((withBody.body as { user: unknown }).user, expected);
  });

  testOnce('returns compact JSON that must not be stored', async () => {
    const { text, headers } = await alice.expect(200, 'getAccount');
    assert.equal(text, JSON.stringify(JSON.parse(text)));
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('set-cookie'), null);
    assert.match(headers.get('vary') ?? '', /Accept, Authorization, Cookie/);
  });
});
