// Identifies visitors of recipient pages: the signed-in account, and the addresses this browser has proven.
import { type AddressProof, listProofs } from '../../db/sessions/codes.ts';
import { findSession, touchSession } from '../../db/sessions/sessions.ts';
import { findUser, noteSeen } from '../../db/users/users.ts';
import { confirmedEmail, confirmedRecipientAliases } from '../../domain/addresses.ts';
import type { Identity } from '../../domain/audience.ts';
import type { Origin, UserCaller } from '../../domain/caller.ts';
import { mayComeFrom } from '../../domain/networks.ts';
import { isPrivileged } from '../../domain/roles.ts';
import { type RequiredStep, requiredOf } from '../../domain/sessions.ts';
import type { User } from '../../domain/users.ts';
import type { Ctx } from '../context.ts';

export interface BrowserTokens {
  session: string | undefined;
  proof: string | undefined;
  /** An account that may not be used from this address is ignored. */
  address: string;
}

export interface Visitor {
  identity: Identity;
  /** Of the addresses in `identity`. */
  proofs: readonly AddressProof[];
  user: User | null;
  restricted: Restricted | null;
}

export interface Restricted {
  user: User;
  requires: Exclude<RequiredStep, 'second_step'>;
}

const idleMs = { user: 60 * 60_000, administrator: 30 * 60_000 };

/** For sessions without "keep me signed in". */
export function maxIdleMs(user: Pick<User, 'role'>): number {
  return isPrivileged(user) ? idleMs.administrator : idleMs.user;
}

const touchEveryMs = 60_000;

/** Ignores disabled accounts, ended sessions and expired proofs. */
export async function identify(ctx: Ctx, tokens: BrowserTokens): Promise<Visitor> {
  const found = tokens.session === undefined ? null : await findSignedIn(ctx, tokens.session);
  const signedIn = found !== null && mayComeFrom(found, tokens.address) ? found : null;
  const requires = signedIn === null ? null : requiredOf(signedIn);
  const restricted = signedIn === null || requires === null ? null : { user: signedIn, requires };
  const user = restricted === null ? signedIn : null;
  const proofs =
    tokens.proof === undefined
      ? []
      : await listProofs(ctx.db.read, ctx.keys.hash('proof', tokens.proof), ctx.clock.now());
  return { identity: identityOf(user, proofs), proofs, user, restricted };
}

function identityOf(user: User | null, proofs: readonly AddressProof[]): Identity {
  const codeOnly = proofs.filter(({ passkeyId, hasPasskey }) => hasPasskey && passkeyId === '');
  return {
    provenAddresses: proofs.map(({ address }) => address),
    ...(codeOnly.length === 0 ? {} : { codeOnly: codeOnly.map(({ address }) => address) }),
    account: user === null ? null : accountOf(user),
  };
}

/** Null for an ended or idle session. `isPassive`: the request is no activity. */
export async function findSignedIn(
  ctx: Ctx,
  token: string,
  { isPassive = false }: { isPassive?: boolean } = {},
): Promise<(User & { hasSecondStep?: boolean }) | null> {
  const now = ctx.clock.now();
  const idHash = ctx.keys.hash('session', token);
  const session = await findSession(ctx.db.read, idHash, now);
  if (session === undefined || session.state !== 'active') return null;
  const user = await findUser(ctx.db.read, session.userId);
  if (user === undefined || user.state !== 'active') return null;
  if (!session.isKept && session.activeAt + maxIdleMs(user) < now) return null;
  if (!isPassive && session.activeAt + touchEveryMs < now) {
    await ctx.db.write(async (tx) => {
      await touchSession(tx, idHash, now);
      await noteSeen(tx, user.id, now);
    });
  }
  return session.hasSecondStep ? { ...user, hasSecondStep: true } : user;
}

/** Until the session ends without activity. */
export async function remainingOf(ctx: Ctx, token: string): Promise<{ ms: number; canStay: boolean } | null> {
  const now = ctx.clock.now();
  const session = await findSession(ctx.db.read, ctx.keys.hash('session', token), now);
  const user = session?.state === 'active' ? await findUser(ctx.db.read, session.userId) : undefined;
  if (session === undefined || user === undefined) return null;
  const idleAt = session.isKept ? session.expiresAt : session.activeAt + maxIdleMs(user);
  return { ms: Math.max(0, Math.min(idleAt, session.expiresAt) - now), canStay: idleAt < session.expiresAt };
}

export async function isSessionAlive(ctx: Ctx, token: string): Promise<boolean> {
  return (await findSignedIn(ctx, token, { isPassive: true })) !== null;
}

/** For background activity. Does not renew an ended session. */
export async function keepSessionAwake(ctx: Ctx, token: string): Promise<void> {
  const now = ctx.clock.now();
  const idHash = ctx.keys.hash('session', token);
  const session = await findSession(ctx.db.read, idHash, now);
  if (session?.state === 'active') await ctx.db.write((tx) => touchSession(tx, idHash, now));
}

export function accountOf(user: User): NonNullable<Identity['account']> {
  return { address: confirmedEmail(user), recipientAliases: confirmedRecipientAliases(user), isLocal: user.isLocal };
}

export function callerOf(user: User, from: Origin, sessionHash: Buffer | null = null): UserCaller {
  return {
    kind: 'user',
    userId: user.id,
    name: user.name,
    email: user.email,
    senderAliases: user.senderAliases,
    recipientAliases: user.recipientAliases,
    provenAddresses: user.provenAddresses,
    defaultSenderAlias: user.defaultSenderAlias,
    groupId: user.groupId,
    groupName: user.groupName,
    isLocal: user.isLocal,
    role: user.role,
    policy: user.policy,
    apiKeyId: null,
    sessionHash,
    apiKeyExpiresAt: null,
    from,
  };
}
