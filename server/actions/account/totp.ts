// The authenticator app as second factor (RFC 6238).

import { Secret, TOTP } from 'otpauth';
import { markHidden } from '#contract/hidden-characters.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { deleteOtherSessions } from '../../db/sessions/sessions.ts';
import { acceptTotpStep, deleteTotpSecret, findTotpSecret, saveTotpSecret } from '../../db/users/totp.ts';
import { findUser } from '../../db/users/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid } from '../../domain/problem.ts';
import type { User } from '../../domain/users.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { issueRecoveryCodes } from './recovery-codes.ts';
import { queueSecurityNotice } from './security-notices.ts';

const periodSeconds = 30;
const secretBytes = 20;

async function findTotp(ctx: Ctx, user: User): Promise<TOTP | null> {
  const secret = await findTotpSecret(ctx.db.read, user.id);
  return secret === null ? null : totpOf(ctx, user.email, secret);
}

function totpOf(ctx: Ctx, label: string, secret: Buffer): TOTP {
  return new TOTP({
    issuer: markHidden(ctx.settings.current().organisationName),
    label,
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
    period: periodSeconds,
  });
}

/** Accepts the current code or one step to either side, each once. */
export async function isRightTotp(ctx: Ctx, user: User, code: string): Promise<boolean> {
  const totp = user.totpState === 'on' ? await findTotp(ctx, user) : null;
  const step = totp === null ? null : stepOf(ctx, totp, code);
  return step !== null && (await ctx.db.write((tx) => acceptTotpStep(tx, user.id, step)));
}

/** Null for a wrong code. */
function stepOf(ctx: Ctx, totp: TOTP, code: string): number | null {
  const digits = code.replace(/\s/g, '');
  if (!/^\d{6}$/.test(digits)) return null;
  const now = ctx.clock.now();
  const delta = totp.validate({ token: digits, window: 1, timestamp: now });
  return delta === null ? null : Math.floor(now / 1000 / periodSeconds) + delta;
}

export interface TotpOffer {
  secret: string;
  uri: string;
}

/** A secret is offered this long and accepted twice as long. */
const offerMs = 15 * 60_000;

/** Derived from session (or key) and time: an offer writes nothing, survives a reload, and expires. */
function offeredTotp(ctx: Ctx, caller: UserCaller, age: 0 | 1): TOTP {
  const holder = caller.sessionHash?.toString('hex') ?? caller.apiKeyId;
  const period = Math.floor(ctx.clock.now() / offerMs) - age;
  const secret = ctx.keys.hash('totp-offer', `${caller.userId}\0${holder}\0${period}`).subarray(0, secretBytes);
  return totpOf(ctx, caller.email, secret);
}

export async function offerTotp(ctx: Ctx, caller: UserCaller): Promise<TotpOffer> {
  if (caller.policy.require_second_factor === 'off')
    throw invalid('totp.not_offered', 'Your group does not use a second step at sign-in.');
  if ((await findUser(ctx.db.read, caller.userId))?.totpState === 'on')
    throw invalid('totp.already_on', 'Your authenticator app is set up already.');
  const totp = offeredTotp(ctx, caller, 0);
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/** The recovery codes; null for a wrong code. */
export async function confirmTotp(ctx: Ctx, caller: UserCaller, code: string): Promise<string[] | null> {
  if (caller.policy.require_second_factor === 'off') return null;
  for (const age of [0, 1] as const) {
    const totp = offeredTotp(ctx, caller, age);
    const step = stepOf(ctx, totp, code);
    if (step !== null) return ctx.db.write((tx) => switchOn(ctx, tx, caller, { totp, step }));
  }
  return null;
}

async function switchOn(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  { totp, step }: { totp: TOTP; step: number },
): Promise<string[] | null> {
  const { userId } = caller;
  // Also under concurrent requests.
  if (!(await saveTotpSecret(tx, userId, { secret: Buffer.from(totp.secret.bytes), step }))) return null;
  // Sessions opened with the password alone could otherwise skip the second step.
  await deleteOtherSessions(tx, userId, caller.sessionHash);
  await record(ctx, tx, caller, { action: 'totp.switched_on', object: { kind: 'user', id: userId }, ownerId: userId });
  await queueSecurityNotice(ctx, tx, caller, { event: 'second-step-changed', userId, to: caller.email });
  return issueRecoveryCodes(ctx, tx, caller);
}

export async function disableTotp(ctx: Ctx, caller: UserCaller): Promise<void> {
  if (caller.policy.require_second_factor === 'required')
    throw invalid('totp.required', 'Your group asks for a second step at sign-in. Ask your administrator.');
  await ctx.db.write(async (tx) => {
    const user = await findUser(tx, caller.userId);
    if (user?.totpState !== 'on') return;
    await deleteTotpSecret(tx, caller.userId);
    await deleteOtherSessions(tx, caller.userId, caller.sessionHash);
    await record(ctx, tx, caller, {
      action: 'totp.switched_off',
      object: { kind: 'user', id: caller.userId },
      ownerId: caller.userId,
    });
    await queueSecurityNotice(ctx, tx, caller, {
      event: 'second-step-changed',
      userId: caller.userId,
      to: caller.email,
    });
  });
}
