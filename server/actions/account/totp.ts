// The authenticator app as second factor (RFC 6238): setting it up, checking a code once.
import { Secret, TOTP } from 'otpauth';
import { deleteOtherSessions } from '../../db/proofs.ts';
import { acceptTotpStep, findUser, type UserRow, updateUser } from '../../db/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { readPolicy } from '../../domain/policy.ts';
import { invalid } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { oweSecurityNotice } from './security-notices.ts';

const periodSeconds = 30;

function totpOf(ctx: Ctx, user: { id: string; email: string; totp_sealed: Buffer | null }): TOTP | null {
  if (user.totp_sealed === null) return null;
  const secret = ctx.keys.open('totp', user.totp_sealed, user.id);
  return new TOTP({
    issuer: ctx.settings.current().organisationName,
    label: user.email,
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
    period: periodSeconds,
  });
}

/** A code of now, or one step to either side; each step is accepted once. */
export async function isRightTotp(ctx: Ctx, user: UserRow, code: string): Promise<boolean> {
  const totp = totpOf(ctx, user);
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
  const sealed = ctx.keys.seal('totp', secret, caller.userId);
  await ctx.db.write(async (tx) => {
    if ((await findUser(tx, caller.userId))?.totp_state === 'on')
      throw invalid('totp.already_on', 'Your authenticator app is set up already.');
    await updateUser(tx, caller.userId, { totp_sealed: sealed, totp_state: 'pending', totp_last_step: 0 });
  });
  const totp = totpOf(ctx, { id: caller.userId, email: caller.email, totp_sealed: sealed })!;
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/** The offer that waits, so that a reload or a wrong code shows the same secret. */
export function pendingTotp(ctx: Ctx, user: UserRow): TotpOffer | null {
  const totp = user.totp_state === 'pending' ? totpOf(ctx, user) : null;
  return totp === null ? null : { secret: totp.secret.base32, uri: totp.toString() };
}

/** The first right code switches it on. */
export async function confirmTotp(ctx: Ctx, caller: UserCaller, user: UserRow, code: string): Promise<boolean> {
  if (user.totp_state !== 'pending' || !(await isRightTotp(ctx, user, code))) return false;
  await ctx.db.write(async (tx) => {
    await updateUser(tx, user.id, { totp_state: 'on' });
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
    if (user === undefined || user.totp_state === 'off') return;
    await updateUser(tx, caller.userId, { totp_sealed: null, totp_state: 'off', totp_last_step: 0 });
    if (user.totp_state !== 'on') return;
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
export function owesTotp(user: UserRow): boolean {
  return user.totp_state !== 'on' && readPolicy(user.policy, user.is_local === 1).require_second_factor === 'required';
}
