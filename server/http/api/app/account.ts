// The caller's own settings, for the web app, and what their group permits as facts a screen makes sentences of.
import type { AliasesBody, NoticesBody, ProfileBody, RulesBody } from '#contract/app/account.ts';
import { shippedLanguages } from '#language/locale.ts';
import { askAddressCode, confirmAddress } from '../../../actions/account/addresses.ts';
import { changeProfile, chooseSender, getProfile, type Profile } from '../../../actions/account/preferences.ts';
import { actingRecipientAliases, actingSenderAliases, unprovenAddresses } from '../../../domain/addresses.ts';
import type { UserCaller } from '../../../domain/caller.ts';
import { permittedLevels } from '../../../domain/policy.ts';
import { isoInstant } from '../../../lib/dates.ts';
import type { Serve } from '../../endpoint.ts';

export function serveAppAccount(serve: Serve): void {
  serve('getProfile', async ({ ctx, caller }) => ({ profile: profileBody(await getProfile(ctx, caller)) }));

  serve('changeProfile', async ({ ctx, caller, body }) => ({
    profile: profileBody(
      await changeProfile(ctx, caller, {
        name: body.name,
        language: body.language,
        timeZone: body.time_zone,
        theme: body.theme,
        hasShortcutKeys: body.shortcut_keys,
      }),
    ),
  }));

  serve('getAliases', async ({ ctx, caller }) => ({ aliases: aliasesBody(await getProfile(ctx, caller)) }));

  serve('changeAliases', async ({ ctx, caller, body }) => ({
    aliases: aliasesBody(await chooseSender(ctx, caller, body.default_sender_alias)),
  }));

  serve('askAddressCode', ({ ctx, caller, body }) => askAddressCode(ctx, caller, body.address));

  serve('confirmAddress', async ({ ctx, caller, body }) => {
    await confirmAddress(ctx, caller, body);
    return { aliases: aliasesBody(await getProfile(ctx, caller)) };
  });

  serve('getNotices', async ({ ctx, caller }) => ({ notices: noticesBody(await getProfile(ctx, caller)) }));

  serve('changeNotices', async ({ ctx, caller, body }) => ({
    notices: noticesBody(
      await changeProfile(ctx, caller, {
        receipts: body.receipts,
        hasReminders: body.reminders,
        hasRequestNotices: body.requests,
      }),
    ),
  }));

  serve('getRules', async ({ ctx, caller }) => {
    const { user } = await getProfile(ctx, caller);
    return { rules: rulesBody(caller, user.storedBytes) };
  });
}

function profileBody({ user, preferences }: Profile): ProfileBody {
  return {
    user_id: user.id,
    email: user.email,
    name: user.name,
    group: user.groupName,
    language: user.language ?? '',
    time_zone: preferences.timeZone,
    theme: preferences.theme,
    shortcut_keys: preferences.hasShortcutKeys,
    languages: [...shippedLanguages],
    created_at: isoInstant(user.createdAt),
  };
}

function aliasesBody({ user }: Profile): AliasesBody {
  const senderAliases = actingSenderAliases(user);
  return {
    email: user.email,
    sender_aliases: senderAliases,
    recipient_aliases: actingRecipientAliases(user),
    default_sender_alias: senderAliases.includes(user.defaultSenderAlias) ? user.defaultSenderAlias : user.email,
    unconfirmed: unprovenAddresses(user),
  };
}

function noticesBody({ preferences }: Profile): NoticesBody {
  return {
    receipts: preferences.receipts,
    reminders: preferences.hasReminders,
    requests: preferences.hasRequestNotices,
  };
}

const orNull = (value: number) => (value === 0 ? null : value);
const listOf = (text: string) => (text === '' ? [] : text.split(','));

function rulesBody(caller: UserCaller, storedBytes: number): RulesBody {
  const { policy } = caller;
  return {
    group: caller.groupName,
    is_local: caller.isLocal,
    account: {
      deleted_after_inactive_days: orNull(policy.delete_inactive_user),
      storage_quota_mb: orNull(policy.storage_quota),
      stored_bytes: storedBytes,
      api_key_lifetime_days: orNull(policy.api_key_lifetime),
      session_hours: policy.session_hours,
      second_factor: policy.require_second_factor,
      can_invite_users: policy.can_invite_users,
    },
    files: {
      permitted_extensions: listOf(policy.permitted_extensions),
      blocked_extensions: listOf(policy.blocked_extensions),
    },
    messages: messageRules(caller),
    links: {
      can_use: policy.can_use_filelinks,
      default_days: policy.filelink_default_expiration,
      max_days: policy.filelink_max_expiration,
      can_change_days: policy.filelink_can_change_expiration,
      default_require_authentication: policy.filelink_default_require_authentication,
      can_change_require_authentication: policy.filelink_can_change_require_authentication,
      default_download_confirmation: policy.filelink_default_download_confirmation,
      can_change_download_confirmation: policy.filelink_can_change_download_confirmation,
      can_set_password: policy.filelink_can_set_password,
    },
    requests: {
      can_use: policy.can_use_file_requests,
      default_days: policy.file_request_expiration,
      default_multiuse: policy.file_request_multiuse,
      can_change_multiuse: policy.file_request_multiuse_can_change,
      permission: policy.file_request_permission,
    },
    drop: {
      has_random: policy.filedrop_random,
      has_email: policy.filedrop_email,
      confirm_sender: policy.filedrop_confirm_sender,
      max_size_mb: policy.filedrop_max_size,
    },
  };
}

function messageRules({ policy }: UserCaller): RulesBody['messages'] {
  const byDefault = policy.message_default_authorization;
  return {
    can_use: policy.can_use_messages,
    max_size_mb: policy.message_max_size,
    default_days: policy.message_default_expiration,
    max_days: policy.message_max_expiration,
    can_change_days: policy.message_can_change_expiration,
    default_downloads: orNull(policy.message_default_expires_after),
    max_downloads: orNull(policy.message_max_expires_after),
    can_change_downloads: policy.message_can_change_expires_after,
    default_private: policy.message_default_private_message,
    can_change_private: policy.message_can_change_private_message,
    default_authorization: byDefault,
    authorizations: policy.message_can_change_authorization ? permittedLevels(policy) : [byDefault],
    can_use_html: policy.message_can_use_html,
    recipients: {
      is_limited: policy.message_limit_recipients,
      domains: [...policy.message_recipient_domains],
      pattern: policy.message_recipient_pattern,
      can_send_to_local_users: policy.message_can_send_to_local_users,
      local_users_only: policy.message_can_send_to_local_users_only,
    },
    reminders: policy.message_reminders,
  };
}
