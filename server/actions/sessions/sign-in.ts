// Signing in with a password. One function for every way in, with the same words, limits and cost for an unknown
// address and a wrong password (security D2, D11, D12).

import type { Tx } from '../../db/schema/schema.ts';
import { findAttempts } from '../../db/sessions/attempts.ts';
import { findUser, lockUser, noteSeen, replacePasswordHash } from '../../db/users/users.ts';
import { attemptLimits } from '../../domain/attempt-limits.ts';
import type { Caller } from '../../domain/caller.ts';
import { demandGroupNetwork } from '../../domain/networks.ts';
import { Problem } from '../../domain/problem.ts';
import type { User } from '../../domain/users.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import { findByLogin, revealOwnKey } from '../api-keys/api-keys.ts';
import { type Attempt, type AttemptLimit, clearAttempts, takeAttempt } from '../attempts.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';

/** Added to every attempt while an account is being guessed at from many networks; it is never closed to its owner. */
const slowDownMs = 10_000;

/**
 * What `make` makes of a sign-in, in a transaction in which the account is still what it was when the password was looked at.
 * Looking takes a while: a session made after the password was replaced, or the account switched off, would outlive both.
 */
export async function signInAnd<Made>(
  ctx: Ctx,
  caller: Caller,
  { login, password }: { login: string; password: string },
  make: (tx: Tx, user: User) => Promise<Made>,
): Promise<Made> {
  for (;;) {
    const user = await signIn(ctx, caller, login, password);
    const made = await ctx.db.write(async (tx) => ((await isStillSo(tx, user)) ? { is: await make(tx, user) } : null));
    // Changed meanwhile, so it is looked at again: a hash may only have been made stronger.
    if (made !== null) return made.is;
  }
}

async function isStillSo(tx: Tx, user: User): Promise<boolean> {
  await lockUser(tx, user.id);
  const current = await findUser(tx, user.id);
  const same = ['state', 'passwordHash', 'totpState', 'groupId', 'role'] as const;
  return current !== undefined && same.every((field) => current[field] === user[field]);
}

/** The person, or a refusal that tells nothing about which half was wrong. */
async function signIn(ctx: Ctx, caller: Caller, login: string, password: string): Promise<User> {
  const network = networkOf(caller.from.address);
  const user = await findByLogin(ctx, login);
  // A person has more than one name here; the door is the person's, whichever name is tried.
  const account = user?.id ?? login.toLowerCase().slice(0, 320);
  const perNetwork = { key: `login:${account}:${network}`, ...attemptLimits.signIn };
  const perAccount = { key: `login:${account}`, ...attemptLimits.signInFromEverywhere };
  if (await isReached(ctx, perAccount)) await new Promise((resolve) => setTimeout(resolve, slowDownMs));
  // A closed door answers like a wrong password, so that it tells nothing either.
  const attempt = await takeAttempt(ctx, perNetwork);
  const { isAllowed } = attempt;
  const canTry = isAllowed && user !== undefined && user.passwordHash !== null && user.state === 'active';
  const verdict = canTry ? await ctx.keys.passwords.verifyPassword(password, user.passwordHash!, network) : null;
  if (!canTry) await ctx.keys.passwords.verifyNothing(network);
  if (verdict === null || !verdict.ok || user === undefined) {
    await takeAttempt(ctx, perAccount);
    await tellFailure(ctx, caller, { user, attempt, limit: perNetwork });
    throw new Problem('unauthenticated', 'login.wrong', 'That e-mail address and password don’t match.');
  }
  await clearAttempts(ctx, perNetwork.key);
  // Said only to somebody who knows the password.
  demandGroupNetwork(user, caller.from.address);
  return verdict.needsRehash ? withStrongerHash(ctx, user, { password, network }) : user;
}

/** Never in the place of a password that was chosen meanwhile. */
async function withStrongerHash(
  ctx: Ctx,
  user: User,
  { password, network }: { password: string; network: string },
): Promise<User> {
  const passwordHash = await ctx.keys.passwords.hashPassword(password, network);
  const hashes = { from: user.passwordHash!, to: passwordHash };
  await ctx.db.write((tx) => replacePasswordHash(tx, user.id, hashes, ctx.clock.now()));
  return { ...user, passwordHash };
}

/** Failures of people we know are events; names nobody has are logged alone, so that strangers fill no table. */
async function tellFailure(
  ctx: Ctx,
  caller: Caller,
  { user, attempt, limit }: { user: User | undefined; attempt: Attempt; limit: AttemptLimit },
): Promise<void> {
  const network = networkOf(caller.from.address);
  const isLocked = attempt.isAllowed && attempt.left === 0;
  const minutes = Math.round(limit.closedMs / 60_000);
  const facts = { user: user?.id ?? 'unknown', network, requestId: caller.from.requestId };
  if (isLocked) ctx.log.warn({ ...facts, minutes }, 'sign-in is locked after too many wrong passwords');
  else ctx.log.info(facts, attempt.isAllowed ? 'a sign-in failed' : 'a sign-in was refused because it is locked');
  // While it is locked nothing new is learnt from each further attempt.
  if (user === undefined || !attempt.isAllowed) return;
  const about = { object: { kind: 'user', id: user.id }, ownerId: user.id } as const;
  await ctx.db.write(async (tx) => {
    const failures = limit.most - attempt.left;
    await record(ctx, tx, caller, { action: 'user.sign_in_failed', ...about, facts: { failures } });
    if (isLocked)
      await record(ctx, tx, caller, { action: 'user.sign_in_locked', ...about, facts: { network, minutes } });
  });
}

async function isReached(ctx: Ctx, limit: AttemptLimit): Promise<boolean> {
  const found = await findAttempts(ctx.db.read, limit.key);
  return found !== undefined && found.failures >= limit.most && found.windowEndsAt > ctx.clock.now();
}

/** `POST /login`: the key for a password. Refused where a second factor is set up or demanded: a password is not enough. */
export async function logInForKey(ctx: Ctx, caller: Caller, login: string, password: string): Promise<string> {
  const user = await signInAnd(ctx, caller, { login, password }, async (tx, found) => {
    if (found.policy.require_second_factor === 'required' || found.totpState === 'on')
      throw new Problem(
        'unauthenticated',
        'login.second_factor',
        'Your account needs a second step at sign-in. Get your API key from your account page.',
      );
    if (found.mustChangePassword)
      throw new Problem(
        'unauthenticated',
        'login.password_change',
        'An administrator has set your password. Sign in with a browser and choose another one first.',
      );
    await noteSeen(tx, found.id, ctx.clock.now());
    await record(ctx, tx, caller, {
      action: 'user.logged_in',
      object: { kind: 'user', id: found.id },
      ownerId: found.id,
      facts: { way: 'api' },
    });
    return found;
  });
  return revealOwnKey(ctx, user);
}
