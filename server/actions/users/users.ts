// Adding, changing and removing people, for administrators. Rank is checked on the person acted on, not only on the
// caller (security D1): nobody makes, changes or sees the key of somebody at or above their own rank.
import { deleteApiKeysOf, findApiKeyOf } from '../../db/api-keys.ts';
import { findGroup, lockGroup } from '../../db/groups.ts';
import { deletePreferences } from '../../db/preferences.ts';
import { deleteSessionsOf } from '../../db/proofs.ts';
import type { GroupsTable, Query, Tx } from '../../db/schema.ts';
import {
  countSystemAdministrators,
  findUser,
  findUserByEmail,
  insertUser,
  isUserIdTaken,
  listUsers,
  lockSystemAdministrators,
  lockUser,
  type UserRow,
  updateUser,
} from '../../db/users.ts';
import {
  type Caller,
  demandAdministrator,
  mayManage,
  type Role,
  rankOf,
  systemCaller,
  type UserCaller,
} from '../../domain/caller.ts';
import { readPolicy } from '../../domain/policy.ts';
import { invalid, notFound, Problem } from '../../domain/problem.ts';
import { demandGoodPassword, readAliases, readEmail, readName, slugOf, type User } from '../../domain/users.ts';
import { parseAddress } from '../../lib/address.ts';
import { oweSecurityNotice } from '../account/security-notices.ts';
import { renewApiKey } from '../api-keys/api-keys.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { invite } from '../sessions/sessions.ts';
import { writeUnique } from '../unique.ts';
import { eraseEverythingOf } from './erasure.ts';

export interface UserInput {
  email?: string | undefined;
  name?: string | undefined;
  groupId?: string | undefined;
  password?: string | undefined;
  /** Mails a new person a link to choose a password. */
  isInvited?: boolean | undefined;
  isDisabled?: boolean | undefined;
  senderAliases?: string | string[] | undefined;
  recipientAliases?: string | string[] | undefined;
  defaultSenderAlias?: string | undefined;
}

const pageSize = 200;

/** Everybody the caller may manage, and themselves. Higher ranks are not shown. */
export async function* listPeople(ctx: Ctx, caller: UserCaller): AsyncGenerator<User[]> {
  demandAdministrator(caller);
  let after = '';
  for (;;) {
    const rows = await listUsers(ctx.db.read, after, pageSize);
    if (rows.length === 0) return;
    const visible = rows.filter((row) => isVisible(caller, row));
    yield await Promise.all(visible.map((row) => describeUser(ctx, row)));
    after = rows.at(-1)!.email;
  }
}

/** By id or by address. */
export async function getPerson(ctx: Ctx, caller: UserCaller, id: string): Promise<User> {
  demandAdministrator(caller);
  return describeUser(ctx, await findVisible(ctx.db.read, caller, id));
}

/** The same with the row held, so that nobody is raised out of the caller's reach between the look and the change. */
async function holdVisible(tx: Tx, caller: UserCaller, id: string): Promise<UserRow> {
  await lockUser(tx, id);
  return findVisible(tx, caller, id);
}

function isVisible(caller: UserCaller, row: UserRow): boolean {
  return row.id === caller.userId || mayManage(caller, row.role as Role, row.is_local === 1);
}

async function findVisible(db: Query, caller: UserCaller, id: string): Promise<UserRow> {
  const address = parseAddress(id, { allowSingleLabel: true });
  const row = address === null ? await findUser(db, id) : await findUserByEmail(db, address.address);
  if (row === undefined || !isVisible(caller, row)) throw notFound('user');
  return row;
}

/** A new person, with an API key of their own from the start. */
export async function createPerson(ctx: Ctx, caller: UserCaller, input: UserInput): Promise<User> {
  demandAdministrator(caller);
  if (input.email === undefined)
    throw invalid('user.bad_email', 'Enter an e-mail address such as name@example.com.', 'email');
  const email = readEmail(input.email);
  const name = readName(input.name ?? '');
  const passwordHash = await hashNewPassword(ctx, input.password, [name, email]);
  if (input.isInvited === true && (passwordHash !== null || input.isDisabled === true))
    throw invalid('user.not_invitable', 'Invite people who have no password yet and are not switched off.', 'invite');
  const id = await writeUnique(ctx, async (tx) => {
    const group = await demandGroup(tx, caller, input.groupId ?? 'local-users');
    if ((await findUserByEmail(tx, email)) !== undefined) throw emailTaken();
    const userId = await addUser(ctx, tx, {
      email,
      name,
      group,
      passwordHash,
      isDisabled: input.isDisabled ?? false,
      senderAliases: readAliases(input.senderAliases ?? [], 'sender_aliases'),
      recipientAliases: readAliases(input.recipientAliases ?? [], 'recipient_aliases'),
      defaultSenderAlias: settleSenderAliases(input, email, { sender_aliases: '[]', default_sender_alias: '' })
        .default_sender_alias,
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
  return describeUser(ctx, (await findUser(ctx.db.read, id))!);
}

export interface NewUser {
  email: string;
  name: string;
  group: GroupsTable;
  passwordHash: string | null;
  isDisabled: boolean;
  senderAliases: string[];
  recipientAliases: string[];
  defaultSenderAlias: string;
  /** Only at first start: the operator's own choice. */
  apiKey?: string;
}

/** The row and the key of a new person; rules are the caller's. Answers the new id. */
export async function addUser(ctx: Ctx, tx: Tx, user: NewUser): Promise<string> {
  const now = ctx.clock.now();
  const slug = slugOf(user.email);
  let id = slug;
  for (let suffix = 2; await isUserIdTaken(tx, id); suffix++) id = `${slug}-${suffix}`;
  await insertUser(tx, {
    id,
    email: user.email,
    name: user.name,
    group_id: user.group.id,
    state: user.isDisabled ? 'disabled' : 'active',
    password_hash: user.passwordHash,
    sender_aliases: JSON.stringify(user.senderAliases),
    recipient_aliases: JSON.stringify(user.recipientAliases),
    default_sender_alias: user.defaultSenderAlias,
    client_key_sealed: ctx.keys.sealText('client-key', ctx.random.id(44), id),
    stored_bytes: 0,
    reserved_bytes: 0,
    download_number: 0,
    drop_name: null,
    is_drop_closed: 0,
    totp_sealed: null,
    totp_state: 'off',
    totp_last_step: 0,
    created_at: now,
    updated_at: now,
    last_seen_at: null,
  });
  await renewApiKey(
    ctx,
    tx,
    id,
    readPolicy(user.group.policy, user.group.is_local === 1).api_key_lifetime,
    user.apiKey,
  );
  return id;
}

/** Changes what is given and leaves the rest. Switching off acts at once: keys, links and running streams stop. */
export async function changePerson(ctx: Ctx, caller: UserCaller, id: string, input: UserInput): Promise<User> {
  demandAdministrator(caller);
  if (input.isInvited === true) throw invalid('user.not_invitable', 'Only a new person can be invited.', 'invite');
  const found = await findVisible(ctx.db.read, caller, id);
  const name = input.name === undefined ? found.name : readName(input.name);
  const email = input.email === undefined ? found.email : readEmail(input.email);
  const passwordHash = await hashNewPassword(ctx, input.password, [name, email]);
  await writeUnique(ctx, async (tx) => {
    const row = await holdVisible(tx, caller, found.id);
    const group = input.groupId === undefined ? null : await demandGroup(tx, caller, input.groupId);
    await protectTheLast(tx, caller, row, {
      role: (group?.role ?? row.role) as Role,
      isDisabled: input.isDisabled ?? row.state === 'disabled',
    });
    const holder = await findUserByEmail(tx, email);
    if (holder !== undefined && holder.id !== row.id) throw emailTaken();
    await updateUser(tx, row.id, {
      name,
      email,
      ...(group === null ? {} : { group_id: group.id }),
      ...(passwordHash === null ? {} : { password_hash: passwordHash }),
      ...(input.isDisabled === undefined
        ? {}
        : { state: input.isDisabled ? ('disabled' as const) : ('active' as const) }),
      ...settleSenderAliases(input, email, row),
      ...(input.recipientAliases === undefined
        ? {}
        : { recipient_aliases: JSON.stringify(readAliases(input.recipientAliases, 'recipient_aliases')) }),
      updated_at: ctx.clock.now(),
    });
    // A new password, a new role or a switched-off account ends every session (security D3).
    if (passwordHash !== null || group !== null || input.isDisabled === true) await deleteSessionsOf(tx, row.id);
    await record(ctx, tx, caller, {
      action: 'user.changed',
      object: { kind: 'user', id: row.id },
      ownerId: row.id,
      facts: {
        changed: Object.keys(input).filter((key) => input[key as keyof UserInput] !== undefined),
        group: group?.id ?? row.group_id,
      },
    });
    const notice = { userId: row.id, to: row.email };
    if (passwordHash !== null) await oweSecurityNotice(ctx, tx, caller, { event: 'password-changed', ...notice });
    if (email !== row.email) await oweSecurityNotice(ctx, tx, caller, { event: 'address-changed', ...notice });
    if (group !== null && isRaised(row, group)) {
      // Whoever has read an old key may not act with the new rights (invariant I41).
      await deleteApiKeysOf(tx, row.id);
      await renewApiKey(ctx, tx, row.id, readPolicy(group.policy, group.is_local === 1).api_key_lifetime);
      await oweSecurityNotice(ctx, tx, caller, { event: 'api-key-changed', ...notice });
    }
  });
  return describeUser(ctx, await findVisible(ctx.db.read, caller, found.id));
}

function isRaised(row: UserRow, group: GroupsTable): boolean {
  const rank = rankOf(group.role as Role, group.is_local === 1);
  return group.role !== 'user' && rank > rankOf(row.role as Role, row.is_local === 1);
}

/** The address somebody sends as by default is one of theirs; one that leaves the list is the default no longer. */
function settleSenderAliases(
  input: UserInput,
  email: string,
  row: { sender_aliases: string; default_sender_alias: string },
): { sender_aliases: string; default_sender_alias: string } {
  const aliases =
    input.senderAliases === undefined
      ? (JSON.parse(row.sender_aliases) as string[])
      : readAliases(input.senderAliases, 'sender_aliases');
  const isOwn = (address: string) => address === '' || address === email || aliases.includes(address);
  const wanted = input.defaultSenderAlias;
  const chosen = wanted === undefined || wanted === '' ? '' : readEmail(wanted, 'default_sender_alias');
  if (!isOwn(chosen))
    throw invalid(
      'user.alias_unknown',
      'The default sender must be the e-mail address of the person or one of the sender aliases.',
      'default_sender_alias',
    );
  const kept = isOwn(row.default_sender_alias) ? row.default_sender_alias : '';
  return { sender_aliases: JSON.stringify(aliases), default_sender_alias: wanted === undefined ? kept : chosen };
}

/** For somebody who has lost their authenticator app: signing in needs the password alone until they set up another. */
export async function removeSecondFactor(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  demandAdministrator(caller);
  const found = await findVisible(ctx.db.read, caller, id);
  if (found.id === caller.userId)
    throw invalid('user.self', "You can't remove your own second step. Ask another administrator.");
  await ctx.db.write(async (tx) => {
    const row = await holdVisible(tx, caller, found.id);
    if (row.totp_state === 'off') throw invalid('totp.not_on', 'This person has no second step at sign-in.');
    await updateUser(tx, row.id, { totp_sealed: null, totp_state: 'off', totp_last_step: 0 });
    await deleteSessionsOf(tx, row.id);
    await record(ctx, tx, caller, {
      action: 'totp.removed',
      object: { kind: 'user', id: row.id },
      ownerId: row.id,
    });
    await oweSecurityNotice(ctx, tx, caller, { event: 'second-step-changed', userId: row.id, to: row.email });
  });
}

/** Removes a person: access ends in the first transaction, their files follow; the log keeps its lines. */
export async function deletePerson(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  demandAdministrator(caller);
  const found = await findVisible(ctx.db.read, caller, id);
  await ctx.db.write(async (tx) => {
    const row = await holdVisible(tx, caller, found.id);
    await protectTheLast(tx, caller, row, { role: 'user', isDisabled: true });
    await markDeleted(ctx, tx, caller, row.id, 'administrator');
  });
  await eraseEverythingOf(ctx, caller, found.id);
}

/** For the job that removes people nobody has seen; its rules are its own. */
export async function deleteIdlePerson(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.write((tx) => markDeleted(ctx, tx, systemCaller, id, 'inactivity'));
  await eraseEverythingOf(ctx, systemCaller, id);
}

async function markDeleted(ctx: Ctx, tx: Tx, caller: Caller, id: string, why: string): Promise<void> {
  await updateUser(tx, id, {
    state: 'deleted',
    email: '',
    name: '',
    password_hash: null,
    client_key_sealed: null,
    updated_at: ctx.clock.now(),
  });
  await deleteApiKeysOf(tx, id);
  await deleteSessionsOf(tx, id);
  await deletePreferences(tx, id);
  await record(ctx, tx, caller, { action: 'user.deleted', object: { kind: 'user', id }, ownerId: id, facts: { why } });
}

/** Nobody locks everybody out: the last System Administrator, and the caller themselves, keep their rights. */
async function protectTheLast(
  tx: Tx,
  caller: UserCaller,
  row: UserRow,
  after: { role: Role; isDisabled: boolean },
): Promise<void> {
  const losesRights = after.isDisabled || after.role !== row.role;
  if (row.id === caller.userId && (after.isDisabled || after.role !== row.role)) {
    throw invalid('user.self', "You can't switch off, delete or move your own account. Ask another administrator.");
  }
  if (row.role !== 'system_administrator' || row.state !== 'active' || !losesRights) return;
  await lockSystemAdministrators(tx);
  if ((await countSystemAdministrators(tx)) <= 1)
    throw invalid('user.last_administrator', 'This is the last System Administrator. Make another one first.');
}

/** The group a person may be put into by this caller: one whose rank the caller manages. */
async function demandGroup(tx: Tx, caller: UserCaller, groupId: string): Promise<GroupsTable> {
  await lockGroup(tx, groupId);
  const group = await findGroup(tx, groupId);
  if (group === undefined) throw invalid('user.unknown_group', 'There is no such group.', 'group');
  if (!mayManage(caller, group.role as Role, group.is_local === 1)) {
    throw new Problem('forbidden', 'user.group_not_permitted', "You can't put people into this group.");
  }
  return group;
}

async function hashNewPassword(ctx: Ctx, password: string | undefined, names: string[]): Promise<string | null> {
  if (password === undefined || password === '') return null;
  demandGoodPassword(password, [...names, ctx.settings.current().organisationName]);
  return ctx.keys.passwords.hashPassword(password);
}

function emailTaken(): Problem {
  return invalid('user.email_taken', 'Somebody has this e-mail address already.', 'email');
}

async function describeUser(ctx: Ctx, row: UserRow): Promise<User> {
  const key = await findApiKeyOf(ctx.db.read, row.id);
  const isExpired = key?.expires_at != null && key.expires_at <= ctx.clock.now();
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    groupId: row.group_id,
    groupName: row.group_name,
    isLocal: row.is_local === 1,
    role: row.role as Role,
    isDisabled: row.state === 'disabled',
    hasPassword: row.password_hash !== null,
    senderAliases: JSON.parse(row.sender_aliases) as string[],
    recipientAliases: JSON.parse(row.recipient_aliases) as string[],
    defaultSenderAlias: row.default_sender_alias,
    storedBytes: row.stored_bytes,
    apiKey: key === undefined ? 'none' : isExpired ? 'expired' : 'set',
    apiKeyExpiresAt: key?.expires_at ?? null,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
  };
}
