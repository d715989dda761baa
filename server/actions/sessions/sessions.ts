// Sign-in pages: sessions with an optional second factor, sign-out, forgotten passwords, invitations (security D3,
// state machine SM8).
import { countFailure } from '../../db/attempts.ts';
import { listGroups } from '../../db/groups.ts';
import {
  consumeToken,
  deleteSession,
  deleteSessionsOf,
  findSession,
  findToken,
  insertSession,
  replaceToken,
} from '../../db/proofs.ts';
import type { Tx } from '../../db/schema.ts';
import { findUser, findUserByEmail, noteSeen, updateUser } from '../../db/users.ts';
import { type Caller, isAdministrator, type UserCaller } from '../../domain/caller.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import { demandGoodPassword, displayName, readName, type User } from '../../domain/users.ts';
import { parseAddress } from '../../lib/address.ts';
import { dateOf } from '../../lib/dates.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import { oweSecurityNotice } from '../account/security-notices.ts';
import { isRightTotp } from '../account/totp.ts';
import { clearTries, demandTry, type TryLimit } from '../attempts.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { oweMail } from '../outbox.ts';
import { signIn } from './sign-in.ts';

export interface NewSession {
  token: string;
  /** True: the password was right, the second factor is still missing; the session opens nothing yet. */
  needsSecondFactor: boolean;
  user: User;
  /** How long its cookie is kept; null for as long as the browser runs. */
  keptSeconds: number | null;
}

const pendingMs = 10 * 60_000;
const absoluteMs = { user: 12 * 3_600_000, administrator: 8 * 3_600_000 };

/** The first step: address and password. */
export async function openSession(
  ctx: Ctx,
  caller: Caller,
  login: string,
  password: string,
  keep: boolean,
): Promise<NewSession> {
  const user = await signIn(ctx, caller, login, password);
  const needsSecondFactor = user.totpState === 'on';
  const token = await ctx.db.write((tx) =>
    addSession(ctx, tx, caller, user, needsSecondFactor ? 'pending' : 'active', keep),
  );
  return { token, needsSecondFactor, user, keptSeconds: keptSeconds(user, keep) };
}

async function addSession(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  user: User,
  state: 'active' | 'pending',
  keep: boolean,
): Promise<string> {
  const token = ctx.random.id(44);
  const now = ctx.clock.now();
  const unkeptMs = isAdministrator(user) ? absoluteMs.administrator : absoluteMs.user;
  const longest = keep ? user.policy.session_hours * 3_600_000 : unkeptMs;
  await insertSession(tx, {
    id_hash: ctx.keys.hash('session', token),
    user_id: user.id,
    state,
    is_kept: keep ? 1 : 0,
    created_at: now,
    active_at: now,
    expires_at: now + (state === 'pending' ? pendingMs : longest),
    remote_ip: caller.from.address,
    user_agent: caller.from.agent,
  });
  if (state === 'active') {
    await noteSeen(tx, user.id, now);
    await record(ctx, tx, caller, {
      action: 'user.signed_in',
      object: { kind: 'user', id: user.id },
      ownerId: user.id,
    });
  }
  return token;
}

/** The second step: the code of the authenticator app. A fresh session replaces the pending one. */
export async function passSecondFactor(
  ctx: Ctx,
  caller: Caller,
  pendingToken: string,
  code: string,
  keep: boolean,
): Promise<NewSession | null> {
  const idHash = ctx.keys.hash('session', pendingToken);
  const session = await findSession(ctx.db.read, idHash, ctx.clock.now());
  if (session === undefined || session.state !== 'pending') throw notFound('session', 'Sign in again.');
  const user = await findUser(ctx.db.read, session.user_id);
  if (user === undefined || user.state !== 'active') throw notFound('session', 'Sign in again.');
  const limit: TryLimit = { key: `totp:${user.id}`, most: 5, windowMs: 5 * 60_000, closedMs: 5 * 60_000 };
  await demandTry(ctx, limit);
  if (!(await isRightTotp(ctx, user, code))) return null;
  await clearTries(ctx, limit.key);
  const token = await ctx.db.write(async (tx) => {
    await deleteSession(tx, idHash);
    return addSession(ctx, tx, caller, user, 'active', keep);
  });
  return { token, needsSecondFactor: false, user, keptSeconds: keptSeconds(user, keep) };
}

function keptSeconds(user: User, keep: boolean): number | null {
  return keep ? user.policy.session_hours * 3600 : null;
}

/** How long "keep me signed in" lasts, for a page that does not know who signs in: what every group grants. */
export async function shortestKeptHours(ctx: Ctx): Promise<number> {
  const groups = await listGroups(ctx.db.read);
  return Math.min(...groups.map((group) => group.policy.session_hours));
}

export async function signOut(ctx: Ctx, token: string): Promise<void> {
  await ctx.db.write((tx) => deleteSession(tx, ctx.keys.hash('session', token)));
}

/** Bound to the session, so that only our own pages can post with it (security D4). */
export function csrfToken(ctx: Ctx, sessionToken: string): string {
  return ctx.keys.hash('csrf', sessionToken).toString('base64url');
}

const resetMs = 3_600_000;
export const resetMinutes = resetMs / 60_000;

/** Mails a link to choose a new password. The answer is the same for every address. */
export async function requestReset(ctx: Ctx, caller: Caller, typed: string): Promise<void> {
  const address = parseAddress(typed.trim(), { allowSingleLabel: true })?.address;
  if (address === undefined) return;
  const perAccount = { key: `reset:${address}`, most: 3 };
  const perNetwork = { key: `reset-from:${networkOf(caller.from.address)}`, most: 10 };
  const user = await findUserByEmail(ctx.db.read, address);
  await ctx.db.write(async (tx) => {
    const isWithinLimits = (await isCounted(ctx, tx, perAccount)) && (await isCounted(ctx, tx, perNetwork));
    if (!isWithinLimits || user === undefined || user.state !== 'active') return;
    const url = await oneTimeUrl(ctx, tx, 'reset', user.id, resetMs);
    await oweMail(ctx, tx, {
      kind: 'reset',
      to: address,
      ownerId: user.id,
      expiresAt: ctx.clock.now() + resetMs,
      payload: { reference: user.id, address, url, minutes: resetMinutes },
    });
    await record(ctx, tx, caller, {
      action: 'password.reset_asked',
      object: { kind: 'user', id: user.id },
      ownerId: user.id,
    });
  });
}

/** Counts a request of this hour; exact also for requests that arrive together. */
async function isCounted(ctx: Ctx, tx: Tx, limit: { key: string; most: number }): Promise<boolean> {
  return (await countFailure(tx, limit.key, ctx.clock.now(), 3_600_000, limit.most + 1)).failures <= limit.most;
}

const invitationMs = 7 * 86_400_000;

/** Invites a person who has an account without a password. */
export async function invite(
  ctx: Ctx,
  tx: Tx,
  inviter: UserCaller,
  user: { id: string; email: string },
): Promise<void> {
  const url = await oneTimeUrl(ctx, tx, 'invitation', user.id, invitationMs);
  await oweMail(ctx, tx, {
    kind: 'invitation',
    to: user.email,
    ownerId: inviter.userId,
    payload: {
      reference: user.id,
      inviter: displayName(inviter),
      address: user.email,
      url,
      expiresOn: dateOf(ctx.clock.now() + invitationMs, ctx.settings.surroundings.timeZone),
    },
  });
}

async function oneTimeUrl(
  ctx: Ctx,
  tx: Tx,
  kind: 'reset' | 'invitation',
  userId: string,
  lifetimeMs: number,
): Promise<string> {
  const token = ctx.random.id(44);
  const now = ctx.clock.now();
  await replaceToken(tx, { idHash: ctx.keys.hash('one-time', token), kind, userId, now, expiresAt: now + lifetimeMs });
  return `${ctx.settings.surroundings.baseUrl}/${kind === 'reset' ? 'reset' : 'invite'}/${token}`;
}

export type OneTimeLink =
  | { is: 'open'; user: User; kind: 'reset' | 'invitation' }
  | { is: 'used' }
  | { is: 'expired' }
  | { is: 'unknown' };

/** Looking at a link uses nothing. */
export async function findOneTimeLink(ctx: Ctx, token: string): Promise<OneTimeLink> {
  const row = await findToken(ctx.db.read, ctx.keys.hash('one-time', token));
  if (row === undefined) return { is: 'unknown' };
  if (row.used_at !== null) return { is: 'used' };
  if (row.expires_at <= ctx.clock.now()) return { is: 'expired' };
  const user = await findUser(ctx.db.read, row.user_id);
  return user === undefined || user.state !== 'active' ? { is: 'unknown' } : { is: 'open', user, kind: row.kind };
}

/** Sets the password and ends every session. Of any number of parallel tries one wins. */
export async function choosePassword(
  ctx: Ctx,
  caller: Caller,
  token: string,
  kind: 'reset' | 'invitation',
  input: { password: string; name: string | null },
): Promise<void> {
  const link = await findOneTimeLink(ctx, token);
  if (link.is !== 'open' || link.kind !== kind)
    throw invalid('token.used', 'This link was already used. Sign in, or get a new one.');
  const { user } = link;
  const name = input.name === null ? user.name : readName(input.name);
  demandGoodPassword(input.password, [name, user.email, ctx.settings.current().organisationName]);
  const passwordHash = await ctx.keys.passwords.hashPassword(input.password);
  await ctx.db.write(async (tx) => {
    if (!(await consumeToken(tx, ctx.keys.hash('one-time', token), ctx.clock.now()))) {
      throw invalid('token.used', 'This link was already used. Sign in, or get a new one.');
    }
    await updateUser(tx, user.id, { passwordHash, name }, ctx.clock.now());
    await deleteSessionsOf(tx, user.id);
    await record(ctx, tx, caller, {
      action: 'password.changed',
      object: { kind: 'user', id: user.id },
      ownerId: user.id,
      facts: { way: link.kind },
    });
    // A first password is no news to the one who chose it.
    if (kind === 'reset')
      await oweSecurityNotice(ctx, tx, caller, { event: 'password-changed', userId: user.id, to: user.email });
  });
}
