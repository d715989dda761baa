// Browser sessions.
import { listGroups } from '../../db/groups/groups.ts';
import { deleteSession, findSession } from '../../db/sessions/sessions.ts';
import { findUser } from '../../db/users/users.ts';
import type { Caller } from '../../domain/caller.ts';
import { notFound, type Problem } from '../../domain/problem.ts';
import { needsPasskey } from '../../domain/sessions.ts';
import type { User } from '../../domain/users.ts';
import { isRightRecoveryCode } from '../account/recovery-codes.ts';
import { isRightTotp } from '../account/totp.ts';
import { requireAttempt, tryOnce } from '../attempts.ts';
import type { Ctx } from '../context.ts';
import { type NewSession, openSessionFor } from './open-session.ts';
import { isRememberedBrowser } from './remembered-browsers.ts';
import { withPassword } from './sign-in.ts';
import { placeOf } from './sign-in-networks.ts';

export async function signInWithPassword(
  ctx: Ctx,
  caller: Caller,
  {
    login,
    password,
    keep,
    remembered,
  }: { login: string; password: string; keep: boolean; remembered?: string | undefined },
): Promise<NewSession> {
  return withPassword(ctx, caller, { login, password }, async (tx, user, proof) => {
    const isRemembered =
      proof.kind === 'password' &&
      remembered !== undefined &&
      (await isRememberedBrowser(ctx, tx, user.id, remembered));
    const reached = isRemembered ? ({ kind: 'remembered_browser' } as const) : proof;
    return openSessionFor(ctx, tx, caller, { user, proof: reached, keep });
  });
}

export async function passSecondStep(
  ctx: Ctx,
  caller: Caller,
  { pendingToken, code, keep }: { pendingToken: string; code: string; keep: boolean },
): Promise<NewSession | null> {
  const pendingHash = ctx.keys.hash('session', pendingToken);
  const user = await findPendingUser(ctx, pendingToken);
  if (user === null) throw signInAgain();
  if (needsPasskey(user)) return null;
  const attempt = await requireAttempt(ctx, ['secondStep'], await placeOf(ctx, user.id, caller.from.address));
  const isRecovery = code.replace(/\s/g, '').length > 6;
  const isRight = () => (isRecovery ? isRightRecoveryCode(ctx, caller, user, code) : isRightTotp(ctx, user, code));
  if (!(await tryOnce(ctx, attempt, isRight))) return null;
  const proof = { kind: isRecovery ? 'recovery_code' : 'totp', pendingHash } as const;
  const session = await ctx.db.write((tx) => openSessionFor(ctx, tx, caller, { user, proof, keep }));
  if (session === null) throw signInAgain();
  return session;
}

/** Who has given a password and no second step. */
export async function findPendingUser(ctx: Ctx, pendingToken: string): Promise<User | null> {
  const pending = await findSession(ctx.db.read, ctx.keys.hash('session', pendingToken), ctx.clock.now());
  const user = pending?.state === 'pending' ? await findUser(ctx.db.read, pending.userId) : undefined;
  return user?.state === 'active' ? user : null;
}

function signInAgain(): Problem {
  return notFound('session', 'Sign in again.');
}

/** For a page that does not know the user: the minimum over all groups. */
export async function shortestKeptHours(ctx: Ctx): Promise<number> {
  const groups = await listGroups(ctx.db.read);
  return Math.min(...groups.map((group) => group.policy.session_hours));
}

export async function signOut(ctx: Ctx, token: string): Promise<void> {
  await ctx.db.write((tx) => deleteSession(tx, ctx.keys.hash('session', token)));
}

/** Bound to the session, so that other sites cannot forge a request. */
export function csrfToken(ctx: Ctx, sessionToken: string): string {
  return ctx.keys.hash('csrf', sessionToken).toString('base64url');
}
