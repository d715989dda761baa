// API keys: authentication, renewal, and reading back by administrators.

import { hash } from 'node:crypto';
import { waitIn } from '#language/durations.ts';
import {
  deleteAccountKeysOf,
  deleteApiKeysOf,
  findApiKeyOf,
  findKeyHolder,
  insertApiKey,
  openApiKey,
  touchApiKey,
} from '../../db/api-keys/api-keys.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { deletePairingsOf } from '../../db/sessions/pairings.ts';
import { findUser, findUserByEmail } from '../../db/users/users.ts';
import { type ApiKey, isExpired } from '../../domain/api-keys.ts';
import { type Caller, type Origin, systemCaller, type UserCaller } from '../../domain/caller.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import { mayManage, requireRight } from '../../domain/roles.ts';
import type { User } from '../../domain/users.ts';
import { parseAddress } from '../../lib/address.ts';
import { queueSecurityNotice } from '../account/security-notices.ts';
import { takeAttemptIn } from '../attempts.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { recordAccess } from '../users/account-access.ts';

/** Precision of "last used"; without it every call would write. */
const touchEveryMs = 5 * 60_000;

/** Lookup is by keyed hash; the key itself is never compared. */
export async function findCaller(ctx: Ctx, key: string, from: Origin): Promise<UserCaller | null> {
  if (!/^[A-Za-z0-9]{22}(?:[A-Za-z0-9]{22})?$/.test(key)) return null;
  const now = ctx.clock.now();
  const holder = await findKeyHolder(ctx.db.read, lookupOf(ctx, key));
  if (holder === null || !holder.isActive || isExpired(holder, now)) return null;
  const { userId, keyId } = holder;
  if ((holder.lastUsedAt ?? 0) + touchEveryMs < now)
    await ctx.db.write((tx) => touchApiKey(tx, { id: keyId, userId, address: from.address, now }));
  return {
    kind: 'user',
    userId,
    name: holder.name,
    email: holder.email,
    senderAliases: holder.senderAliases,
    recipientAliases: holder.recipientAliases,
    provenAddresses: holder.provenAddresses,
    defaultSenderAlias: holder.defaultSenderAlias,
    groupId: holder.groupId,
    groupName: holder.groupName,
    isLocal: holder.isLocal,
    role: holder.role,
    policy: holder.policy,
    apiKeyId: keyId,
    sessionHash: null,
    apiKeyExpiresAt: holder.expiresAt,
    from,
  };
}

/** Caches keyed hashes by plain hash: `GET /account` takes 74 instead of 99 to 106 µs of processor time. */
const lookupsOf = new WeakMap<Ctx['keys'], Map<string, Buffer>>();
const maxLookups = 1000;
function lookupOf(ctx: Ctx, key: string): Buffer {
  const lookups = lookupsOf.get(ctx.keys) ?? new Map<string, Buffer>();
  lookupsOf.set(ctx.keys, lookups);
  const digest = hash('sha256', key, 'base64'); // so that no key stays in memory
  const cached = lookups.get(digest);
  if (cached !== undefined) return cached;
  const lookup = ctx.keys.hash('api-key', key);
  if (lookups.size >= maxLookups) lookups.clear();
  lookups.set(digest, lookup);
  return lookup;
}

export async function renewApiKey(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  user: Pick<User, 'id' | 'policy'>,
): Promise<string> {
  const ended = await deleteAccountKeysOf(tx, user.id, ctx.clock.now());
  await recordEnds(ctx, tx, caller, { userId: user.id, ended });
  return addAccountKey(ctx, tx, user);
}

/** `fixedKey` is the operator's key at first start. */
export async function addAccountKey(
  ctx: Ctx,
  tx: Tx,
  { id: userId, policy }: Pick<User, 'id' | 'policy'>,
  fixedKey?: string,
): Promise<string> {
  const lifetimeDays = policy.api_key_lifetime;
  const expiresAt = lifetimeDays === 0 ? null : ctx.clock.now() + lifetimeDays * 86_400_000;
  return (await addApiKey(ctx, tx, { userId, kind: 'account', name: '', expiresAt }, fixedKey)).key;
}

/** Statements need the time at which a key ended. */
async function recordEnds(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  { userId, ended }: { userId: string; ended: readonly string[] },
): Promise<void> {
  for (const id of ended)
    await record(ctx, tx, caller, { action: 'api_key.revoked', object: { kind: 'api_key', id }, ownerId: userId });
}

/** Replaces named keys too: a leaked key must not gain rights its owner received later. */
export async function renewAllKeys(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  user: Pick<User, 'id' | 'email' | 'policy'>,
): Promise<void> {
  const ended = await deleteApiKeysOf(tx, user.id, ctx.clock.now());
  await recordEnds(ctx, tx, caller, { userId: user.id, ended });
  await deletePairingsOf(tx, user.id);
  await addAccountKey(ctx, tx, user);
  await queueSecurityNotice(ctx, tx, caller, { event: 'api-key-changed', userId: user.id, to: user.email });
}

export async function addApiKey(
  ctx: Ctx,
  tx: Tx,
  input: Pick<ApiKey, 'userId' | 'kind' | 'name' | 'expiresAt'>,
  fixedKey?: string,
): Promise<{ id: string; key: string }> {
  const key = fixedKey ?? ctx.random.id();
  const id = ctx.random.id();
  const lookup = ctx.keys.hash('api-key', key);
  await insertApiKey(tx, { ...input, id, key, lookup, createdAt: ctx.clock.now() });
  return { id, key };
}

/** Replaced if missing or expired. Only for the owner's own sign-in. */
export async function revealOwnKey(ctx: Ctx, user: User): Promise<string> {
  const key = await findApiKeyOf(ctx.db.read, user.id);
  const current = key === undefined || isExpired(key, ctx.clock.now()) ? null : await openApiKey(ctx.db.read, key.id);
  return current ?? ctx.db.write((tx) => renewApiKey(ctx, tx, systemCaller, user));
}

/** `GET /account/api_key`. Commits the event before it answers. All users without a readable key get the same 404. */
export async function readBackApiKey(ctx: Ctx, caller: UserCaller, login: string, reason = ''): Promise<string> {
  requireRight(caller, 'people.manage');
  await ctx.db.write((tx) => requireReadBackAllowance(ctx, tx, caller));
  const mode = ctx.settings.current().apiKeyReadback;
  const target = await findByLogin(ctx, login);
  const mayRead = target !== undefined && (target.id === caller.userId || mayManage(caller, target));
  if (!mayRead || target.state !== 'active' || mode === 'off') throw userNotFound();
  const key = await findApiKeyOf(ctx.db.read, target.id);
  if (key === undefined || isExpired(key, ctx.clock.now())) throw userNotFound();
  return ctx.db.write(async (tx) => {
    await record(ctx, tx, caller, {
      action: 'api_key.read',
      object: { kind: 'user', id: target.id },
      ownerId: target.id,
      facts: { mode, reason },
    });
    await queueSecurityNotice(ctx, tx, caller, {
      event: 'api-key-read',
      userId: target.id,
      to: target.email,
      ...(reason === '' ? {} : { reason }),
    });
    await recordAccess(ctx, tx, caller, target.id);
    if (mode === 'rotate') return renewApiKey(ctx, tx, caller, target);
    const text = await openApiKey(tx, key.id);
    if (text === null) throw userNotFound();
    return text;
  });
}

/** In the database, so that it holds for all processes. Unknown users count too. */
async function requireReadBackAllowance(ctx: Ctx, tx: Tx, caller: UserCaller): Promise<void> {
  const attempt = await takeAttemptIn(ctx, tx, ['keyReads'], { account: caller.userId });
  if (attempt.isAllowed) return;
  const seconds = Math.ceil(attempt.waitMs / 1000);
  throw new Problem(
    'rate_limited',
    'api_key.too_many',
    `Too many keys were read. Wait ${waitIn('en', seconds)}, then try again.`,
    { retryAfterSeconds: seconds },
  );
}

/** By address or user id. */
export async function findByLogin(ctx: Ctx, login: string): Promise<User | undefined> {
  const address = parseAddress(login, { allowSingleLabel: true });
  return address === null ? findUser(ctx.db.read, login) : findUserByEmail(ctx.db.read, address.address);
}

/** The login name may be unknown. */
export function loginName(login: string): string {
  return parseAddress(login, { allowSingleLabel: true })?.address ?? login.trim().normalize('NFKC').toLowerCase();
}

function userNotFound() {
  return notFound('user', 'There is no such user.');
}
