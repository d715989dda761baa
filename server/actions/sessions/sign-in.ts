// Password sign-in, with the same response, limits and cost for an unknown address and a wrong password.

import type { Tx } from '../../db/schema/schema.ts';
import { replacePasswordHash } from '../../db/users/users.ts';
import { attemptLimits } from '../../domain/attempt-limits.ts';
import type { Caller } from '../../domain/caller.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import type { Proof } from '../../domain/sessions.ts';
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
import { askDirectories, type VouchedFor } from '../identity/ldap-sign-in.ts';
import { acceptsPasswordOf } from '../identity/password-sign-in.ts';
import { signInRefusal } from '../identity/refusals.ts';
import { listServices } from '../identity/service-list.ts';
import { signInThroughService } from '../identity/sign-in.ts';
import { openApiAccessFor } from './open-session.ts';
import { isKnownNetwork } from './sign-in-networks.ts';

const limits: LimitNames = ['signInByNetwork', 'signIn', 'signInByName'];

interface Given {
  login: string;
  password: string;
  /** The password of a directory is not enough. */
  isOfAccount?: boolean;
}

/** Opens access for a person whose name and password are right. Null: the account has changed since. */
type OpenAccess<Opened> = (tx: Tx, user: User, proof: Proof) => Promise<Opened | null>;

/**
 * Runs `open` in a transaction after the check of the password: that of the account, or of a person in a directory. If
 * it returns null, checks the password again.
 */
export async function withPassword<Opened>(
  ctx: Ctx,
  caller: Caller,
  given: Given,
  open: OpenAccess<Opened>,
): Promise<Opened> {
  for (;;) {
    const { user, vouched, attempt } = await signIn(ctx, caller, given);
    const openAndForgive = async (tx: Tx, found: User, proof: Proof) => {
      const opened = await open(tx, found, proof);
      await forgiveAttempt(tx, attempt);
      return opened;
    };
    const opening =
      vouched === null
        ? ctx.db.write((tx) => openAndForgive(tx, user!, { kind: 'password' }))
        : openThroughDirectory(ctx, caller, vouched, openAndForgive);
    const opened = await opening.catch(async (error: unknown) => {
      // The password was right, even if a later check refused.
      await ctx.db.write((tx) => forgiveAttempt(tx, attempt));
      throw error;
    });
    if (opened !== null) return opened;
  }
}

/** An account has the address of the person; a browser leads to the page where its owner proves it. */
export class ProofNeeded extends Problem {
  readonly vouched: VouchedFor;
  readonly userId: string;

  constructor(vouched: VouchedFor, userId: string) {
    const { kind, code, message, values } = signInRefusal('proof_needed', vouched.service);
    super(kind, code, message);
    this.withValues(values);
    this.vouched = vouched;
    this.userId = userId;
  }
}

async function openThroughDirectory<Opened>(
  ctx: Ctx,
  caller: Caller,
  vouched: VouchedFor,
  open: OpenAccess<Opened>,
): Promise<Opened> {
  const opened = await signInThroughService(ctx, caller, vouched, open);
  if (opened.is === 'prove') throw new ProofNeeded(vouched, opened.userId);
  return opened.access;
}

/** Either the account whose password is right, or the person for whom a directory vouches. */
interface Checked {
  user: User | null;
  vouched: VouchedFor | null;
  attempt: Attempt;
}

/** Unknown names and refused attempts take the same statements, work and time as a wrong password. */
async function signIn(ctx: Ctx, caller: Caller, given: Given): Promise<Checked> {
  const { login, password } = given;
  const network = networkOf(caller.from.address);
  const user = await findByLogin(ctx, login);
  const subject = { name: loginName(login), network, account: user?.id ?? '' };
  const attempt = await takeAttempt(ctx, limits, subject);
  const right = await checkPassword(ctx, { user, password, network, attempt });
  const vouched =
    right === null && attempt.isAllowed && given.isOfAccount !== true
      ? await vouchedFor(ctx, caller, given, attempt)
      : null;
  const isRight = right !== null || vouched !== null;
  const knownId = right?.user.id ?? null;
  if (attempt.delayMs > 0 && (knownId === null || !(await isKnownNetwork(ctx, knownId, caller.from.address))))
    await new Promise((resolve) => setTimeout(resolve, attempt.delayMs));
  if (!isRight) {
    // After the response, so that its time does not reveal an account.
    setImmediate(() => void recordFailure(ctx, caller, { user, attempt }));
    throw new Problem('unauthenticated', 'login.wrong', 'That e-mail address and password don’t match.');
  }
  if (right === null) return { user: null, vouched, attempt };
  if (!(await acceptsPasswordOf(ctx, right.user.id))) {
    await ctx.db.write((tx) => forgiveAttempt(tx, attempt));
    throw invalid(
      'login.password_off',
      'Passwords are switched off here. Sign in through the service of your organisation.',
    );
  }
  const { needsRehash } = right;
  const signedIn = needsRehash ? await withStrongerHash(ctx, right.user, { password, network }) : right.user;
  return { user: signedIn, vouched: null, attempt };
}

/** A directory that does not answer, or refuses a person, is no wrong password. */
async function vouchedFor(ctx: Ctx, caller: Caller, given: Given, attempt: Attempt): Promise<VouchedFor | null> {
  try {
    return await askDirectories(ctx, caller, { login: given.login.trim(), password: given.password });
  } catch (error) {
    await cancelAttempt(ctx, attempt);
    throw error;
  }
}

interface Check {
  user: User | undefined;
  password: string;
  network: string;
  attempt: Attempt;
}

/** Null for a wrong password. An attempt that could not be checked does not count. */
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

/** Never replaces a password that was changed concurrently. */
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

/** Unknown names are logged only. */
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
  // Further attempts while locked add no information.
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

/** `POST /login`: the API key, if a password is sufficient. */
export async function logInForKey(ctx: Ctx, caller: Caller, login: string, password: string): Promise<string> {
  const user = await withPassword(ctx, caller, { login, password }, (tx, found, proof) =>
    openApiAccessFor(ctx, tx, caller, { user: found, proof }),
  ).catch(async (error: unknown) => {
    const isWrong = error instanceof Problem && error.code === 'login.wrong';
    if (isWrong && (await listServices(ctx)).some(({ kind }) => kind !== 'ldap')) throw wrongOrService();
    throw error;
  });
  return revealOwnKey(ctx, user);
}

/** Says how people without a password get a key, to everyone, so that it reveals no account. */
function wrongOrService(): Problem {
  return invalid(
    'login.wrong_or_service',
    'That e-mail address and password don’t match. People who sign in with the account of their organisation have no password here: they get an API key on their account page, or with waybill login.',
  );
}
