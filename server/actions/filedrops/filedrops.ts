// Drop pages: the address of a person or a function where anyone can hand in files, and the short-lived keys programs do it with
// (compatibility 2.7, security D11, D28).

import { findAttachment } from '../../db/attachments/attachments.ts';
import {
  claimDropName,
  findDropKey,
  findDropKeyById,
  findDropOwnerId,
  savePending,
} from '../../db/filedrops/filedrops.ts';
import { findSystemDrop } from '../../db/filedrops/system-drops.ts';
import { listGroups } from '../../db/groups/groups.ts';
import { findMemberAtDomain, findUser, findUserByEmail } from '../../db/users/users.ts';
import { actingEmail } from '../../domain/addresses.ts';
import { domainOf } from '../../domain/audience.ts';
import type { Caller, Uploader, UserCaller } from '../../domain/caller.ts';
import type { Policy } from '../../domain/policy.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import type { DropKey, PendingDelivery } from '../../domain/submissions.ts';
import { policyAt } from '../../domain/system-drops.ts';
import { displayName, type User } from '../../domain/users.ts';
import { parseAddress } from '../../lib/address.ts';
import type { Ctx } from '../context.ts';
import { handInLimits } from '../submissions/limits.ts';
import { dropKeyHash, findKeyToOpen, issueDropKey, type KeyPlace, openForUploads } from './drop-keys.ts';
import { listReceivers } from './receivers.ts';

export interface Filedrop {
  /** In its one spelling. */
  name: string;
  /** Who hands in is told this and no more: at an address the address itself, so that it tells nothing new. */
  label: string;
  owner: User;
  policy: Policy;
  /** For the page of a function: its own words, and everybody who receives there, the owner first. */
  system: { id: string; title: string; intro: string; receivers: User[] } | null;
  /** An address nobody can be reached at: the page is the same, what is handed in is thrown away (decision 0033). */
  isDecoy: boolean;
}

/** The drop page at a name: random, or an e-mail address where a group permits it. */
export async function findFiledrop(ctx: Ctx, name: string): Promise<Filedrop | null> {
  const address = parseAddress(name, { allowSingleLabel: true });
  if (address !== null) return findAddressDrop(ctx, address.address);
  const ownerId = await findDropOwnerId(ctx.db.read, name);
  if (ownerId === null) return findFunctionDrop(ctx, name);
  const owner = await findUser(ctx.db.read, ownerId);
  if (owner === undefined || !takesFiles(owner)) return null;
  const { policy } = owner;
  return policy.filedrop_random
    ? { name, label: displayName(owner), owner, policy, system: null, isDecoy: false }
    : null;
}

/** The page of a function, while somebody receives there. */
async function findFunctionDrop(ctx: Ctx, name: string): Promise<Filedrop | null> {
  const drop = await findSystemDrop(ctx.db.read, { name: name.toLowerCase() });
  if (drop === null || !drop.isOpen) return null;
  const receivers = await listReceivers(ctx.db.read, drop);
  const [owner] = receivers;
  if (owner === undefined) return null;
  const { id, title, intro } = drop;
  const system = { id, title, intro, receivers };
  return { name: drop.name, label: title, owner, policy: policyAt(drop, owner.policy), system, isDecoy: false };
}

/** Whose own address is not proven takes nothing in: their page would speak for somebody else (security D10). */
function takesFiles(owner: User): boolean {
  return owner.state === 'active' && owner.isDropOpen && actingEmail(owner) !== null;
}

/**
 * At a domain where anybody has a drop page by address, every address has one: whether it reaches somebody is not told
 * (security D11). All look-ups are made in every case, so that the time tells nothing either.
 */
async function findAddressDrop(ctx: Ctx, address: string): Promise<Filedrop | null> {
  const owner = await findUserByEmail(ctx.db.read, address);
  const standIn = await findStandIn(ctx, address);
  const isOwners = owner !== undefined && takesFiles(owner) && owner.policy.filedrop_email;
  const holder = isOwners ? owner : standIn;
  if (holder === undefined) return null;
  return { name: address, label: address, owner: holder, policy: holder.policy, system: null, isDecoy: !isOwners };
}

/** Under whose limits files for nobody are received until they are thrown away. */
async function findStandIn(ctx: Ctx, address: string): Promise<User | undefined> {
  const groups = (await listGroups(ctx.db.read)).filter((group) => group.policy.filedrop_email).map(({ id }) => id);
  return groups.length === 0 ? undefined : findMemberAtDomain(ctx.db.read, groups, domainOf(address));
}

/** Addresses of the caller's own drop pages; blank where the group has none, or the caller's own address is not proven. */
export async function ownFiledrops(
  ctx: Ctx,
  caller: UserCaller,
  { dropName, actingEmail: address }: { dropName: string | null; actingEmail: string | null },
): Promise<{ random: string; email: string }> {
  if (address === null) return { random: '', email: '' };
  const base = `${ctx.settings.surroundings.baseUrl}/filedrop`;
  const { filedrop_random: hasRandom, filedrop_email: hasEmail } = caller.policy;
  const name = !hasRandom
    ? null
    : (dropName ?? (await ctx.db.write((tx) => claimDropName(tx, caller.userId, ctx.random.id()))));
  return { random: name === null ? '' : `${base}/${name}`, email: hasEmail ? `${base}/${address}` : '' };
}

/** A key for one delivery to this page; it holds nothing until its first upload. */
export function handOutKey(ctx: Ctx, drop: Filedrop): Promise<string> {
  return issueDropKey(ctx, placeOf(drop));
}

function placeOf(drop: Filedrop): KeyPlace {
  return { name: drop.name, ownerId: drop.owner.id };
}

export interface DropAccess {
  drop: Filedrop;
  keyId: string;
  uploader: Uploader;
}

/** The holder of a live key for this drop, or a refusal. */
export async function requireDropKey(ctx: Ctx, caller: Caller, name: string, key: string): Promise<DropAccess> {
  const drop = await findFiledrop(ctx, name);
  if (drop === null) throw notFound('filedrop', 'There’s nothing at this address.');
  const found = await findLiveKey(ctx, drop, key);
  if (found === null) throw badKey();
  return accessOf(drop, found.id, caller);
}

/** The same for uploading under it, which opens the key. */
export async function requireUploadKey(ctx: Ctx, caller: Caller, name: string, key: string): Promise<DropAccess> {
  const drop = await findFiledrop(ctx, name);
  if (drop === null) throw notFound('filedrop', "There's nothing at this address.");
  const found = await findKeyToOpen(ctx, placeOf(drop), key);
  if (found === null || !isKeyOf(drop, found.key) || !isLive(ctx, found.key)) throw badKey();
  const { id } = await openForUploads(ctx, caller, found);
  return accessOf(drop, id, caller);
}

/** For uploads under a key when nobody says at which drop page; null when it is not a live key of one. */
export async function findUploadAccess(ctx: Ctx, caller: Caller, key: string): Promise<DropAccess | null> {
  const found = await findDropKey(ctx.db.read, dropKeyHash(ctx, key));
  if (found === null || !isLive(ctx, found)) return null;
  const drop = await findFiledrop(ctx, found.dropName);
  if (drop === null || !isKeyOf(drop, found)) return null;
  await openForUploads(ctx, caller, { key: found, unstored: null });
  return accessOf(drop, found.id, caller);
}

/** "The submission must also work without credentials when the attachment ids belong to a live drop key." */
export async function accessByAttachment(
  ctx: Ctx,
  caller: Caller,
  name: string,
  attachmentId: string,
): Promise<DropAccess> {
  const drop = await findFiledrop(ctx, name);
  const file = await findAttachment(ctx.db.read, attachmentId);
  const keyId = file?.source.startsWith('drop:') === true ? file.source.slice('drop:'.length) : null;
  const key = keyId === null ? null : await findDropKeyById(ctx.db.read, keyId);
  if (drop === null || key === null || !isKeyOf(drop, key) || !isLive(ctx, key)) throw badKey();
  return accessOf(drop, key.id, caller);
}

function badKey(): Problem {
  return new Problem(
    'unauthenticated',
    'credentials.invalid',
    'The key of the drop page is missing, used or not valid.',
  );
}

/** A key serves at the page it was handed out at: that of a decoy must not fit at its stand-in's. */
function isKeyOf(drop: Filedrop, key: DropKey): boolean {
  return key.ownerId === drop.owner.id && key.dropName === drop.name;
}

function isLive(ctx: Ctx, key: DropKey): boolean {
  return key.state === 'open' && key.expiresAt > ctx.clock.now();
}

function accessOf(drop: Filedrop, keyId: string, caller: Caller): DropAccess {
  const handIn = { ...handInLimits(drop.policy.filedrop_max_size, false), dropName: drop.name };
  const uploader = { ownerId: drop.owner.id, policy: drop.policy, source: `drop:${keyId}`, handIn, caller };
  return { drop, keyId, uploader };
}

export async function keepPending(ctx: Ctx, access: DropAccess, pending: PendingDelivery): Promise<void> {
  await ctx.db.write((tx) => savePending(tx, access.keyId, pending, ctx.clock.now()));
}

/** Null when the key is not a live one of this drop, or nothing waits under it. */
export async function findPending(ctx: Ctx, drop: Filedrop, key: string): Promise<PendingDelivery | null> {
  return (await findLiveKey(ctx, drop, key))?.pending ?? null;
}

/** What waits, or waited, under a key known by its id. */
export async function findPendingOfKey(
  ctx: Ctx,
  drop: Filedrop,
  keyId: string,
): Promise<(PendingDelivery & { isOpen: boolean }) | null> {
  const key = await findDropKeyById(ctx.db.read, keyId);
  if (key === null || key.pending === null || !isKeyOf(drop, key)) return null;
  return { ...key.pending, isOpen: isLive(ctx, key) };
}

/** Where files under this key come from; null when it is not a live one of this drop. */
export async function findDropSource(ctx: Ctx, drop: Filedrop, key: string): Promise<string | null> {
  const found = await findLiveKey(ctx, drop, key);
  return found === null ? null : `drop:${found.id}`;
}

async function findLiveKey(ctx: Ctx, drop: Filedrop, key: string): Promise<DropKey | null> {
  const found = await findDropKey(ctx.db.read, dropKeyHash(ctx, key));
  return found !== null && isKeyOf(drop, found) && isLive(ctx, found) ? found : null;
}
