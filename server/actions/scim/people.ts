// People whom a SCIM client creates, changes and removes. Nothing is accepted that is not done.
import { findIdentity, type LinkedIdentity, listIdentitiesOf } from '../../db/identity/identities.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { listGroupsOfMembers } from '../../db/scim/scim-groups.ts';
import {
  deleteScimUser,
  findScimUser,
  foldName,
  insertScimUser,
  isScimNameTaken,
  lockScimUser,
  type ScimUser,
  type ScimUserQuery,
  scanScimUsers,
  updateScimUser,
} from '../../db/scim/scim-users.ts';
import { findUser, findUserByEmail, listHoldersOf } from '../../db/users/users.ts';
import { confirmedAddresses } from '../../domain/addresses.ts';
import { addressOf, nameOf, type ScimPerson } from '../../domain/scim.ts';
import type { User } from '../../domain/users.ts';
import { ScimFault } from '../../lib/scim/fault.ts';
import type { Ctx } from '../context.ts';
import { disableByService, enableAgain } from '../identity/leaving.ts';
import { addProvisioned, shownName } from '../identity/provisioning.ts';
import { linkIdentity } from '../identity/sign-in.ts';
import { writeUnique } from '../unique.ts';
import { assertFewLosses } from './brake.ts';
import { changeAddress, changeName } from './person-changes.ts';
import { findScimService, recordScim, type ScimCaller, type ScimService, scimIdentity } from './scim-identity.ts';

export interface ScimResource {
  row: ScimUser;
  groups: { id: string; displayName: string }[];
}

const noSuchUser = () => new ScimFault(404, 'There is no such user.');
const conflict = (sentence: string) => new ScimFault(409, sentence, { type: 'uniqueness' });

export async function describePeople(ctx: Ctx, rows: readonly ScimUser[]): Promise<ScimResource[]> {
  const ids = rows.map(({ userId }) => userId);
  const groups = Map.groupBy(await listGroupsOfMembers(ctx.db.read, 'User', ids), ({ memberId }) => memberId);
  return rows.map((row) => ({ row, groups: groups.get(row.userId) ?? [] }));
}

/** In pages. */
export async function* listPeople(ctx: Ctx, query: ScimUserQuery): AsyncGenerator<ScimUser[]> {
  yield* scanScimUsers(ctx.db.read, query);
}

export async function getPerson(ctx: Ctx, id: string): Promise<ScimResource> {
  const row = await findScimUser(ctx.db.read, id);
  if (row === undefined) throw noSuchUser();
  return (await describePeople(ctx, [row]))[0]!;
}

export async function createPerson(ctx: Ctx, caller: ScimCaller, person: ScimPerson): Promise<ScimResource> {
  const scim = await findScimService(ctx);
  const id = await writeUnique(ctx, async (tx) => {
    if (await isScimNameTaken(tx, person.userName, '')) throw conflict('There is a user with this userName.');
    const found = await findAccount(tx, scim, person);
    const { userId, identityId } =
      found === null ? await addAccount(ctx, tx, caller, { scim, person }) : await adopt(ctx, tx, caller, found);
    const now = ctx.clock.now();
    const { userName, externalId, attributes } = person;
    await insertScimUser(tx, {
      ...{ userId, identityId, userName, userNameFolded: foldName(userName), externalId, attributes },
      ...{ version: 1, createdAt: now, updatedAt: now, movedAt: null },
    });
    await applyToAccount(ctx, tx, caller, { userId, person });
    await recordScim(ctx, tx, caller, { change: found === null ? 'created' : 'adopted', name: userName });
    return userId;
  });
  return getPerson(ctx, id);
}

interface Found {
  user: User;
  /** Empty if the person must prove that the account is theirs. */
  identityId: string;
}

function subjectOf(scim: ScimService, { externalId, userName }: ScimPerson): string | null {
  return scim.subject === 'user_name' ? userName : externalId;
}

/**
 * The account of a person, by identity or by address. An account with the address of a person is not linked, so that
 * nobody who registered it in advance, and no other person, gets in: its owner proves it at the first sign-in.
 */
async function findAccount(tx: Tx, scim: ScimService, person: ScimPerson): Promise<Found | null> {
  const address = addressOf(person)!;
  const subject = subjectOf(scim, person);
  const known =
    scim.service === null || subject === null ? undefined : await findIdentity(tx, scim.service.id, subject);
  const user = known === undefined ? await findUserByEmail(tx, address) : await findUser(tx, known.userId);
  if (user === undefined) {
    const holders = await listHoldersOf(tx, address);
    if (holders.some((holder) => confirmedAddresses(holder).includes(address)))
      throw conflict('The e-mail address belongs to another account.');
    return null;
  }
  if ((await findScimUser(tx, user.id)) !== undefined)
    throw conflict('There is a user with this address or externalId.');
  if (known !== undefined) return { user, identityId: known.id };
  const others = await listIdentitiesOf(tx, user.id);
  if (scim.service !== null && others.some(({ service }) => service === scim.service!.id))
    throw conflict('The account with this address is connected to someone else. An administrator must connect it.');
  return { user, identityId: '' };
}

async function addAccount(
  ctx: Ctx,
  tx: Tx,
  caller: ScimCaller,
  { scim, person }: { scim: ScimService; person: ScimPerson },
): Promise<{ userId: string; identityId: string }> {
  const { service } = scim;
  const userId = await addProvisioned(ctx, tx, caller, {
    service: { id: service?.id ?? scimIdentity, defaultGroupId: service?.defaultGroupId ?? '' },
    claims: { name: nameOf(person), groups: [], isAddressVerified: service?.addressesVerified !== 'false' },
    address: addressOf(person)!,
  });
  await link(ctx, tx, caller, { id: scimIdentity, subject: userId, userId, way: 'provisioned' });
  const subject = subjectOf(scim, person);
  if (service === null || subject === null) return { userId, identityId: '' };
  const { id } = await link(ctx, tx, caller, { id: service.id, subject, userId, way: 'scim' });
  return { userId, identityId: id };
}

async function adopt(ctx: Ctx, tx: Tx, caller: ScimCaller, { user, identityId }: Found) {
  if ((await ownIdentity(tx, user.id)) === undefined)
    await link(ctx, tx, caller, { id: scimIdentity, subject: user.id, userId: user.id, way: 'scim' });
  return { userId: user.id, identityId };
}

interface Link {
  id: string;
  subject: string;
  userId: string;
  way: LinkedIdentity['way'];
}

function link(ctx: Ctx, tx: Tx, caller: ScimCaller, { id, subject, userId, way }: Link): Promise<LinkedIdentity> {
  return linkIdentity(ctx, tx, caller, { service: { id }, claims: { subject, groups: null }, userId, way });
}

/** Keeps whether SCIM disabled the account. */
function ownIdentity(tx: Tx, userId: string): Promise<LinkedIdentity | undefined> {
  return findIdentity(tx, scimIdentity, userId);
}

export interface Precondition {
  /** Throws if the client has seen another version. */
  (version: number): void;
}

/** `change` gets the person as stored and returns what is wanted. */
export async function changePerson(
  ctx: Ctx,
  caller: ScimCaller,
  id: string,
  { change, assertVersion }: { change: (before: ScimPerson) => ScimPerson; assertVersion: Precondition },
): Promise<ScimResource> {
  const scim = await findScimService(ctx);
  await writeUnique(ctx, async (tx) => {
    await lockScimUser(tx, id);
    const row = await findScimUser(tx, id);
    if (row === undefined) throw noSuchUser();
    assertVersion(row.version);
    const person = change(personOf(row));
    if (await isScimNameTaken(tx, person.userName, id)) throw conflict('There is a user with this userName.');
    const identityId = await relink(ctx, tx, caller, { scim, row, person });
    await applyToAccount(ctx, tx, caller, { userId: id, person });
    const { userName, externalId, attributes } = person;
    await updateScimUser(tx, id, {
      ...{ userName, userNameFolded: foldName(userName), externalId, attributes, identityId },
      ...{ version: row.version + 1, updatedAt: ctx.clock.now() },
    });
    await recordScim(ctx, tx, caller, { change: 'changed', name: userName });
  });
  return getPerson(ctx, id);
}

function personOf({ userName, externalId, isActive, attributes }: ScimUser): ScimPerson {
  return { userName, externalId, isActive, attributes };
}

/** An identity that was used stays: its person would lose the account to another one. */
async function relink(
  ctx: Ctx,
  tx: Tx,
  caller: ScimCaller,
  { scim, row, person }: { scim: ScimService; row: ScimUser; person: ScimPerson },
): Promise<string> {
  const subject = subjectOf(scim, person);
  if (scim.service === null || subject === null || subject === subjectOf(scim, personOf(row))) return row.identityId;
  const linked = (await listIdentitiesOf(tx, row.userId)).find(({ service }) => service === scim.service!.id);
  if (linked?.subject === subject) return linked.id;
  const other = await findIdentity(tx, scim.service.id, subject);
  if (linked !== undefined || other !== undefined)
    throw new ScimFault(409, 'The account is connected to another identity. An administrator must change this.', {
      type: 'mutability',
    });
  const isOwn = (await ownIdentity(tx, row.userId))?.way === 'provisioned';
  if (!isOwn) return row.identityId;
  return (await link(ctx, tx, caller, { id: scim.service.id, subject, userId: row.userId, way: 'scim' })).id;
}

async function applyToAccount(
  ctx: Ctx,
  tx: Tx,
  caller: ScimCaller,
  { userId, person }: { userId: string; person: ScimPerson },
): Promise<void> {
  const user = await findUser(tx, userId);
  if (user === undefined) throw noSuchUser();
  await changeName(ctx, tx, caller, { user, name: shownName(nameOf(person)) });
  await changeAddress(ctx, tx, caller, { user, address: addressOf(person)! });
  if (person.isActive !== (user.state === 'active'))
    await (person.isActive
      ? switchOn(ctx, tx, caller, userId)
      : switchOff(ctx, tx, caller, { userId, reason: 'inactive' }));
}

async function switchOn(ctx: Ctx, tx: Tx, caller: ScimCaller, userId: string): Promise<void> {
  const identity = await ownIdentity(tx, userId);
  if (identity === undefined || !(await enableAgain(ctx, tx, caller, identity)))
    throw new ScimFault(409, 'An administrator switched this account off. Only an administrator can switch it on.');
}

async function switchOff(
  ctx: Ctx,
  tx: Tx,
  caller: ScimCaller,
  { userId, reason }: { userId: string; reason: 'inactive' | 'deleted' },
): Promise<void> {
  const identity = await ownIdentity(tx, userId);
  if (identity === undefined) throw noSuchUser();
  await assertFewLosses(ctx, tx, 1);
  const left = await disableByService(ctx, tx, caller, { identity, reason });
  if (left === 'last_administrator')
    throw new ScimFault(409, 'This is the last System Administrator, who cannot be disabled or deleted.');
}

/** The account is disabled; what happens to its transfers is decided by an administrator. */
export async function removePerson(
  ctx: Ctx,
  caller: ScimCaller,
  id: string,
  { assertVersion }: { assertVersion: Precondition },
): Promise<void> {
  await ctx.db.write(async (tx) => {
    await lockScimUser(tx, id);
    const row = await findScimUser(tx, id);
    if (row === undefined) throw noSuchUser();
    assertVersion(row.version);
    if (row.isActive) await switchOff(ctx, tx, caller, { userId: id, reason: 'deleted' });
    await deleteScimUser(tx, id);
    await recordScim(ctx, tx, caller, { change: 'deleted', name: row.userName });
  });
}
