// Adding, changing and removing people, for administrators. Rank is checked on the person acted on, not only on the
// caller (security D1): nobody makes, changes or sees the key of somebody at or above their own rank.
import { deleteApiKeysOf, findApiKeyOf, findApiKeysOf } from '../../db/api-keys.ts';
import { deletePreferences } from '../../db/preferences.ts';
import type { Tx } from '../../db/schema.ts';
import { deleteSessionsOf } from '../../db/sessions.ts';
import { deleteTotpSecret } from '../../db/totp.ts';
import { findUser, findUserByEmail, listUsersAfter, markUserDeleted, updateUser } from '../../db/users.ts';
import { type ApiKey, isExpired } from '../../domain/api-keys.ts';
import {
  type Caller,
  demandAdministrator,
  isAdministrator,
  systemCaller,
  type UserCaller,
} from '../../domain/caller.ts';
import { type Group, rankOf } from '../../domain/groups.ts';
import { invalid, type Problem } from '../../domain/problem.ts';
import { demandGoodPassword, readAliases, readEmail, readName, type User } from '../../domain/users.ts';
import { oweSecurityNotice } from '../account/security-notices.ts';
import { renewApiKey } from '../api-keys/api-keys.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { invite } from '../sessions/one-time-links.ts';
import { writeUnique } from '../unique.ts';
import { eraseEverythingOf } from './erasure.ts';
import type { UserInput } from './input.ts';
import { addUser } from './new-user.ts';
import {
  demandGroup,
  demandInvitationAllowance,
  demandMayAdd,
  findVisible,
  holdVisible,
  isVisible,
  protectTheLast,
} from './rights.ts';

/** A person as administrators see them. */
export interface ManagedUser {
  user: User;
  apiKey: 'set' | 'expired' | 'none';
  apiKeyExpiresAt: number | null;
}

const pageSize = 200;

/** Everybody the caller may manage, and themselves. Higher ranks are not shown. */
export async function* listUsers(ctx: Ctx, caller: UserCaller): AsyncGenerator<ManagedUser[]> {
  demandAdministrator(caller);
  let after = '';
  for (;;) {
    const page = await listUsersAfter(ctx.db.read, after, pageSize);
    if (page.length === 0) return;
    const visible = page.filter((user) => isVisible(caller, user));
    const keys = await findApiKeysOf(
      ctx.db.read,
      visible.map((user) => user.id),
    );
    yield visible.map((user) => describe(ctx, user, keys.get(user.id)));
    after = page.at(-1)!.email;
  }
}

/** By id or by address. */
export async function getUser(ctx: Ctx, caller: UserCaller, id: string): Promise<ManagedUser> {
  demandAdministrator(caller);
  return withKey(ctx, await findVisible(ctx.db.read, caller, id));
}

async function withKey(ctx: Ctx, user: User): Promise<ManagedUser> {
  return describe(ctx, user, await findApiKeyOf(ctx.db.read, user.id));
}

function describe(ctx: Ctx, user: User, key: ApiKey | undefined): ManagedUser {
  if (key === undefined) return { user, apiKey: 'none', apiKeyExpiresAt: null };
  return { user, apiKey: isExpired(key, ctx.clock.now()) ? 'expired' : 'set', apiKeyExpiresAt: key.expiresAt };
}

/** A new person, with an API key of their own from the start. */
export async function createUser(ctx: Ctx, caller: UserCaller, input: UserInput): Promise<ManagedUser> {
  demandMayAdd(caller, input);
  if (input.email === undefined)
    throw invalid('user.bad_email', 'Enter an e-mail address such as name@example.com.', 'email');
  const email = readEmail(input.email);
  const name = readName(input.name ?? '');
  const passwordHash = await hashNewPassword(ctx, input.password, [name, email]);
  if (input.isInvited === true && (passwordHash !== null || input.isDisabled === true))
    throw invalid('user.not_invitable', 'Invite people who have no password yet and are not switched off.', 'invite');
  const id = await writeUnique(ctx, async (tx) => {
    const usualGroup = isAdministrator(caller) ? 'local-users' : 'external-users';
    const group = await demandGroup(tx, caller, input.groupId ?? usualGroup);
    await demandInvitationAllowance(ctx, tx, caller);
    if ((await findUserByEmail(tx, email)) !== undefined) throw emailTaken();
    const userId = await addUser(ctx, tx, {
      email,
      name,
      group,
      passwordHash,
      isDisabled: input.isDisabled ?? false,
      ...settleSenderAliases(input, email, { senderAliases: [], defaultSenderAlias: '' }),
      recipientAliases: readAliases(input.recipientAliases ?? [], 'recipient_aliases'),
    });
    await record(ctx, tx, caller, {
      action: 'user.created',
      object: { kind: 'user', id: userId },
      ownerId: userId,
      facts: { group: group.id, invited: input.isInvited === true },
    });
    if (input.isInvited === true) await invite(ctx, tx, caller, { id: userId, email });
    return userId;
  });
  return withKey(ctx, (await findUser(ctx.db.read, id))!);
}

/** Changes what is given and leaves the rest. Switching off acts at once: keys, links and running streams stop. */
export async function changeUser(ctx: Ctx, caller: UserCaller, id: string, input: UserInput): Promise<ManagedUser> {
  demandAdministrator(caller);
  if (input.isInvited === true) throw invalid('user.not_invitable', 'Only a new person can be invited.', 'invite');
  const found = await findVisible(ctx.db.read, caller, id);
  const name = input.name === undefined ? found.name : readName(input.name);
  const email = input.email === undefined ? found.email : readEmail(input.email);
  const passwordHash = await hashNewPassword(ctx, input.password, [name, email]);
  await writeUnique(ctx, async (tx) => {
    const user = await holdVisible(tx, caller, found.id);
    const group = input.groupId === undefined ? null : await demandGroup(tx, caller, input.groupId);
    await protectTheLast(tx, caller, user, {
      role: group?.role ?? user.role,
      isDisabled: input.isDisabled ?? user.state === 'disabled',
    });
    const holder = await findUserByEmail(tx, email);
    if (holder !== undefined && holder.id !== user.id) throw emailTaken();
    const { recipientAliases } = input;
    const changes = {
      name,
      email,
      groupId: group?.id,
      passwordHash: passwordHash ?? undefined,
      state: input.isDisabled === undefined ? undefined : input.isDisabled ? 'disabled' : 'active',
      ...settleSenderAliases(input, email, user),
      recipientAliases: recipientAliases === undefined ? undefined : readAliases(recipientAliases, 'recipient_aliases'),
    } as const;
    await updateUser(tx, user.id, changes, ctx.clock.now());
    // A new password, a new role or a switched-off account ends every session (security D3).
    if (passwordHash !== null || group !== null || input.isDisabled === true) await deleteSessionsOf(tx, user.id);
    await record(ctx, tx, caller, {
      action: 'user.changed',
      object: { kind: 'user', id: user.id },
      ownerId: user.id,
      facts: {
        changed: Object.keys(input).filter((key) => input[key as keyof UserInput] !== undefined),
        group: group?.id ?? user.groupId,
      },
    });
    const notice = { userId: user.id, to: user.email };
    if (passwordHash !== null) await oweSecurityNotice(ctx, tx, caller, { event: 'password-changed', ...notice });
    if (email !== user.email) await oweSecurityNotice(ctx, tx, caller, { event: 'address-changed', ...notice });
    if (group !== null && isRaised(user, group)) {
      // Whoever has read an old key may not act with the new rights (invariant I41).
      await deleteApiKeysOf(tx, user.id);
      await renewApiKey(ctx, tx, { id: user.id, policy: group.policy });
      await oweSecurityNotice(ctx, tx, caller, { event: 'api-key-changed', ...notice });
    }
  });
  return withKey(ctx, await findVisible(ctx.db.read, caller, found.id));
}

function isRaised(user: User, group: Group): boolean {
  return group.role !== 'user' && rankOf(group) > rankOf(user);
}

/** The address somebody sends as by default is one of theirs; one that leaves the list is the default no longer. */
function settleSenderAliases(
  input: UserInput,
  email: string,
  before: Pick<User, 'senderAliases' | 'defaultSenderAlias'>,
): Pick<User, 'senderAliases' | 'defaultSenderAlias'> {
  const senderAliases =
    input.senderAliases === undefined ? before.senderAliases : readAliases(input.senderAliases, 'sender_aliases');
  const isOwn = (address: string) => address === '' || address === email || senderAliases.includes(address);
  const wanted = input.defaultSenderAlias;
  if (wanted === undefined)
    return { senderAliases, defaultSenderAlias: isOwn(before.defaultSenderAlias) ? before.defaultSenderAlias : '' };
  const chosen = wanted === '' ? '' : readEmail(wanted, 'default_sender_alias');
  if (!isOwn(chosen))
    throw invalid(
      'user.alias_unknown',
      'The default sender must be the e-mail address of the person or one of the sender aliases.',
      'default_sender_alias',
    );
  return { senderAliases, defaultSenderAlias: chosen };
}

/** For somebody who has lost their authenticator app: signing in needs the password alone until they set up another. */
export async function removeSecondFactor(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  demandAdministrator(caller);
  const found = await findVisible(ctx.db.read, caller, id);
  if (found.id === caller.userId)
    throw invalid('user.self', "You can't remove your own second step. Ask another administrator.");
  await ctx.db.write(async (tx) => {
    const user = await holdVisible(tx, caller, found.id);
    if (user.totpState === 'off') throw invalid('totp.not_on', 'This person has no second step at sign-in.');
    await deleteTotpSecret(tx, user.id);
    await deleteSessionsOf(tx, user.id);
    await record(ctx, tx, caller, {
      action: 'totp.removed',
      object: { kind: 'user', id: user.id },
      ownerId: user.id,
    });
    await oweSecurityNotice(ctx, tx, caller, { event: 'second-step-changed', userId: user.id, to: user.email });
  });
}

/** Removes a person: access ends in the first transaction, their files follow; the log keeps its lines. */
export async function deleteUser(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  demandAdministrator(caller);
  const found = await findVisible(ctx.db.read, caller, id);
  await ctx.db.write(async (tx) => {
    const user = await holdVisible(tx, caller, found.id);
    await protectTheLast(tx, caller, user, { role: 'user', isDisabled: true });
    await endAccess(ctx, tx, caller, { id: user.id, why: 'administrator' });
  });
  await eraseEverythingOf(ctx, caller, found.id);
}

/** For the job that removes people nobody has seen; its rules are its own. */
export async function deleteIdleUser(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.write((tx) => endAccess(ctx, tx, systemCaller, { id, why: 'inactivity' }));
  await eraseEverythingOf(ctx, systemCaller, id);
}

async function endAccess(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { id, why }: { id: string; why: 'administrator' | 'inactivity' },
): Promise<void> {
  await markUserDeleted(tx, id, ctx.clock.now());
  await deleteApiKeysOf(tx, id);
  await deleteSessionsOf(tx, id);
  await deletePreferences(tx, id);
  await record(ctx, tx, caller, { action: 'user.deleted', object: { kind: 'user', id }, ownerId: id, facts: { why } });
}

async function hashNewPassword(ctx: Ctx, password: string | undefined, names: string[]): Promise<string | null> {
  if (password === undefined || password === '') return null;
  demandGoodPassword(password, [...names, ctx.settings.current().organisationName]);
  return ctx.keys.passwords.hashPassword(password);
}

function emailTaken(): Problem {
  return invalid('user.email_taken', 'Somebody has this e-mail address already.', 'email');
}
