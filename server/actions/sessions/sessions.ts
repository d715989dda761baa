// Browser sessions: opened by a password and, where it is set up, a second factor; ended by signing out (security D3,
// state machine SM8).
import { listGroups } from '../../db/groups/groups.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { deleteSession, findSession, insertSession } from '../../db/sessions/sessions.ts';
import { findUser, noteSeen } from '../../db/users/users.ts';
import type { Caller } from '../../domain/caller.ts';
import { notFound, type Problem } from '../../domain/problem.ts';
import { isPrivileged } from '../../domain/roles.ts';
import type { Session } from '../../domain/sessions.ts';
import type { User } from '../../domain/users.ts';
import { isRightTotp } from '../account/totp.ts';
import { requireAttempt, tryOnce } from '../attempts.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { signInAnd } from './sign-in.ts';
import { placeOf, rememberNetwork } from './sign-in-networks.ts';

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
  { login, password, keep }: { login: string; password: string; keep: boolean },
): Promise<NewSession> {
  return signInAnd(ctx, caller, { login, password }, async (tx, user) => {
    const needsSecondFactor = user.totpState === 'on';
    const { session, token } = newSession(ctx, caller, user, keep);
    if (needsSecondFactor)
      await insertSession(tx, { ...session, state: 'pending', expiresAt: session.createdAt + pendingMs });
    else await beginSession(ctx, tx, caller, session);
    return { token, needsSecondFactor, user, keptSeconds: keptSeconds(user, keep) };
  });
}

/** The second step: the code of the authenticator app. A fresh session replaces the pending one. */
export async function passSecondFactor(
  ctx: Ctx,
  caller: Caller,
  { pendingToken, code, keep }: { pendingToken: string; code: string; keep: boolean },
): Promise<NewSession | null> {
  const pendingHash = ctx.keys.hash('session', pendingToken);
  const pending = await findSession(ctx.db.read, pendingHash, ctx.clock.now());
  const user = pending?.state === 'pending' ? await findUser(ctx.db.read, pending.userId) : undefined;
  if (user === undefined || user.state !== 'active') throw signInAgain();
  const attempt = await requireAttempt(ctx, ['secondStep'], await placeOf(ctx, user.id, caller.from.address));
  if (!(await tryOnce(ctx, attempt, () => isRightTotp(ctx, user, code)))) return null;
  const { session, token } = newSession(ctx, caller, user, keep);
  await ctx.db.write(async (tx) => {
    // Whatever ends every session has ended this one too, and what was proven for it.
    if (!(await deleteSession(tx, pendingHash))) throw signInAgain();
    await beginSession(ctx, tx, caller, session);
  });
  return { token, needsSecondFactor: false, user, keptSeconds: keptSeconds(user, keep) };
}

function signInAgain(): Problem {
  return notFound('session', 'Sign in again.');
}

function newSession(ctx: Ctx, caller: Caller, user: User, keep: boolean): { session: Session; token: string } {
  const token = ctx.random.id(44);
  const now = ctx.clock.now();
  const unkeptMs = isPrivileged(user) ? absoluteMs.administrator : absoluteMs.user;
  const session: Session = {
    idHash: ctx.keys.hash('session', token),
    userId: user.id,
    state: 'active',
    isKept: keep,
    createdAt: now,
    activeAt: now,
    expiresAt: now + (keep ? user.policy.session_hours * 3_600_000 : unkeptMs),
    address: caller.from.address,
    agent: caller.from.agent,
  };
  return { session, token };
}

async function beginSession(ctx: Ctx, tx: Tx, caller: Caller, session: Session): Promise<void> {
  const { userId } = session;
  await insertSession(tx, session);
  await noteSeen(tx, userId, session.createdAt);
  await rememberNetwork(ctx, tx, userId, session.address);
  await record(ctx, tx, caller, { action: 'user.signed_in', object: { kind: 'user', id: userId }, ownerId: userId });
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
