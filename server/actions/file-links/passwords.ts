// The password gate of a link: checking it, and the pass that spares the browser a second check for 15 minutes.
import { findLinkPassword } from '../../db/file-links/file-links.ts';
import { attemptLimits } from '../../domain/attempt-limits.ts';
import type { Caller } from '../../domain/caller.ts';
import { notFound } from '../../domain/problem.ts';
import { sameText } from '../../lib/keyring.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import { attemptsLeft, requireAttempt, tryOnce } from '../attempts.ts';
import type { Ctx } from '../context.ts';

const passLifetimeMs = 15 * 60_000;
/** How long a network waits after its last wrong try. */
export const pauseMinutes = attemptLimits.linkPassword.closedMs / 60_000;

export type PasswordCheck = { isRight: true; pass: string } | { isRight: false; attemptsLeft: number };

/** Checks a password. Wrong ones are counted per link and network, and per link (docs/adr/0108). */
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
  /** Of the password that the pass was held against. A ticket remembers it, and ends when there is a newer one. */
  passwordVersion: number;
}

/** Whether a pass from a cookie still opens this link. A new password voids old passes. */
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
