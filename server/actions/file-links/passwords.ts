// The password check of a link, and the cookie that replaces it for 15 minutes.
import { findLinkPassword } from '../../db/file-links/file-links.ts';
import { attemptLimits } from '../../domain/attempt-limits.ts';
import type { Caller } from '../../domain/caller.ts';
import { notFound } from '../../domain/problem.ts';
import { sameText } from '../../lib/keyring.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import { attemptsLeft, requireAttempt, tryOnce } from '../attempts.ts';
import type { Ctx } from '../context.ts';

const passLifetimeMs = 15 * 60_000;
/** How long a network is blocked after its last wrong attempt. */
export const pauseMinutes = attemptLimits.linkPassword.closedMs / 60_000;

export type PasswordCheck = { isRight: true; pass: string } | { isRight: false; attemptsLeft: number };

/** Counts wrong passwords per link and network, and per link (docs/adr/0108). */
export async function tryLinkPassword(
  ctx: Ctx,
  caller: Caller,
  linkId: string,
  password: string,
): Promise<PasswordCheck> {
  const { passwordHash } = await findLinkPassword(ctx.db.read, linkId);
  if (passwordHash === null) throw notFound('link');
  const network = networkOf(caller.from.address);
  const attempt = await requireAttempt(ctx, ['linkPassword', 'linkPasswordByLink'], { link: linkId, network });
  const { passwords } = ctx.keys;
  const check = async () => (await passwords.verifyPassword(password, passwordHash, network)).ok;
  if (!(await tryOnce(ctx, attempt, check)))
    return { isRight: false, attemptsLeft: attemptsLeft(attempt, 'linkPassword') };
  const expiresAt = ctx.clock.now() + passLifetimeMs;
  return { isRight: true, pass: `${expiresAt}.${signature(ctx, linkId, passwordHash, expiresAt)}` };
}

export interface PassCheck {
  isValid: boolean;
  /** A ticket ends when the password has a newer version. */
  passwordVersion: number;
}

/** A new password invalidates old passes. */
export async function checkLinkPass(ctx: Ctx, linkId: string, pass: string | undefined): Promise<PassCheck> {
  const { passwordHash, passwordVersion } = await findLinkPassword(ctx.db.read, linkId);
  const match = /^(\d{1,16})\.([A-Za-z0-9_-]{43})$/.exec(pass ?? '');
  const expiresAt = Number(match?.[1] ?? 0);
  const isValid =
    match !== null &&
    passwordHash !== null &&
    expiresAt > ctx.clock.now() &&
    sameText(match[2]!, signature(ctx, linkId, passwordHash, expiresAt));
  return { isValid, passwordVersion };
}

function signature(ctx: Ctx, linkId: string, passwordHash: string, expiresAt: number): string {
  return ctx.keys.hash('link-pass', `${linkId}\0${passwordHash}\0${expiresAt}`).toString('base64url');
}
