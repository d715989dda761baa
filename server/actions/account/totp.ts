// The authenticator app as second factor (RFC 6238): setting it up, checking a code once.
import { Secret, TOTP } from 'otpauth';
import { deleteOtherSessions } from '../../db/sessions.ts';
import { acceptTotpStep, deleteTotpSecret, findTotpSecret, saveTotpSecret, switchTotpOn } from '../../db/totp.ts';
import { findUser } from '../../db/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid } from '../../domain/problem.ts';
import type { User } from '../../domain/users.ts';
import type { AttemptLimit } from '../attempts.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { oweSecurityNotice } from './security-notices.ts';

const periodSeconds = 30;

/** Wrong codes are counted alike wherever one is asked for. */
export function totpLimit(userId: string): AttemptLimit {
  return { key: `totp:${userId}`, most: 5, windowMs: 5 * 60_000, closedMs: 5 * 60_000 };
}

async function findTotp(ctx: Ctx, user: User): Promise<TOTP | null> {
  const secret = await findTotpSecret(ctx.db.read, user.id);
  return secret === null ? null : totpOf(ctx, user.email, secret);
}

function totpOf(ctx: Ctx, label: string, secret: Buffer): TOTP {
  return new TOTP({
    issuer: ctx.settings.current().organisationName,
    label,
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
    period: periodSeconds,
  });
}

/** A code of now, or one step to either side; each step is accepted once. */
export async function isRightTotp(ctx: Ctx, user: User, code: string): Promise<boolean> {
  const totp = await findTotp(ctx, user);
  const typed = code.replace(/\s/g, '');
  if (totp === null || !/^\d{6}$/.test(typed)) return false;
  const now = ctx.clock.now();
  const delta = totp.validate({ token: typed, window: 1, timestamp: now });
  if (delta === null) return false;
  const step = Math.floor(now / 1000 / periodSeconds) + delta;
  return ctx.db.write((tx) => acceptTotpStep(tx, user.id, step));
}

export interface TotpOffer {
  secret: string;
  uri: string;
}

/** A new secret that waits for its first right code. */
export async function offerTotp(ctx: Ctx, caller: UserCaller): Promise<TotpOffer> {
  if (caller.policy.require_second_factor === 'off')
    throw invalid('totp.not_offered', 'Your group does not use a second step at sign-in.');
  const secret = ctx.random.bytes(20);
  await ctx.db.write(async (tx) => {
    if ((await findUser(tx, caller.userId))?.totpState === 'on')
      throw invalid('totp.already_on', 'Your authenticator app is set up already.');
    await saveTotpSecret(tx, caller.userId, secret);
  });
  return offerOf(totpOf(ctx, caller.email, secret));
}

/** The offer that waits, so that a reload or a wrong code shows the same secret. */
export async function pendingTotp(ctx: Ctx, user: User): Promise<TotpOffer | null> {
  const totp = user.totpState === 'pending' ? await findTotp(ctx, user) : null;
  return totp === null ? null : offerOf(totp);
}

function offerOf(totp: TOTP): TotpOffer {
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/** The first right code switches it on. */
export async function confirmTotp(ctx: Ctx, caller: UserCaller, user: User, code: string): Promise<boolean> {
  if (user.totpState !== 'pending' || !(await isRightTotp(ctx, user, code))) return false;
  await ctx.db.write(async (tx) => {
    await switchTotpOn(tx, user.id);
    await record(ctx, tx, caller, {
      action: 'totp.switched_on',
      object: { kind: 'user', id: user.id },
      ownerId: user.id,
    });
    await oweSecurityNotice(ctx, tx, caller, { event: 'second-step-changed', userId: caller.userId, to: caller.email });
  });
  return true;
}

/** Switched off, or an offer withdrawn. Where the group demands a second step it can only be set up anew at sign-in. */
export async function disableTotp(ctx: Ctx, caller: UserCaller): Promise<void> {
  if (caller.policy.require_second_factor === 'required')
    throw invalid('totp.required', 'Your group asks for a second step at sign-in. Ask your administrator.');
  await ctx.db.write(async (tx) => {
    const user = await findUser(tx, caller.userId);
    if (user === undefined || user.totpState === 'off') return;
    await deleteTotpSecret(tx, caller.userId);
    if (user.totpState !== 'on') return;
    await deleteOtherSessions(tx, caller.userId, caller.sessionHash);
    await record(ctx, tx, caller, {
      action: 'totp.switched_off',
      object: { kind: 'user', id: caller.userId },
      ownerId: caller.userId,
    });
    await oweSecurityNotice(ctx, tx, caller, { event: 'second-step-changed', userId: caller.userId, to: caller.email });
  });
}

/** Does the group demand a second factor this person has not set up? */
export function owesTotp(user: User): boolean {
  return user.totpState !== 'on' && user.policy.require_second_factor === 'required';
}
