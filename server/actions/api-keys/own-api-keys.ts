// The caller's own API keys. Named keys are shown once (docs/adr/0030).
import { deleteApiKey, listApiKeysOf, markApiKeyReplaced, openApiKey } from '../../db/api-keys/api-keys.ts';
import { listEventsOf } from '../../db/events/events.ts';
import type { Query, Tx } from '../../db/schema/schema.ts';
import { findUser, lockUser } from '../../db/users/users.ts';
import { type ApiKey, isExpired } from '../../domain/api-keys.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { Happening } from '../../domain/events.ts';
import { resolveExpiry } from '../../domain/expiry.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import { displayName } from '../../domain/users.ts';
import { dateInWords, dateOf } from '../../lib/dates.ts';
import { requirePassword } from '../account/security.ts';
import { queueSecurityNotice } from '../account/security-notices.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { addApiKey } from './api-keys.ts';

export interface OwnApiKey extends ApiKey {
  state: 'active' | 'replaced' | 'expired';
  isCurrent: boolean;
  /** When an administrator last read it. */
  read: { by: string; at: number } | null;
}

export interface NewApiKey extends OwnApiKey {
  key: string;
}

/** How long a replaced key keeps working. */
const overlapMs = 24 * 3_600_000;
const maxKeys = 20;
const maxLifetimeDays = 3650;

export async function listOwnKeys(ctx: Ctx, caller: UserCaller): Promise<OwnApiKey[]> {
  const keys = await listApiKeysOf(ctx.db.read, caller.userId);
  const [read] = await listEventsOf(ctx.db.read, { kind: 'user', id: caller.userId }, ['api_key.read'], { size: 1 });
  const reader = read === undefined ? undefined : await findUser(ctx.db.read, read.actorId);
  const by = reader === undefined ? '' : displayName(reader);
  return keys.map((key) => ({
    ...describe(ctx, caller, key),
    read: read !== undefined && key.kind === 'account' && read.at >= key.createdAt ? { by, at: read.at } : null,
  }));
}

function describe(ctx: Ctx, caller: UserCaller, key: ApiKey): OwnApiKey {
  const unexpired = key.replacedAt === null ? 'active' : 'replaced';
  return {
    ...key,
    state: isExpired(key, ctx.clock.now()) ? 'expired' : unexpired,
    isCurrent: key.id === caller.apiKeyId,
    read: null,
  };
}

export async function createOwnKey(
  ctx: Ctx,
  caller: UserCaller,
  input: { name: string; expiresOn: string | undefined },
): Promise<NewApiKey> {
  const name = readKeyName(input.name);
  const expiresAt = resolveKeyExpiry(ctx, caller, input.expiresOn);
  return ctx.db.write(async (tx) => newKey(ctx, tx, caller, await addOwnKey(ctx, tx, caller, { name, expiresAt })));
}

async function addOwnKey(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  input: Pick<ApiKey, 'name' | 'expiresAt'>,
): Promise<{ id: string; key: string }> {
  await assertBelowKeyLimit(tx, caller);
  const created = await addApiKey(ctx, tx, { userId: caller.userId, kind: 'named', ...input });
  await recordAndNotify(ctx, tx, caller, { ...about(caller, created.id), action: 'api_key.created' });
  return created;
}

/** For a program its owner has just confirmed. */
export async function addProgramKey(ctx: Ctx, tx: Tx, caller: UserCaller, name: string): Promise<string> {
  return (await addOwnKey(ctx, tx, caller, { name, expiresAt: resolveByPolicy(ctx, caller, undefined) })).key;
}

/**
 * The old key works for 24 more hours, or ends now. A caller with only a key needs the password to replace the
 * account's key.
 */
export async function replaceOwnKey(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  { endsNow, password }: { endsNow: boolean; password: string | undefined },
): Promise<NewApiKey> {
  const { kind } = await getOwn(ctx.db.read, caller, id);
  const needsPassword = kind === 'account' && caller.apiKeyId !== null;
  if (needsPassword) await requirePassword(ctx, caller, password ?? '', 'password');
  const expiresAt = (needsPassword ? resolveByPolicy : resolveKeyExpiry)(ctx, caller, undefined);
  return ctx.db.write(async (tx) => {
    await assertBelowKeyLimit(tx, caller);
    const now = ctx.clock.now();
    const old = await getOwn(tx, caller, id);
    if (!(await markApiKeyReplaced(tx, { userId: caller.userId, id, now, endsAt: now + overlapMs })))
      throw invalid('api_key.replaced', 'This key has been replaced already. Replace the newer one.');
    if (endsNow) {
      await deleteApiKey(tx, caller.userId, id);
      await record(ctx, tx, caller, { ...about(caller, id), action: 'api_key.revoked' });
    }
    const created = await addApiKey(ctx, tx, { userId: caller.userId, kind: old.kind, name: old.name, expiresAt });
    await recordAndNotify(ctx, tx, caller, {
      ...about(caller, created.id),
      action: 'api_key.replaced',
      facts: { old: id, ended_now: endsNow },
    });
    return newKey(ctx, tx, caller, created);
  });
}

/** Named keys cannot be recovered. */
export async function showOwnKey(ctx: Ctx, caller: UserCaller, id: string, password: string): Promise<string> {
  const { kind } = await getOwn(ctx.db.read, caller, id);
  if (kind === 'named')
    throw invalid('api_key.shown_once', 'This key was shown when it was created. Replace it to get a new one.');
  await requirePassword(ctx, caller, password, 'password');
  return ctx.db.write(async (tx) => {
    await record(ctx, tx, caller, { ...about(caller, id), action: 'api_key.shown' });
    const key = await openApiKey(tx, id);
    if (key === null) throw notFound('api_key');
    return key;
  });
}

async function getOwn(db: Query, caller: UserCaller, id: string): Promise<ApiKey> {
  const key = (await listApiKeysOf(db, caller.userId)).find((candidate) => candidate.id === id);
  if (key === undefined) throw notFound('api_key');
  return key;
}

/** Takes effect with the next call. */
export async function deleteOwnKey(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    if (!(await deleteApiKey(tx, caller.userId, id))) throw notFound('api_key');
    await recordAndNotify(ctx, tx, caller, { ...about(caller, id), action: 'api_key.revoked' });
  });
}

export function readKeyName(text: string): string {
  const name = text.trim().normalize('NFC');
  if (name === '' || name.length > 100 || /[\u0000-\u001f\u007f]/.test(name))
    throw invalid(
      'api_key.bad_name',
      'Give the key a name of at most 100 characters, such as the program it is for.',
      'name',
    );
  return name;
}

/** Limited by the group's lifetime and by the expiry of the key that creates it. */
function resolveKeyExpiry(ctx: Ctx, caller: UserCaller, input: string | undefined): number | null {
  const expiresAt = resolveByPolicy(ctx, caller, input);
  const latest = caller.apiKeyId === null ? null : caller.apiKeyExpiresAt;
  if (latest === null || (expiresAt !== null && expiresAt <= latest)) return expiresAt;
  if (input === undefined) return latest;
  const last = dateOf(latest, ctx.settings.surroundings.timeZone);
  throw invalid(
    'api_key.outlives',
    `The key you are calling with expires on ${dateInWords(last)}. Choose an earlier date, or sign in to create this key.`,
    'expires_at',
  ).withValues({ date: { date: last } });
}

function resolveByPolicy(ctx: Ctx, caller: UserCaller, input: string | undefined): number | null {
  const lifetimeDays = caller.policy.api_key_lifetime;
  if (input === undefined) return lifetimeDays === 0 ? null : ctx.clock.now() + lifetimeDays * 86_400_000;
  return resolveExpiry({
    input,
    defaultDays: lifetimeDays,
    maxDays: lifetimeDays === 0 ? maxLifetimeDays : lifetimeDays,
    mayChange: true,
    now: ctx.clock.now(),
    timeZone: ctx.settings.surroundings.timeZone,
    noun: 'api_key',
  }).at;
}

/** Exact under concurrent requests. */
export async function assertBelowKeyLimit(tx: Tx, caller: UserCaller): Promise<void> {
  await lockUser(tx, caller.userId);
  if ((await listApiKeysOf(tx, caller.userId)).length < maxKeys) return;
  throw invalid('api_key.limit', `You can have ${maxKeys} keys at most. Delete one you no longer need.`).withValues({
    n: maxKeys,
  });
}

function about(caller: UserCaller, id: string) {
  return { object: { kind: 'api_key', id }, ownerId: caller.userId } as const;
}

async function recordAndNotify(ctx: Ctx, tx: Tx, caller: UserCaller, happening: Happening): Promise<void> {
  await record(ctx, tx, caller, happening);
  await queueSecurityNotice(ctx, tx, caller, { event: 'api-key-changed', userId: caller.userId, to: caller.email });
}

async function newKey(ctx: Ctx, tx: Tx, caller: UserCaller, created: { id: string; key: string }): Promise<NewApiKey> {
  return { ...describe(ctx, caller, await getOwn(tx, caller, created.id)), key: created.key };
}
