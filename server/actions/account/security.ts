// The caller's password and sessions. What weakens the account requires the password again.
import { listEventsOf } from '../../db/events/events.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { deleteOtherSessions, deleteSession, listSessionsOf } from '../../db/sessions/sessions.ts';
import { findUser, replacePasswordHash, updateUser } from '../../db/users/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid, notFound, type Problem } from '../../domain/problem.ts';
import { assertGoodPassword, type User } from '../../domain/users.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import { describeAgent } from '../../lib/user-agent.ts';
import { requireAttempt, tryOnce } from '../attempts.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { placeOf } from '../sessions/sign-in-networks.ts';
import { queueSecurityNotice } from './security-notices.ts';
import { confirmTotp } from './totp.ts';

export async function requirePassword(ctx: Ctx, caller: UserCaller, password: string, field: string): Promise<User> {
  const user = await findUser(ctx.db.read, caller.userId);
  if (user === undefined) throw notFound('user');
  if (user.passwordHash === null)
    throw invalid('password.none', 'Your account has no password. Choose one with "Forgot your password?".', field);
  const { address } = caller.from;
  const attempt = await requireAttempt(ctx, ['passwordAgain'], await placeOf(ctx, user.id, address));
  const { passwords } = ctx.keys;
  const check = async () => (await passwords.verifyPassword(password, user.passwordHash!, networkOf(address))).ok;
  if (!(await tryOnce(ctx, attempt, check))) throw wrongPassword(field);
  return user;
}

function wrongPassword(field: string): Problem {
  return invalid('password.wrong', 'That’s not your password.', field);
}

/** Ends every other session, which may belong to a thief of the old password. */
export async function changeOwnPassword(
  ctx: Ctx,
  caller: UserCaller,
  input: { current: string; next: string },
): Promise<void> {
  const user = await requirePassword(ctx, caller, input.current, 'current');
  if (input.next === input.current)
    throw invalid('password.same', 'This is the password you have. Choose another one.', 'new');
  await setOwnPassword(ctx, caller, user, { next: input.next, way: 'account' });
}

/** Replaces a password that an administrator set, in the session opened with it. */
export async function replaceGivenPassword(ctx: Ctx, caller: UserCaller, next: string): Promise<void> {
  const user = await findUser(ctx.db.read, caller.userId);
  if (user === undefined || user.passwordHash === null || !user.mustChangePassword) throw notFound('user');
  if ((await ctx.keys.passwords.verifyPassword(next, user.passwordHash, networkOf(caller.from.address))).ok)
    throw invalid('password.same', 'This is the password you have. Choose another one.', 'password');
  await setOwnPassword(ctx, caller, user, { next, way: 'first_sign_in' });
}

async function setOwnPassword(
  ctx: Ctx,
  caller: UserCaller,
  user: User,
  { next, way }: { next: string; way: 'account' | 'first_sign_in' },
): Promise<void> {
  assertGoodPassword(next, [user.name, user.email, ctx.settings.current().organisationName]);
  const passwordHash = await ctx.keys.passwords.hashPassword(next, networkOf(caller.from.address));
  await ctx.db.write(async (tx) => {
    const now = ctx.clock.now();
    const hashes = { from: user.passwordHash!, to: passwordHash };
    if (!(await replacePasswordHash(tx, user.id, hashes, now))) throw wrongPassword('current');
    await updateUser(tx, user.id, { mustChangePassword: false }, now);
    const ended = await deleteOtherSessions(tx, user.id, caller.sessionHash);
    await record(ctx, tx, caller, {
      action: 'password.changed',
      object: { kind: 'user', id: user.id },
      ownerId: user.id,
      facts: { way, sessions_ended: ended },
    });
    await queueSecurityNotice(ctx, tx, caller, { event: 'password-changed', userId: caller.userId, to: caller.email });
  });
}

/** Wrong codes count like those at sign-in. Returns the recovery codes. */
export async function confirmOwnTotp(ctx: Ctx, caller: UserCaller, code: string): Promise<string[]> {
  const attempt = await requireAttempt(ctx, ['secondStep'], await placeOf(ctx, caller.userId, caller.from.address));
  let codes: string[] | null = null;
  const confirm = async () => {
    codes = await confirmTotp(ctx, caller, code);
    return codes !== null;
  };
  if (!(await tryOnce(ctx, attempt, confirm)) || codes === null)
    throw invalid(
      'totp.wrong_code',
      'That code isn’t right. Type the one your app shows now, or begin again with a new secret.',
      'code',
    );
  return codes;
}

export interface OwnSession {
  id: string;
  isCurrent: boolean;
  createdAt: number;
  activeAt: number;
  expiresAt: number;
  address: string;
  browser: string;
  os: string;
  isKept: boolean;
}

/** Names a session and gives no access: a prefix of the token's keyed hash. */
function sessionName(idHash: Buffer): string {
  return idHash.subarray(0, 11).toString('hex');
}

export function listOwnSessions(ctx: Ctx, caller: UserCaller): Promise<OwnSession[]> {
  return listSessionsIn(ctx, caller.userId, caller.sessionHash);
}

/** `currentHash` is the session of the request. */
export async function listSessionsIn(ctx: Ctx, userId: string, currentHash: Buffer | null): Promise<OwnSession[]> {
  const sessions = await listSessionsOf(ctx.db.read, userId, ctx.clock.now());
  return sessions.map(({ idHash, createdAt, activeAt, expiresAt, address, agent, isKept }) => {
    const { browser, os } = describeAgent(agent);
    const isCurrent = currentHash?.equals(idHash) ?? false;
    return { id: sessionName(idHash), isCurrent, createdAt, activeAt, expiresAt, address, browser, os, isKept };
  });
}

export async function endOwnSession(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    await endSessionNamed(ctx, tx, caller.userId, id);
    await recordEnded(ctx, tx, caller, 1);
  });
}

export async function endSessionNamed(ctx: Ctx, tx: Tx, userId: string, name: string): Promise<void> {
  const sessions = await listSessionsOf(tx, userId, ctx.clock.now());
  const session = sessions.find(({ idHash }) => sessionName(idHash) === name);
  if (session === undefined) throw notFound('session');
  await deleteSession(tx, session.idHash);
}

export async function endOtherSessions(ctx: Ctx, caller: UserCaller): Promise<void> {
  await ctx.db.write(async (tx) => {
    const ended = await deleteOtherSessions(tx, caller.userId, caller.sessionHash);
    if (ended > 0) await recordEnded(ctx, tx, caller, ended);
  });
}

async function recordEnded(ctx: Ctx, tx: Tx, caller: UserCaller, ended: number): Promise<void> {
  await record(ctx, tx, caller, {
    action: 'session.ended',
    object: { kind: 'user', id: caller.userId },
    ownerId: caller.userId,
    facts: { sessions: ended },
  });
}

const shownSignIns = 50;

export async function listSignIns(
  ctx: Ctx,
  caller: UserCaller,
): Promise<{ at: number; way: 'browser' | 'api'; address: string }[]> {
  const actions = ['user.signed_in', 'user.logged_in'] as const;
  const events = await listEventsOf(ctx.db.read, { kind: 'user', id: caller.userId }, actions, { size: shownSignIns });
  return events.map((event) => ({
    at: event.at,
    way: event.action === 'user.signed_in' ? 'browser' : 'api',
    address: event.remoteIp,
  }));
}
