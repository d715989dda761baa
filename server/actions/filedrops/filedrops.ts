// Drop pages of people and functions, where anyone can submit files, and their short-lived keys.

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
import { confirmedEmail } from '../../domain/addresses.ts';
import { domainOf } from '../../domain/audience.ts';
import type { Caller, Uploader, UserCaller } from '../../domain/caller.ts';
import type { Policy } from '../../domain/policy.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import type { DropKey, PendingDelivery } from '../../domain/submissions.ts';
import { policyAt } from '../../domain/system-drops.ts';
import { displayName, type User } from '../../domain/users.ts';
import { parseAddress } from '../../lib/address.ts';
import type { Ctx } from '../context.ts';
import { submissionLimitsFor } from '../submissions/limits.ts';
import { type DropPage, dropKeyHash, findKeyToOpen, issueDropKey, openForUploads } from './drop-keys.ts';
import { listReceivers } from './receivers.ts';

export interface Filedrop {
  /** Canonical spelling. */
  name: string;
  /** Shown to visitors. An address page shows only the address. */
  label: string;
  owner: User;
  policy: Policy;
  /** The owner is the first receiver. */
  system: { id: string; title: string; intro: string; receivers: User[] } | null;
  /** The page looks the same, but submissions are discarded (docs/adr/0033). */
  isDecoy: boolean;
}

/** `name` is random, a function's name, or an address. */
export async function findFiledrop(ctx: Ctx, name: string): Promise<Filedrop | null> {
  const address = parseAddress(name, { allowSingleLabel: true });
  if (address !== null) return findAddressDrop(ctx, address.address);
  const ownerId = await findDropOwnerId(ctx.db.read, name);
  if (ownerId === null) return findFunctionDrop(ctx, name);
  const owner = await findUser(ctx.db.read, ownerId);
  if (owner === undefined || !acceptsFiles(owner)) return null;
  const { policy } = owner;
  return policy.filedrop_random
    ? { name, label: displayName(owner), owner, policy, system: null, isDecoy: false }
    : null;
}

/** Null unless someone can receive there. */
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

/** The page of an unconfirmed address would speak for another person. */
function acceptsFiles(owner: User): boolean {
  return owner.state === 'active' && owner.isDropOpen && confirmedEmail(owner) !== null;
}

/**
 * If any address of a domain has a drop page, all have one, so that pages do not reveal accounts. All lookups always
 * run, so timing does not either.
 */
async function findAddressDrop(ctx: Ctx, address: string): Promise<Filedrop | null> {
  const owner = await findUserByEmail(ctx.db.read, address);
  const standIn = await findStandIn(ctx, address);
  const acceptsForOwner = owner !== undefined && acceptsFiles(owner) && owner.policy.filedrop_email;
  const holder = acceptsForOwner ? owner : standIn;
  if (holder === undefined) return null;
  return {
    name: address,
    label: address,
    owner: holder,
    policy: holder.policy,
    system: null,
    isDecoy: !acceptsForOwner,
  };
}

/** The user whose limits apply to submissions that will be discarded. */
async function findStandIn(ctx: Ctx, address: string): Promise<User | undefined> {
  const groups = (await listGroups(ctx.db.read)).filter((group) => group.policy.filedrop_email).map(({ id }) => id);
  return groups.length === 0 ? undefined : findMemberAtDomain(ctx.db.read, groups, domainOf(address));
}

/** Empty if the group has none, or the address is unconfirmed. */
export async function ownFiledrops(
  ctx: Ctx,
  caller: UserCaller,
  { dropName, confirmedEmail: address }: { dropName: string | null; confirmedEmail: string | null },
): Promise<{ random: string; email: string }> {
  if (address === null) return { random: '', email: '' };
  const base = `${ctx.settings.surroundings.baseUrl}/filedrop`;
  const { filedrop_random: hasRandom, filedrop_email: hasEmail } = caller.policy;
  const name = !hasRandom
    ? null
    : (dropName ?? (await ctx.db.write((tx) => claimDropName(tx, caller.userId, ctx.random.id()))));
  return { random: name === null ? '' : `${base}/${name}`, email: hasEmail ? `${base}/${address}` : '' };
}

export function issueKeyFor(ctx: Ctx, drop: Filedrop): Promise<string> {
  return issueDropKey(ctx, pageOf(drop));
}

function pageOf(drop: Filedrop): DropPage {
  return { name: drop.name, ownerId: drop.owner.id };
}

export interface DropAccess {
  drop: Filedrop;
  keyId: string;
  uploader: Uploader;
}

/** For submitting; an upload needs `requireUploadKey`. */
export async function requireDropKey(ctx: Ctx, caller: Caller, name: string, key: string): Promise<DropAccess> {
  const drop = await findFiledrop(ctx, name);
  if (drop === null) throw notFound('filedrop', 'There’s nothing at this address.');
  const found = await findLiveKey(ctx, drop, key);
  if (found === null) throw badKey();
  return accessOf(drop, found.id, caller);
}

/** For an upload, which opens the key. */
export async function requireUploadKey(ctx: Ctx, caller: Caller, name: string, key: string): Promise<DropAccess> {
  const drop = await findFiledrop(ctx, name);
  if (drop === null) throw notFound('filedrop', "There's nothing at this address.");
  const found = await findKeyToOpen(ctx, pageOf(drop), key);
  if (found === null || !isKeyOf(drop, found.key) || !isLive(ctx, found.key)) throw badKey();
  const { id } = await openForUploads(ctx, caller, found);
  return accessOf(drop, id, caller);
}

/** For uploads that do not name the drop page. */
export async function findUploadAccess(ctx: Ctx, caller: Caller, key: string): Promise<DropAccess | null> {
  const found = await findDropKey(ctx.db.read, dropKeyHash(ctx, key));
  if (found === null || !isLive(ctx, found)) return null;
  const drop = await findFiledrop(ctx, found.dropName);
  if (drop === null || !isKeyOf(drop, found)) return null;
  await openForUploads(ctx, caller, { key: found, unstored: null });
  return accessOf(drop, found.id, caller);
}

/** For submissions without credentials, identified by an attachment of a live drop key. */
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

/** A decoy's key must not work at its stand-in's page. */
function isKeyOf(drop: Filedrop, key: DropKey): boolean {
  return key.ownerId === drop.owner.id && key.dropName === drop.name;
}

function isLive(ctx: Ctx, key: DropKey): boolean {
  return key.state === 'open' && key.expiresAt > ctx.clock.now();
}

function accessOf(drop: Filedrop, keyId: string, caller: Caller): DropAccess {
  const submissionLimits = { ...submissionLimitsFor(drop.policy.filedrop_max_size, false), dropName: drop.name };
  const uploader = { ownerId: drop.owner.id, policy: drop.policy, source: `drop:${keyId}`, submissionLimits, caller };
  return { drop, keyId, uploader };
}

export async function savePendingDelivery(ctx: Ctx, access: DropAccess, pending: PendingDelivery): Promise<void> {
  await ctx.db.write((tx) => savePending(tx, access.keyId, pending, ctx.clock.now()));
}

/** Null if the key is invalid or has no pending delivery. */
export async function findPending(ctx: Ctx, drop: Filedrop, key: string): Promise<PendingDelivery | null> {
  return (await findLiveKey(ctx, drop, key))?.pending ?? null;
}

/** Pending or finished. */
export async function findPendingOfKey(
  ctx: Ctx,
  drop: Filedrop,
  keyId: string,
): Promise<(PendingDelivery & { isOpen: boolean }) | null> {
  const key = await findDropKeyById(ctx.db.read, keyId);
  if (key === null || key.pending === null || !isKeyOf(drop, key)) return null;
  return { ...key.pending, isOpen: isLive(ctx, key) };
}

/** Null if the key is invalid. */
export async function findDropSource(ctx: Ctx, drop: Filedrop, key: string): Promise<string | null> {
  const found = await findLiveKey(ctx, drop, key);
  return found === null ? null : `drop:${found.id}`;
}

async function findLiveKey(ctx: Ctx, drop: Filedrop, key: string): Promise<DropKey | null> {
  const found = await findDropKey(ctx.db.read, dropKeyHash(ctx, key));
  return found !== null && isKeyOf(drop, found) && isLive(ctx, found) ? found : null;
}
