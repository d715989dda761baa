// Who is signed in and what the web app must know before it draws anything: `GET /app-api/me`.
import type { MeBody } from '#contract/app/me.ts';
import { type Account, getAccount } from '../../../actions/account.ts';
import { preferencesOf } from '../../../actions/preferences.ts';
import { csrfToken } from '../../../actions/sessions.ts';
import { maxBodyBytes, maxRecipients, maxSubjectBytes } from '../../../domain/messages.ts';
import type { Preferences } from '../../../domain/preferences.ts';
import { productName } from '../../../domain/settings.ts';
import { dateOf } from '../../../lib/dates.ts';
import type { HttpDeps } from '../../deps.ts';
import { alreadySent, type Serve } from '../../endpoint.ts';
import type { Live } from '../../live.ts';
import { sessionOf } from '../../session-calls.ts';

export function serveMe(serve: Serve, live: Live): void {
  serve('followEvents', async (call) => {
    await live.follow(call);
    return alreadySent;
  });

  serve('getMe', async ({ deps, ctx, caller, raw }) => {
    const session = caller.apiKeyId === null ? sessionOf(deps, raw) : undefined;
    const token = session === undefined ? null : csrfToken(ctx, session);
    const preferences = await preferencesOf(ctx.db.read, caller.userId);
    return { me: meBody(deps, await getAccount(ctx, caller), preferences, token) };
  });
}

function meBody(deps: HttpDeps, account: Account, preferences: Preferences, token: string | null): MeBody {
  const { caller } = account;
  const { surroundings } = deps.ctx.settings;
  return {
    id: caller.userId,
    email: caller.email,
    name: caller.name,
    role: caller.role,
    is_local: caller.isLocal,
    csrf_token: token,
    group: { id: caller.groupId, name: caller.groupName },
    policy: policyBody(account),
    organisation_name: account.organisationName,
    product_name: productName,
    version: surroundings.version,
    language: surroundings.locale,
    time_zone: surroundings.timeZone,
    today: dateOf(deps.ctx.clock.now(), surroundings.timeZone),
    can_send_mail: deps.canSendMail,
    limits: {
      piece_size: surroundings.chunkSizeBytes,
      max_piece_size: surroundings.maxChunkSizeBytes,
      max_recipients: maxRecipients,
      max_subject_bytes: maxSubjectBytes,
      max_text_bytes: maxBodyBytes,
    },
    addresses: {
      senders: [...new Set([caller.email, ...account.senderAliases])],
      default_sender: account.defaultSenderAlias === '' ? caller.email : account.defaultSenderAlias,
      recipients: [...new Set([caller.email, ...account.recipientAliases])],
    },
    drop_page: { url: account.filedrops.random, email_url: account.filedrops.email },
    preferences: {
      time_zone: preferences.timeZone,
      theme: preferences.theme,
      shortcut_keys: preferences.hasShortcutKeys,
    },
    features: {
      messages: caller.policy.can_use_messages,
      links: caller.policy.can_use_filelinks,
      requests: caller.policy.can_use_file_requests,
      drop_page: account.filedrops.random !== '' || account.filedrops.email !== '',
      administration: caller.role !== 'user',
      system_administration: caller.role === 'system_administrator',
    },
  };
}

function policyBody({ caller }: Account): MeBody['policy'] {
  const { policy } = caller;
  return {
    can_use_messages: policy.can_use_messages,
    can_use_filelinks: policy.can_use_filelinks,
    can_use_file_requests: policy.can_use_file_requests,
    can_invite_users: policy.can_invite_users,
    permitted_extensions: policy.permitted_extensions,
    blocked_extensions: policy.blocked_extensions,
    message_max_size: policy.message_max_size,
    message_default_expiration: policy.message_default_expiration,
    message_can_change_expiration: policy.message_can_change_expiration,
    message_max_expiration: policy.message_max_expiration,
    message_default_expires_after: policy.message_default_expires_after,
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
    message_can_send_to_local_users_only: !caller.isLocal && policy.message_can_send_to_local_users_only,
    message_recipient_domains: [...policy.message_recipient_domains],
    message_recipient_pattern: policy.message_recipient_pattern,
    message_can_use_specified_recipients: policy.message_can_use_specified_recipients,
    message_can_use_specified_recipients_and_domains: policy.message_can_use_specified_recipients_and_domains,
    message_can_use_specified_recipients_and_local: policy.message_can_use_specified_recipients_and_local,
    message_can_use_anyone_with_auth: policy.message_can_use_anyone_with_auth,
    message_can_use_anyone: policy.message_can_use_anyone,
    message_can_use_html: policy.message_can_use_html,
    message_reminders: policy.message_reminders,
    filelink_default_expiration: policy.filelink_default_expiration,
    filelink_can_change_expiration: policy.filelink_can_change_expiration,
    filelink_max_expiration: policy.filelink_max_expiration,
    filelink_default_require_authentication: policy.filelink_default_require_authentication,
    filelink_can_change_require_authentication: policy.filelink_can_change_require_authentication,
    filelink_default_download_confirmation: policy.filelink_default_download_confirmation,
    filelink_can_change_download_confirmation: policy.filelink_can_change_download_confirmation,
    filelink_can_set_password: policy.filelink_can_set_password,
    file_request_permission: policy.file_request_permission === 2 ? 2 : 3,
    file_request_multiuse: policy.file_request_multiuse,
    file_request_multiuse_can_change: policy.file_request_multiuse_can_change,
    file_request_expiration: policy.file_request_expiration,
  };
}
