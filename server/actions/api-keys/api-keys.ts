// API keys: finding out who calls, and reading one back as the specification lets administrators do (security D1).
import { hash } from 'node:crypto';
import { deleteAccountKeysOf, findApiKeyOf, findCallerByKey, insertApiKey, touchApiKey } from '../../db/api-keys.ts';
import type { Tx } from '../../db/schema.ts';
import { findUser, findUserByEmail, type UserRow } from '../../db/users.ts';
import { demandAdministrator, mayManage, type Origin, type Role, type UserCaller } from '../../domain/caller.ts';
import { type Policy, readPolicy } from '../../domain/policy.ts';
import { notFound } from '../../domain/problem.ts';
import { parseAddress } from '../../lib/address.ts';
import { oweSecurityNotice } from '../account/security-notices.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';

/** How fresh "last used" is kept; every call would be a write otherwise. */
const touchEveryMs = 5 * 60_000;

/** Who holds this key, or null. The database sees a keyed hash only; nothing compares the key itself. */
export async function findCaller(ctx: Ctx, key: string, from: Origin): Promise<UserCaller | null> {
  if (!/^[A-Za-z0-9]{22}(?:[A-Za-z0-9]{22})?$/.test(key)) return null;
  const now = ctx.clock.now();
  const row = await findCallerByKey(ctx.db.read, lookupOf(ctx, key));
  if (row === undefined || row.state !== 'active' || (row.expires_at !== null && row.expires_at <= now)) return null;
  if ((row.last_used_at ?? 0) + touchEveryMs < now)
    await ctx.db.write((tx) => touchApiKey(tx, { id: row.key_id, userId: row.id, address: from.address, now }));
  return {
    kind: 'user',
    userId: row.id,
    email: row.email,
    name: row.name,
    groupId: row.group_id,
    groupName: row.group_name,
    isLocal: row.is_local === 1,
    role: row.role as Role,
    policy: policyOf(row.policy, row.is_local === 1),
    apiKeyId: row.key_id,
    sessionHash: null,
    apiKeyExpiresAt: row.expires_at,
    from,
  };
}

/** Programs call again and again; a keyed hash costs several times as much as the plain one it is found by here. */
const lookupsOf = new WeakMap<Ctx['keys'], Map<string, Buffer>>();
const maxLookups = 1000;
function lookupOf(ctx: Ctx, key: string): Buffer {
  const lookups = lookupsOf.get(ctx.keys) ?? new Map<string, Buffer>();
  lookupsOf.set(ctx.keys, lookups);
  const digest = hash('sha256', key, 'base64'); // so that no key stays in memory
  const known = lookups.get(digest);
  if (known !== undefined) return known;
  const lookup = ctx.keys.hash('api-key', key);
  if (lookups.size >= maxLookups) lookups.clear();
  lookups.set(digest, lookup);
  return lookup;
}

// Policies are few and read on every call; the stored text is the key, so a change is seen at once.
const readPolicies = new Map<string, Policy>();
function policyOf(stored: string, isLocal: boolean): Policy {
  const known = readPolicies.get(stored);
  if (known !== undefined) return known;
  const policy = readPolicy(stored, isLocal);
  if (readPolicies.size >= 200) readPolicies.clear();
  readPolicies.set(stored, policy);
  return policy;
}

/** A fresh key for a person, replacing what they had. `given` is the operator's own choice at first start. */
export async function renewApiKey(
  ctx: Ctx,
  tx: Tx,
  userId: string,
  lifetimeDays: number,
  given?: string,
): Promise<string> {
  const expiresAt = lifetimeDays === 0 ? null : ctx.clock.now() + lifetimeDays * 86_400_000;
  await deleteAccountKeysOf(tx, userId);
  return (await addApiKey(ctx, tx, { userId, kind: 'account', name: '', expiresAt }, given)).key;
}

/** How much of a key is kept in clear, to tell keys apart. */
const prefixChars = 4;

/** A further key. Only the account's own can be read back: of a named one nothing but its keyed hash is kept. */
export async function addApiKey(
  ctx: Ctx,
  tx: Tx,
  wanted: { userId: string; kind: 'account' | 'named'; name: string; expiresAt: number | null },
  given?: string,
): Promise<{ id: string; key: string }> {
  const key = given ?? ctx.random.id();
  const id = ctx.random.id();
  await insertApiKey(tx, {
    id,
    user_id: wanted.userId,
    lookup: ctx.keys.hash('api-key', key),
    sealed: wanted.kind === 'named' ? Buffer.alloc(0) : ctx.keys.sealText('api-key', key, `${wanted.userId}/${id}`),
    kind: wanted.kind,
    name: wanted.name,
    prefix: key.slice(0, prefixChars),
    created_at: ctx.clock.now(),
    expires_at: wanted.expiresAt,
    last_used_at: null,
    last_used_ip: '',
    replaced_at: null,
  });
  return { id, key };
}

/** First characters of a key; those made before they were kept are opened for it. */
export function prefixOf(ctx: Ctx, row: { id: string; user_id: string; prefix: string; sealed: Buffer }): string {
  if (row.prefix !== '' || row.sealed.length === 0) return row.prefix;
  return ctx.keys.openText('api-key', row.sealed, `${row.user_id}/${row.id}`).slice(0, prefixChars);
}

/** The person's key in clear, made anew when there is none or it has expired. For their own sign-in only. */
export async function revealOwnKey(ctx: Ctx, user: UserRow): Promise<string> {
  const row = await findApiKeyOf(ctx.db.read, user.id);
  if (row !== undefined && (row.expires_at === null || row.expires_at > ctx.clock.now())) {
    return ctx.keys.openText('api-key', row.sealed, `${user.id}/${row.id}`);
  }
  const policy = readPolicy(user.policy, user.is_local === 1);
  return ctx.db.write((tx) => renewApiKey(ctx, tx, user.id, policy.api_key_lifetime));
}

/**
 * `GET /account/api_key`. The event is committed before the key is answered; unknown, higher-ranking, switched-off and
 * keyless targets are one and the same 404.
 */
export async function readBackApiKey(ctx: Ctx, caller: UserCaller, login: string): Promise<string> {
  demandAdministrator(caller);
  const mode = ctx.settings.current().apiKeyReadback;
  const target = await findByLogin(ctx, login);
  const mayRead =
    target !== undefined &&
    (target.id === caller.userId || mayManage(caller, target.role as Role, target.is_local === 1));
  if (target === undefined || !mayRead || target.state !== 'active' || mode === 'off') throw userNotFound();
  const row = await findApiKeyOf(ctx.db.read, target.id);
  if (row === undefined || (row.expires_at !== null && row.expires_at <= ctx.clock.now())) throw userNotFound();
  return ctx.db.write(async (tx) => {
    await record(ctx, tx, caller, {
      action: 'api_key.read',
      object: { kind: 'user', id: target.id },
      ownerId: target.id,
      facts: { mode },
    });
    await oweSecurityNotice(ctx, tx, caller, { event: 'api-key-read', userId: target.id, to: target.email });
    if (mode === 'rotate')
      return renewApiKey(ctx, tx, target.id, readPolicy(target.policy, target.is_local === 1).api_key_lifetime);
    return ctx.keys.openText('api-key', row.sealed, `${target.id}/${row.id}`);
  });
}

/** The name a person signs in with: their address, or their user id. */
export async function findByLogin(ctx: Ctx, login: string): Promise<UserRow | undefined> {
  const address = parseAddress(login, { allowSingleLabel: true });
  return address === null ? findUser(ctx.db.read, login) : findUserByEmail(ctx.db.read, address.address);
}

function userNotFound() {
  return notFound('user', 'There is no such user.');
}
