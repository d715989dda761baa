// Signing in with a password. One function for every way in, with the same words, limits and cost for an unknown
// address and a wrong password (security D2, D11, D12).

import type { Tx } from '../../db/schema/schema.ts';
import { findUser, lockUser, noteSeen, replacePasswordHash } from '../../db/users/users.ts';
import { attemptLimits } from '../../domain/attempt-limits.ts';
import type { Caller } from '../../domain/caller.ts';
import { assertGroupNetwork } from '../../domain/networks.ts';
import { Problem } from '../../domain/problem.ts';
import type { User } from '../../domain/users.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import { findByLogin, loginName, revealOwnKey } from '../api-keys/api-keys.ts';
import {
  type Attempt,
  attemptsLeft,
  cancelAttempt,
  forgiveAttempt,
  type LimitNames,
  takeAttempt,
} from '../attempts.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { isKnownNetwork, rememberNetwork } from './sign-in-networks.ts';

const limits: LimitNames = ['signInByNetwork', 'signIn', 'signInByName'];

interface SignedIn {
  user: User;
  attempt: Attempt;
}

/**
 * Runs `make` in a transaction in which the account is still what it was when the password was checked. Checking takes a
 * while: a session created after the password was replaced, or the account switched off, would outlive both.
 */
export async function signInAnd<Made>(
  ctx: Ctx,
  caller: Caller,
  { login, password }: { login: string; password: string },
  make: (tx: Tx, user: User) => Promise<Made>,
): Promise<Made> {
  for (;;) {
    const { user, attempt } = await signIn(ctx, caller, login, password);
    const finish = async (tx: Tx) => {
      const isSame = await isStillSo(tx, user);
      await forgiveAttempt(tx, attempt);
      if (!isSame) return null;
      // Shown only to a caller who knows the password.
      assertGroupNetwork(user, caller.from.address);
      return { is: await make(tx, user) };
    };
    const made = await ctx.db.write(finish).catch(async (error: unknown) => {
      // The password was right, even if a later check refused.
      await ctx.db.write((tx) => forgiveAttempt(tx, attempt));
      throw error;
    });
    // Changed since, so it is checked again: a hash may only have been made stronger.
    if (made !== null) return made.is;
  }
}

async function isStillSo(tx: Tx, user: User): Promise<boolean> {
  await lockUser(tx, user.id);
  const current = await findUser(tx, user.id);
  const same = ['state', 'passwordHash', 'totpState', 'groupId', 'role'] as const;
  return current !== undefined && same.every((field) => current[field] === user[field]);
}

/**
 * The person, or a refusal that does not say what was wrong. An unknown name takes the same statements, the same work
 * and the same time as a known one, and so does an attempt beyond a limit.
 */
async function signIn(ctx: Ctx, caller: Caller, login: string, password: string): Promise<SignedIn> {
  const network = networkOf(caller.from.address);
  const user = await findByLogin(ctx, login);
  const subject = { name: loginName(login), network, account: user?.id ?? '' };
  const attempt = await takeAttempt(ctx, limits, subject);
  const right = await checkPassword(ctx, { user, password, network, attempt });
  if (attempt.delayMs > 0 && (right === null || !(await isKnownNetwork(ctx, right.user.id, caller.from.address))))
    await new Promise((resolve) => setTimeout(resolve, attempt.delayMs));
  if (right === null) {
    // After the answer, so that its time does not show whether an account has its event written.
    setImmediate(() => void recordFailure(ctx, caller, { user, attempt }));
    throw new Problem('unauthenticated', 'login.wrong', 'That e-mail address and password don’t match.');
  }
  const { needsRehash } = right;
  return { user: needsRehash ? await withStrongerHash(ctx, right.user, { password, network }) : right.user, attempt };
}

interface Check {
  user: User | undefined;
  password: string;
  network: string;
  attempt: Attempt;
}

/** Null for a wrong password. An attempt whose password could not be checked does not count. */
async function checkPassword(
  ctx: Ctx,
  { user, password, network, attempt }: Check,
): Promise<{ user: User; needsRehash: boolean } | null> {
  const { passwords } = ctx.keys;
  try {
    const canTry = attempt.isAllowed && user?.state === 'active' && user.passwordHash !== null;
    if (!canTry) await passwords.verifyNothing(network);
    if (!canTry) return null;
    const { ok, needsRehash } = await passwords.verifyPassword(password, user.passwordHash!, network);
    return ok ? { user, needsRehash } : null;
  } catch (error) {
    await cancelAttempt(ctx, attempt);
    throw error;
  }
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

/** Failures at accounts are events; unknown names are only logged, so that strangers fill no table. */
async function recordFailure(
  ctx: Ctx,
  caller: Caller,
  { user, attempt }: { user: User | undefined; attempt: Attempt },
): Promise<void> {
  const network = networkOf(caller.from.address);
  const left = attemptsLeft(attempt, 'signIn');
  const isLocked = attempt.isAllowed && left === 0;
  const minutes = attemptLimits.signIn.closedMs / 60_000;
  const facts = { user: user?.id ?? 'unknown', network, requestId: caller.from.requestId };
  if (isLocked) ctx.log.warn({ ...facts, minutes }, 'sign-in is locked after too many wrong passwords');
  else ctx.log.info(facts, attempt.isAllowed ? 'a sign-in failed' : 'a sign-in was refused because it is locked');
  // While it is locked nothing new is learnt from each further attempt.
  if (user === undefined || !attempt.isAllowed) return;
  const about = { object: { kind: 'user', id: user.id }, ownerId: user.id } as const;
  await ctx.db
    .write(async (tx) => {
      const failures = attemptLimits.signIn.most - left;
      await record(ctx, tx, caller, { action: 'user.sign_in_failed', ...about, facts: { failures } });
      if (isLocked)
        await record(ctx, tx, caller, { action: 'user.sign_in_locked', ...about, facts: { network, minutes } });
    })
    .catch((error: unknown) => ctx.log.warn({ err: String(error) }, 'a failed sign-in could not be recorded'));
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
    await rememberNetwork(ctx, tx, found.id, caller.from.address);
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
