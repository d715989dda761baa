// Mailed links for choosing a password: after forgetting it, or from an invitation.

import { setTimeout as pause } from 'node:timers/promises';
import { consumeOneTimeLink, findOneTimeLink, replaceOneTimeLink } from '../../db/file-links/one-time-links.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { deleteSessionsOf } from '../../db/sessions/sessions.ts';
import { findUser, findUserByEmail, updateUser } from '../../db/users/users.ts';
import type { Caller, UserCaller } from '../../domain/caller.ts';
import { invalid, type Problem } from '../../domain/problem.ts';
import type { OneTimeKind } from '../../domain/sessions.ts';
import { assertGoodPassword, displayName, readName, type User } from '../../domain/users.ts';
import { parseAddress } from '../../lib/address.ts';
import { dateOf } from '../../lib/dates.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import { proveAddress } from '../account/addresses.ts';
import { queueSecurityNotice } from '../account/security-notices.ts';
import { takeAttemptIn } from '../attempts.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { queueMail } from '../outbox.ts';

const hourMs = 3_600_000;
const lifetimeMs: Record<OneTimeKind, number> = { reset: hourMs, invitation: 7 * 24 * hourMs };
const paths: Record<OneTimeKind, string> = { reset: 'reset', invitation: 'invite' };
export const resetMinutes = lifetimeMs.reset / 60_000;

/** Minimum duration of a response; longer than the work for an existing account. */
const answerMs = 200;

/** The response and its time are the same for every address. */
export async function requestReset(ctx: Ctx, caller: Caller, typed: string): Promise<void> {
  const address = parseAddress(typed.trim(), { allowSingleLabel: true })?.address;
  if (address === undefined) return;
  const answerTime = pause(answerMs);
  const user = await findUserByEmail(ctx.db.read, address);
  const subject = { name: address, network: networkOf(caller.from.address), account: user?.id ?? '' };
  const isAllowed = await ctx.db.write(async (tx) => {
    const attempt = await takeAttemptIn(ctx, tx, ['resetByNetwork', 'reset'], subject);
    if (!attempt.isAllowed || user === undefined || user.state !== 'active') return attempt.isAllowed;
    const { url, expiresAt } = await issueLink(ctx, tx, 'reset', user.id);
    await queueMail(ctx, tx, {
      kind: 'reset',
      to: address,
      ownerId: user.id,
      expiresAt,
      payload: { reference: user.id, address, url, minutes: resetMinutes },
    });
    await record(ctx, tx, caller, {
      action: 'password.reset_asked',
      object: { kind: 'user', id: user.id },
      ownerId: user.id,
    });
    return true;
  });
  if (isAllowed) await answerTime;
}

export async function invite(ctx: Ctx, tx: Tx, inviter: UserCaller, user: Pick<User, 'id' | 'email'>): Promise<void> {
  const { url, expiresAt } = await issueLink(ctx, tx, 'invitation', user.id);
  await queueMail(ctx, tx, {
    kind: 'invitation',
    to: user.email,
    ownerId: inviter.userId,
    payload: {
      reference: user.id,
      inviter: displayName(inviter),
      address: user.email,
      url,
      expiresOn: dateOf(expiresAt, ctx.settings.surroundings.timeZone),
    },
  });
}

/** Without a one-time link: the account already exists. */
export async function welcome(
  ctx: Ctx,
  tx: Tx,
  creator: UserCaller,
  { id, email, hasPassword }: Pick<User, 'id' | 'email'> & { hasPassword: boolean },
): Promise<void> {
  await queueMail(ctx, tx, {
    kind: 'welcome',
    to: email,
    ownerId: id,
    payload: {
      reference: id,
      creator: displayName(creator),
      address: email,
      hasPassword,
      url: `${ctx.settings.surroundings.baseUrl}/${hasPassword ? 'sign-in' : 'forgot'}`,
    },
  });
}

export async function issueLink(
  ctx: Ctx,
  tx: Tx,
  kind: OneTimeKind,
  userId: string,
): Promise<{ url: string; expiresAt: number }> {
  const token = ctx.random.id(44);
  const createdAt = ctx.clock.now();
  const expiresAt = createdAt + lifetimeMs[kind];
  await replaceOneTimeLink(tx, { idHash: hashOf(ctx, token), kind, userId, createdAt, expiresAt });
  return { url: `${ctx.settings.surroundings.baseUrl}/${paths[kind]}/${token}`, expiresAt };
}

function hashOf(ctx: Ctx, token: string): Buffer {
  return ctx.keys.hash('one-time', token);
}

export type LinkVisit =
  | { is: 'open'; user: User; kind: OneTimeKind }
  | { is: 'used' }
  | { is: 'expired' }
  | { is: 'unknown' };

export async function visitOneTimeLink(ctx: Ctx, token: string): Promise<LinkVisit> {
  const link = await findOneTimeLink(ctx.db.read, hashOf(ctx, token));
  if (link === undefined) return { is: 'unknown' };
  if (link.usedAt !== null) return { is: 'used' };
  if (link.expiresAt <= ctx.clock.now()) return { is: 'expired' };
  const user = await findUser(ctx.db.read, link.userId);
  return user === undefined || user.state !== 'active' ? { is: 'unknown' } : { is: 'open', user, kind: link.kind };
}

/** Ends every session. Of concurrent attempts one succeeds. */
export async function choosePassword(
  ctx: Ctx,
  caller: Caller,
  input: { token: string; kind: OneTimeKind; password: string; name: string | null },
): Promise<void> {
  const link = await visitOneTimeLink(ctx, input.token);
  if (link.is !== 'open' || link.kind !== input.kind) throw usedLink();
  const { user, kind } = link;
  const name = input.name === null ? user.name : readName(input.name);
  assertGoodPassword(input.password, [name, user.email, ctx.settings.current().organisationName]);
  const passwordHash = await ctx.keys.passwords.hashPassword(input.password, networkOf(caller.from.address));
  await ctx.db.write(async (tx) => {
    const now = ctx.clock.now();
    if (!(await consumeOneTimeLink(tx, hashOf(ctx, input.token), now))) throw usedLink();
    await updateUser(tx, user.id, { passwordHash, mustChangePassword: false, name }, now);
    await deleteSessionsOf(tx, user.id);
    // The link was mailed to this address.
    await proveAddress(ctx, tx, caller, { userId: user.id, address: user.email, way: 'link' });
    await record(ctx, tx, caller, {
      action: 'password.changed',
      object: { kind: 'user', id: user.id },
      ownerId: user.id,
      facts: { way: kind },
    });
    // An invited user needs no notice of their first password.
    if (kind === 'reset')
      await queueSecurityNotice(ctx, tx, caller, { event: 'password-changed', userId: user.id, to: user.email });
  });
}

function usedLink(): Problem {
  return invalid('token.used', 'This link was already used. Sign in, or get a new one.');
}
