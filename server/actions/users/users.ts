// Adds, changes and removes people. The rank of the affected person is checked, not only the caller's role.

import { deleteApiKeysOf, findApiKeyOf, findApiKeysOf } from '../../db/api-keys/api-keys.ts';
import { deleteContactNamesOf } from '../../db/contacts/contact-names.ts';
import { deleteOneTimeLinksOf } from '../../db/file-links/one-time-links.ts';
import { deleteIdentitiesOf } from '../../db/identity/identities.ts';
import { deletePasskeysOf } from '../../db/passkeys/passkeys.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { deleteScimUser } from '../../db/scim/scim-users.ts';
import { endProofsOf } from '../../db/sessions/codes.ts';
import { deleteSessionsOf } from '../../db/sessions/sessions.ts';
import { setGroupAssigned } from '../../db/users/group-assignment.ts';
import { deletePreferences } from '../../db/users/preferences.ts';
import { deleteTotpSecret } from '../../db/users/totp.ts';
import {
  findUser,
  findUserByEmail,
  type IdleIn,
  isStillIdle,
  listUsersAfter,
  markUserDeleted,
  updateUser,
} from '../../db/users/users.ts';
import { confirmedAddresses, unprovenAddresses } from '../../domain/addresses.ts';
import { type ApiKey, isExpired } from '../../domain/api-keys.ts';
import { type Caller, systemCaller, type UserCaller } from '../../domain/caller.ts';
import type { Changes } from '../../domain/event-facts.ts';
import type { Group } from '../../domain/groups.ts';
import { assertInside } from '../../domain/networks.ts';
import { invalid, type Problem } from '../../domain/problem.ts';
import { isRaised, requireRight } from '../../domain/roles.ts';
import { assertGoodPassword, personOf, readEmail, readName, type User } from '../../domain/users.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import { queueSecurityNotice } from '../account/security-notices.ts';
import { renewAllKeys } from '../api-keys/api-keys.ts';
import { resetSignInLimits } from '../attempts.ts';
import { recordUserView } from '../audit/views.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { invite, welcome } from '../sessions/one-time-links.ts';
import { writeUnique } from '../unique.ts';
import { recordAccess } from './account-access.ts';
import {
  type Addresses,
  addressFacts,
  noAddresses,
  notifyAddresses,
  readReason,
  resolveAddresses,
} from './addresses.ts';
import { eraseEverythingOf } from './erasure.ts';
import type { UserInput } from './input.ts';
import { addUser } from './new-user.ts';
import {
  assertMayAdd,
  defaultGroup,
  findVisible,
  holdVisible,
  isVisible,
  protectLastAdministrator,
  requireGroup,
  requireInvitationAllowance,
} from './rights.ts';

export interface ManagedUser extends Omit<User, 'passwordHash'> {
  unconfirmedAddresses: string[];
  apiKey: 'set' | 'expired' | 'none';
  apiKeyExpiresAt: number | null;
  /** Has no password yet and was never active. */
  isInvited: boolean;
}

const pageSize = 200;

export async function* listUsers(ctx: Ctx, caller: UserCaller): AsyncGenerator<ManagedUser[]> {
  requireRight(caller, 'people.manage');
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

/** By id or address. */
export async function getUser(ctx: Ctx, caller: UserCaller, id: string): Promise<ManagedUser> {
  requireRight(caller, 'people.manage');
  const user = await findVisible(ctx.db.read, caller, id);
  await recordUserView(ctx, caller, user.id);
  return withKey(ctx, user);
}

async function withKey(ctx: Ctx, user: User): Promise<ManagedUser> {
  return describe(ctx, user, await findApiKeyOf(ctx.db.read, user.id));
}

function describe(ctx: Ctx, person: User, key: ApiKey | undefined): ManagedUser {
  const { passwordHash: _, ...user } = person;
  const apiKey = key === undefined ? 'none' : isExpired(key, ctx.clock.now()) ? 'expired' : 'set';
  const unconfirmedAddresses = unprovenAddresses(user);
  const isInvited = personOf(person).state === 'invited';
  return { ...user, unconfirmedAddresses, apiKey, apiKeyExpiresAt: key?.expiresAt ?? null, isInvited };
}

export async function createUser(ctx: Ctx, caller: UserCaller, input: UserInput): Promise<ManagedUser> {
  const person = await readNewUser(ctx, caller, input);
  const id = await writeUnique(ctx, (tx) => addPerson(ctx, tx, caller, person));
  return withKey(ctx, (await findUser(ctx.db.read, id))!);
}

/** Throws what `createUser` would throw, and stores nothing. */
export async function checkNewUser(ctx: Ctx, caller: UserCaller, input: UserInput): Promise<void> {
  const person = await readNewUser(ctx, caller, input);
  try {
    await ctx.db.write(async (tx) => {
      await addPerson(ctx, tx, caller, person);
      throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
}

class RolledBack extends Error {}

interface NewPerson {
  input: UserInput;
  email: string;
  name: string;
  passwordHash: string | null;
  isInvited: boolean;
}

async function readNewUser(ctx: Ctx, caller: UserCaller, input: UserInput): Promise<NewPerson> {
  assertMayAdd(caller, input);
  if (input.email === undefined)
    throw invalid('user.bad_email', 'Enter an e-mail address such as name@example.com.', 'email');
  const email = readEmail(input.email);
  const name = readName(input.name ?? '');
  const isInvited = input.isInvited === true;
  const passwordHash = await hashNewPassword(ctx, caller, input.password, [name, email]);
  if (isInvited && (passwordHash !== null || input.isDisabled === true))
    throw invalid('user.not_invitable', 'Invite people who have no password yet and are not switched off.', 'invite');
  return { input, email, name, passwordHash, isInvited };
}

async function addPerson(ctx: Ctx, tx: Tx, caller: UserCaller, person: NewPerson): Promise<string> {
  const { input, email, name, passwordHash, isInvited } = person;
  const groupId = input.groupId ?? (await defaultGroup(tx, caller, email)).groupId;
  const group = await requireGroup(tx, caller, groupId);
  await requireInvitationAllowance(ctx, tx, caller);
  if ((await findUserByEmail(tx, email)) !== undefined) throw emailTaken();
  const addresses = await resolveAddresses(tx, caller, { ...input, email }, noAddresses);
  const isDisabled = input.isDisabled ?? false;
  const userId = await addUser(ctx, tx, {
    ...addresses,
    name,
    group,
    passwordHash,
    mustChangePassword: passwordHash !== null,
    isDisabled,
  });
  await setGroupAssigned(tx, userId, input.groupId !== undefined);
  await recordAccess(ctx, tx, caller, userId);
  const reason = readReason(input.reason);
  await record(ctx, tx, caller, {
    action: 'user.created',
    object: { kind: 'user', id: userId },
    ownerId: userId,
    facts: {
      group: group.id,
      group_chosen: input.groupId !== undefined,
      invited: isInvited,
      ...addressFacts(noAddresses, addresses, reason),
    },
  });
  // The invitation or the welcome replaces the notice to this address. A disabled account cannot be used yet.
  const known = isDisabled ? noAddresses : { ...noAddresses, email };
  await notifyAddresses(ctx, tx, caller, { userId, name, before: known, after: addresses, reason });
  if (isInvited) await invite(ctx, tx, caller, { id: userId, email });
  else if (!isDisabled) await welcome(ctx, tx, caller, { id: userId, email, hasPassword: passwordHash !== null });
  return userId;
}

/** Disabling an account immediately stops its keys, links and transfers. */
export async function changeUser(ctx: Ctx, caller: UserCaller, id: string, input: UserInput): Promise<ManagedUser> {
  requireRight(caller, 'people.manage');
  if (input.isInvited === true) throw invalid('user.not_invitable', 'Only a new person can be invited.', 'invite');
  const found = await findVisible(ctx.db.read, caller, id);
  const given = {
    name: input.name === undefined ? undefined : readName(input.name),
    email: input.email === undefined ? undefined : readEmail(input.email),
  };
  const names = [given.name ?? found.name, given.email ?? found.email];
  const passwordHash = await hashNewPassword(ctx, caller, input.password, names);
  await writeUnique(ctx, async (tx) => {
    const user = await holdVisible(tx, caller, found.id);
    // May have changed while the password was hashed.
    const { name = user.name, email = user.email } = given;
    const group = input.groupId === undefined ? null : await requireGroup(tx, caller, input.groupId);
    // Scripts write back all fields, so an unchanged group is no move.
    const isMoved = group !== null && group.id !== user.groupId;
    if (group !== null && user.id === caller.userId)
      assertInside(group.policy.allowed_networks, caller.from.address, 'group');
    await protectLastAdministrator(tx, caller, user, {
      role: group?.role ?? user.role,
      isDisabled: input.isDisabled ?? user.state === 'disabled',
    });
    const holder = await findUserByEmail(tx, email);
    if (holder !== undefined && holder.id !== user.id) throw emailTaken();
    const addresses = await resolveAddresses(tx, caller, { ...input, email }, user);
    const changes = {
      ...addresses,
      name,
      groupId: group?.id,
      passwordHash: passwordHash ?? undefined,
      mustChangePassword: passwordHash === null ? undefined : user.id !== caller.userId,
      state: input.isDisabled === undefined ? undefined : input.isDisabled ? 'disabled' : 'active',
    } as const;
    await updateUser(tx, user.id, changes, ctx.clock.now());
    if (isMoved) await setGroupAssigned(tx, user.id, true);
    if (passwordHash !== null || email !== user.email) await recordAccess(ctx, tx, caller, user.id);
    // A mailed link to choose a password would confirm the new address.
    if (email !== user.email) await deleteOneTimeLinksOf(tx, user.id);
    if (passwordHash !== null) await resetSignInLimits(tx, user.id);
    if (passwordHash !== null || isMoved || input.isDisabled === true) await deleteSessionsOf(tx, user.id);
    if (input.isDisabled === true) await endProofsOf(tx, confirmedAddresses(user), ctx.clock.now());
    await recordChange(ctx, tx, caller, { input, before: user, after: { ...addresses, name, group, passwordHash } });
  });
  return withKey(ctx, await findVisible(ctx.db.read, caller, found.id));
}

interface Change {
  input: UserInput;
  before: User;
  after: Addresses & { name: string; group: Group | null; passwordHash: string | null };
}

async function recordChange(ctx: Ctx, tx: Tx, caller: UserCaller, { input, before, after }: Change): Promise<void> {
  const { id: userId } = before;
  const { group, name } = after;
  const reason = readReason(input.reason);
  await record(ctx, tx, caller, {
    action: 'user.changed',
    object: { kind: 'user', id: userId },
    ownerId: userId,
    facts: {
      changed: Object.keys(input).filter((key) => key !== 'note' && input[key as keyof UserInput] !== undefined),
      group: group?.id ?? before.groupId,
      changes: changesOf(input, before, after),
      ...addressFacts(before, after, reason),
      ...(input.note === undefined || input.note === '' ? {} : { reason: input.note }),
    },
  });
  await notifyAddresses(ctx, tx, caller, { userId, name, before, after, reason });
  // The owner reads mail at the old address.
  const notice = { userId, to: before.email };
  const event = caller.userId === userId ? 'password-changed' : 'password-set';
  if (after.passwordHash !== null) await queueSecurityNotice(ctx, tx, caller, { event, ...notice });
  if (after.email !== before.email) await queueSecurityNotice(ctx, tx, caller, { event: 'address-changed', ...notice });
  if (group !== null && isRaised(before, group)) {
    await renewAllKeys(ctx, tx, caller, { ...before, policy: group.policy });
  }
}

function changesOf(input: UserInput, before: User, { name, group, passwordHash }: Change['after']): Changes {
  const changes: Changes = {};
  if (name !== before.name) changes.name = { from: before.name, to: name };
  if (group !== null && group.id !== before.groupId) changes.group = { from: before.groupId, to: group.id };
  const wasDisabled = before.state === 'disabled';
  if (input.isDisabled !== undefined && input.isDisabled !== wasDisabled)
    changes.disabled = { from: wasDisabled, to: input.isDisabled };
  if (passwordHash !== null) changes.password = { from: before.passwordHash === null ? 'none' : 'set', to: 'set' };
  return changes;
}

/** The person signs in with the password alone afterwards. */
export async function removeSecondFactor(ctx: Ctx, caller: UserCaller, id: string, why = ''): Promise<void> {
  requireRight(caller, 'people.manage');
  const reason = readReason(why);
  const found = await findVisible(ctx.db.read, caller, id);
  if (found.id === caller.userId)
    throw invalid('user.self', 'You can’t remove your own second step. Ask another administrator.');
  await ctx.db.write(async (tx) => {
    const user = await holdVisible(tx, caller, found.id);
    if (user.totpState === 'off' && user.passkeyCount === 0)
      throw invalid('totp.not_on', 'This person has no second step at sign-in.');
    await deleteTotpSecret(tx, user.id);
    await deletePasskeysOf(tx, user.id);
    await deleteSessionsOf(tx, user.id);
    await record(ctx, tx, caller, {
      action: 'totp.removed',
      object: { kind: 'user', id: user.id },
      ownerId: user.id,
      facts: { reason },
    });
    await queueSecurityNotice(ctx, tx, caller, {
      event: 'second-step-changed',
      userId: user.id,
      to: user.email,
      ...(reason === '' ? {} : { reason }),
    });
  });
}

interface Deletion {
  why?: 'administrator' | 'request';
  reason?: string;
  /** Runs in the transaction that ends access. */
  remember?: (tx: Tx) => Promise<void>;
}

/** The log keeps its events. */
export async function deleteUser(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  { why = 'administrator', reason = '', remember }: Deletion = {},
): Promise<void> {
  requireRight(caller, 'people.manage');
  const found = await findVisible(ctx.db.read, caller, id);
  await ctx.db.write(async (tx) => {
    const user = await holdVisible(tx, caller, found.id);
    await protectLastAdministrator(tx, caller, user, { role: 'user', isDisabled: true });
    await remember?.(tx);
    await endAccess(ctx, tx, caller, { id: user.id, why, reason });
  });
  await eraseEverythingOf(ctx, caller, found.id);
}

/** False if the user has since signed in. */
export async function deleteIdleUser(ctx: Ctx, id: string, idle: IdleIn): Promise<boolean> {
  const isOver = await ctx.db.write(async (tx) => {
    if (!(await isStillIdle(tx, id, idle))) return false;
    await endAccess(ctx, tx, systemCaller, { id, why: 'inactivity', reason: '' });
    return true;
  });
  if (isOver) await eraseEverythingOf(ctx, systemCaller, id);
  return isOver;
}

async function endAccess(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { id, why, reason }: { id: string; why: 'administrator' | 'request' | 'inactivity'; reason: string },
): Promise<void> {
  await markUserDeleted(tx, id, ctx.clock.now());
  await deleteApiKeysOf(tx, id, ctx.clock.now());
  await deleteSessionsOf(tx, id);
  await deleteIdentitiesOf(tx, id);
  await deleteScimUser(tx, id);
  await deletePreferences(tx, id);
  await deleteContactNamesOf(tx, id);
  await record(ctx, tx, caller, {
    action: 'user.deleted',
    object: { kind: 'user', id },
    ownerId: id,
    facts: { why, ...(reason === '' ? {} : { reason }) },
  });
}

async function hashNewPassword(
  ctx: Ctx,
  caller: Caller,
  password: string | undefined,
  names: string[],
): Promise<string | null> {
  if (password === undefined || password === '') return null;
  assertGoodPassword(password, [...names, ctx.settings.current().organisationName]);
  return ctx.keys.passwords.hashPassword(password, networkOf(caller.from.address));
}

function emailTaken(): Problem {
  return invalid('user.email_taken', 'This e-mail address is already in use.', 'email');
}
