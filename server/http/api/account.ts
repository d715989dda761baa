// The caller's own account, the read-back of keys, and signing in for a key.
import type { AccountBody } from '#contract/account.ts';
import { type Account, getAccount } from '../../actions/account/account.ts';
import { readBackApiKey } from '../../actions/api-keys/api-keys.ts';
import { logInForKey } from '../../actions/sessions/sign-in.ts';
import { demandAdministrator } from '../../domain/caller.ts';
import { invalid } from '../../domain/problem.ts';
import { isoInstant } from '../../lib/dates.ts';
import { sendJsonText } from '../answers.ts';
import { tooMany } from '../credentials.ts';
import { alreadySent, type Serve } from '../endpoint.ts';

/** The version of the API this server speaks, for clients that ask (docs/adr/0006). */
const apiVersion = { text: '3.7', number: 30_700 };

export function serveAccount(serve: Serve): void {
  serve('getAccount', async ({ ctx, caller, response, requestId }) => {
    const headers = { 'upload-chunk-size': String(ctx.settings.surroundings.chunkSizeBytes) };
    sendJsonText({ response, requestId, headers }, 200, accountText(await getAccount(ctx, caller)));
    return alreadySent;
  });

  serve('getAccountByPost', async ({ ctx, caller }) => ({ user: accountBody(await getAccount(ctx, caller)) }));

  serve('getApiKey', async ({ deps, ctx, caller, query }) => {
    demandAdministrator(caller);
    if (query.email === undefined || query.email === '')
      throw invalid('user.no_email', 'The parameter "email" is missing.', 'email');
    const verdict = deps.limits.keyReadBack.hit(caller.userId, ctx.clock.now());
    if (!verdict.ok) throw tooMany('api_key.too_many', 'Too many keys were read.', verdict.retryAfterSeconds);
    return { user: { api_key: await readBackApiKey(ctx, caller, query.email) } };
  });

  serve('login', async ({ ctx, caller, body }) => ({
    user: { api_key: await logInForKey(ctx, caller, body.user.email, body.user.password) },
  }));
}

// The most frequent call of clients, and its answer changes rarely.
const texts = new WeakMap<Account, string>();
function accountText(account: Account): string {
  let text = texts.get(account);
  if (text === undefined) {
    text = JSON.stringify({ user: accountBody(account) });
    texts.set(account, text);
  }
  return text;
}

/** Field by field, in the order of the specification. */
export function accountBody(account: Account): AccountBody {
  const { caller } = account;
  const { policy } = caller;
  return {
    delete_inactive_user: policy.delete_inactive_user,
    user_id: caller.userId,
    email: caller.email,
    name: caller.name,
    group: caller.groupName,
    group_id: caller.groupId,
    is_local: caller.isLocal,
    can_use_messages: policy.can_use_messages,
    can_use_filelinks: policy.can_use_filelinks,
    can_use_file_requests: policy.can_use_file_requests,
    can_invite_users: policy.can_invite_users,
    permitted_extensions: policy.permitted_extensions,
    blocked_extensions: policy.blocked_extensions,
    recipient_aliases: account.recipientAliases.join(','),
    sender_aliases: account.senderAliases.join(','),
    default_sender_alias: account.defaultSenderAlias,
    menubar_title: policy.menubar_title === '' ? account.organisationName : policy.menubar_title,
    page_title: policy.page_title === '' ? account.organisationName : policy.page_title,
    api_key_expires_at: caller.apiKeyExpiresAt === null ? '' : isoInstant(caller.apiKeyExpiresAt),
    version: apiVersion.text,
    version_numeric: apiVersion.number,
    message_max_size: policy.message_max_size,
    message_default_expiration: policy.message_default_expiration,
    message_can_change_expiration: policy.message_can_change_expiration,
    message_max_expiration: policy.message_max_expiration,
    message_can_change_expires_after: policy.message_can_change_expires_after,
    message_max_expires_after: policy.message_max_expires_after,
    message_default_bcc_myself: policy.message_default_bcc_myself,
    message_can_change_bcc_myself: policy.message_can_change_bcc_myself,
    message_default_private_message: policy.message_default_private_message,
    message_can_change_private_message: policy.message_can_change_private_message,
    message_default_authorization: policy.message_default_authorization,
    message_can_change_authorization: policy.message_can_change_authorization,
    message_limit_recipients: policy.message_limit_recipients,
    message_can_send_to_local_users: policy.message_can_send_to_local_users,
    // "Always false for Local Users."
    message_can_send_to_local_users_only: !caller.isLocal && policy.message_can_send_to_local_users_only,
    message_recipient_domains: [...policy.message_recipient_domains],
    message_recipient_pattern: policy.message_recipient_pattern,
    message_can_use_specified_recipients: policy.message_can_use_specified_recipients,
    message_can_use_specified_recipients_and_domains: policy.message_can_use_specified_recipients_and_domains,
    message_can_use_specified_recipients_and_local: policy.message_can_use_specified_recipients_and_local,
    message_can_use_anyone_with_auth: policy.message_can_use_anyone_with_auth,
    message_can_use_anyone: policy.message_can_use_anyone,
    message_can_use_html: policy.message_can_use_html,
    filedrop_url: account.filedrops.random,
    filedrop_email_url: account.filedrops.email,
    filelink_default_expiration: policy.filelink_default_expiration,
    filelink_can_change_expiration: policy.filelink_can_change_expiration,
    filelink_max_expiration: policy.filelink_max_expiration,
    filelink_default_require_authentication: policy.filelink_default_require_authentication,
    filelink_can_change_require_authentication: policy.filelink_can_change_require_authentication,
    filelink_default_download_confirmation: policy.filelink_default_download_confirmation,
    filelink_can_change_download_confirmation: policy.filelink_can_change_download_confirmation,
    file_request_permission: policy.file_request_permission === 2 ? 2 : 3,
    file_request_multiuse: policy.file_request_multiuse,
    file_request_multiuse_can_change: policy.file_request_multiuse_can_change,
    client_size_override: policy.client_size_override,
    client_can_override_size_limit: policy.client_can_override_size_limit,
    client_can_send_folders: policy.client_can_send_folders,
    client_custom_settings: policy.client_custom_settings,
    client_encryption_key: account.clientEncryptionKey,
  };
}
