// People, for administrators' scripts.
import type { UserBody } from '#contract/admin/users.ts';
import type { endpoints } from '#contract/endpoints.ts';
import type { UserInput } from '../../../actions/users/input.ts';
import {
  changeUser,
  createUser,
  deleteUser,
  getUser,
  listUsers,
  type ManagedUser,
  removeSecondFactor,
} from '../../../actions/users/users.ts';
import { unprovenAddresses } from '../../../domain/addresses.ts';
import { isoInstant } from '../../../lib/dates.ts';
import { alreadySent, type Call, type Serve } from '../../endpoint.ts';
import { sendList } from '../../transport/answers.ts';

export function serveUsers(serve: Serve): void {
  serve('listUsers', async ({ ctx, caller, response, requestId }) => {
    await sendList({ response, requestId }, 'users', listUsers(ctx, caller), userBody);
    return alreadySent;
  });
  serve('createUser', async ({ ctx, caller, body }) => ({
    user: userBody(await createUser(ctx, caller, inputOf(body))),
  }));
  serve('getUser', async ({ ctx, caller, params }) => ({ user: userBody(await getUser(ctx, caller, params.id)) }));
  serve('changeUser', async ({ ctx, caller, params, body }) => ({
    user: userBody(await changeUser(ctx, caller, params.id, inputOf(body))),
  }));
  serve('removeSecondFactor', ({ ctx, caller, params }) => removeSecondFactor(ctx, caller, params.id));
  serve('deleteUser', ({ ctx, caller, params }) => deleteUser(ctx, caller, params.id));
}

function inputOf({ user }: Call<(typeof endpoints)['createUser']>['body']): UserInput {
  return {
    email: user.email,
    name: user.name,
    groupId: user.group,
    password: user.password,
    isInvited: user.invite,
    isDisabled: user.disabled,
    senderAliases: user.sender_aliases,
    recipientAliases: user.recipient_aliases,
    defaultSenderAlias: user.default_sender_alias,
    reason: user.reason,
  };
}

function userBody({ user, apiKey, apiKeyExpiresAt }: ManagedUser): UserBody {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    group: user.groupId,
    group_name: user.groupName,
    is_local: user.isLocal,
    role: user.role,
    disabled: user.state === 'disabled',
    sender_aliases: user.senderAliases,
    recipient_aliases: user.recipientAliases,
    default_sender_alias: user.defaultSenderAlias,
    unconfirmed_addresses: unprovenAddresses(user),
    storage_used: user.storedBytes,
    api_key: apiKey,
    api_key_expires_at: apiKeyExpiresAt === null ? null : isoInstant(apiKeyExpiresAt),
    last_login_at: user.lastSeenAt === null ? null : isoInstant(user.lastSeenAt),
    created_at: isoInstant(user.createdAt),
  };
}
