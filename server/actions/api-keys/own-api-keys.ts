// The keys of the caller as they see and change them (experience S11). The account's own key keeps its ways (security
// D1); further ones have names and are shown once (docs/adr/0030).
import { deleteApiKey, listApiKeysOf, markApiKeyReplaced, openApiKey } from '../../db/api-keys/api-keys.ts';
import { listEventsOf } from '../../db/events/events.ts';
import type { Query, Tx } from '../../db/schema/schema.ts';
import { findUser, holdUser } from '../../db/users/users.ts';
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
  /** The last time an administrator read it. */
  read: { by: string; at: number } | null;
}

export interface NewApiKey extends OwnApiKey {
  key: string;
}

/** How long a replaced key keeps working. */
const overlapMs = 24 * 3_600_000;
const mostKeys = 20;
const farDays = 3650;

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
  wanted: Pick<ApiKey, 'name' | 'expiresAt'>,
): Promise<{ id: string; key: string }> {
  await requireRoom(tx, caller);
  const made = await addApiKey(ctx, tx, { userId: caller.userId, kind: 'named', ...wanted });
  await note(ctx, tx, caller, { ...about(caller, made.id), action: 'api_key.created' });
  return made;
}

/** The key of a program that its owner has just confirmed, for as long as their group says. */
export async function addProgramKey(ctx: Ctx, tx: Tx, caller: UserCaller, name: string): Promise<string> {
  return (await addOwnKey(ctx, tx, caller, { name, expiresAt: resolveByPolicy(ctx, caller, undefined) })).key;
}

/**
 * The new key takes the place of the old one, which works 24 hours more, so that there is time to update programs; or, when
 * somebody else may know it, ends now. A caller who has only a key cannot get the account's own key with it.
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
    await requireRoom(tx, caller);
    const now = ctx.clock.now();
    const old = await getOwn(tx, caller, id);
    if (!(await markApiKeyReplaced(tx, { userId: caller.userId, id, now, endsAt: now + overlapMs })))
      throw invalid('api_key.replaced', 'This key has been replaced already. Replace the newer one.');
    if (endsNow) {
      await deleteApiKey(tx, caller.userId, id);
      await record(ctx, tx, caller, { ...about(caller, id), action: 'api_key.revoked' });
    }
    const made = await addApiKey(ctx, tx, { userId: caller.userId, kind: old.kind, name: old.name, expiresAt });
    await note(ctx, tx, caller, {
      ...about(caller, made.id),
      action: 'api_key.replaced',
      facts: { old: id, ended_now: endsNow },
    });
    return newKey(ctx, tx, caller, made);
  });
}

/** The account's own key in clear, for whoever knows the password. Named keys are known to nobody any more. */
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

/** At once: the next call with it is refused. */
export async function deleteOwnKey(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    if (!(await deleteApiKey(tx, caller.userId, id))) throw notFound('api_key');
    await note(ctx, tx, caller, { ...about(caller, id), action: 'api_key.revoked' });
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

/** As the group says and the person wishes, but never longer than the key it is made with. */
function resolveKeyExpiry(ctx: Ctx, caller: UserCaller, requested: string | undefined): number | null {
  const settled = resolveByPolicy(ctx, caller, requested);
  const most = caller.apiKeyId === null ? null : caller.apiKeyExpiresAt;
  if (most === null || (settled !== null && settled <= most)) return settled;
  if (requested === undefined) return most;
  const last = dateOf(most, ctx.settings.surroundings.timeZone);
  throw invalid(
    'api_key.outlives',
    `The key you are calling with expires on ${dateInWords(last)}. Choose an earlier date, or sign in to create this key.`,
    'expires_at',
  ).withValues({ date: { date: last } });
}

function resolveByPolicy(ctx: Ctx, caller: UserCaller, requested: string | undefined): number | null {
  const lifetimeDays = caller.policy.api_key_lifetime;
  if (requested === undefined) return lifetimeDays === 0 ? null : ctx.clock.now() + lifetimeDays * 86_400_000;
  return resolveExpiry({
    requested,
    defaultDays: lifetimeDays,
    maxDays: lifetimeDays === 0 ? farDays : lifetimeDays,
    mayChange: true,
    now: ctx.clock.now(),
    timeZone: ctx.settings.surroundings.timeZone,
    noun: 'api_key',
  }).at;
}

/** There is a most of keys, and it holds however many requests race. */
export async function requireRoom(tx: Tx, caller: UserCaller): Promise<void> {
  await holdUser(tx, caller.userId);
  if ((await listApiKeysOf(tx, caller.userId)).length < mostKeys) return;
  throw invalid('api_key.limit', `You can have ${mostKeys} keys at most. Delete one you no longer need.`).withValues({
    n: mostKeys,
  });
}

function about(caller: UserCaller, id: string) {
  return { object: { kind: 'api_key', id }, ownerId: caller.userId } as const;
}

/** Records a change of keys, and tells the person by mail. */
async function note(ctx: Ctx, tx: Tx, caller: UserCaller, happening: Happening): Promise<void> {
  await record(ctx, tx, caller, happening);
  await queueSecurityNotice(ctx, tx, caller, { event: 'api-key-changed', userId: caller.userId, to: caller.email });
}

async function newKey(ctx: Ctx, tx: Tx, caller: UserCaller, made: { id: string; key: string }): Promise<NewApiKey> {
  return { ...describe(ctx, caller, await getOwn(tx, caller, made.id)), key: made.key };
}
