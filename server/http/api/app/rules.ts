// What a group permits, as facts that the app puts into sentences: for its people, and for whoever changes it.
import type { RulesBody } from '#contract/app/account.ts';
import { type Policy, permittedLevels } from '../../../domain/policy.ts';

interface Judge {
  groupName: string;
  isLocal: boolean;
  policy: Policy;
}

const orNull = (value: number) => (value === 0 ? null : value);
const listOf = (text: string) => (text === '' ? [] : text.split(','));

export function rulesBody(group: Judge, storedBytes: number): RulesBody {
  const { policy } = group;
  return {
    group: group.groupName,
    is_local: group.isLocal,
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
    messages: messageRules(policy),
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

function messageRules(policy: Policy): RulesBody['messages'] {
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
