// Challenges of authenticators. They are stored once answered, so that a page with a challenge writes nothing.
import { markChallengeUsed } from '../../db/passkeys/passkeys.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { isInDomain, passkeyProblem } from '../../domain/passkeys.ts';
import { sameText } from '../../lib/keyring.ts';
import type { Expected } from '../../lib/webauthn.ts';
import type { Ctx } from '../context.ts';

const challengeMs = 30 * 60_000;

/** Challenges older than this need not be stored. */
export const usedChallengeMs = 2 * challengeMs;

/** In Base64url. `purpose` names what is done, and the browser or account. */
export function newChallenge(ctx: Ctx, purpose: string): string {
  const text = `${ctx.clock.now().toString(36)}.${ctx.random.id(22)}`;
  return Buffer.from(`${text}.${signatureOf(ctx, text, purpose)}`).toString('base64url');
}

function signatureOf(ctx: Ctx, text: string, purpose: string): string {
  return ctx.keys.hash('passkey-challenge', `${text}\0${purpose}`).toString('base64url');
}

/** Refuses a challenge for something else, and one that expired. */
export function assertChallenge(ctx: Ctx, challenge: string, purpose: string): void {
  const [time = '', random = '', signature = ''] = Buffer.from(challenge, 'base64url').toString().split('.');
  const isOwn = sameText(signature, signatureOf(ctx, `${time}.${random}`, purpose));
  if (!isOwn || Number.parseInt(time, 36) + challengeMs < ctx.clock.now()) throw passkeyProblem('challenge');
}

/** Refuses a challenge that was answered before. */
export async function spendChallenge(ctx: Ctx, tx: Tx, challenge: string): Promise<void> {
  const hash = ctx.keys.hash('passkey-challenge', challenge);
  if (!(await markChallengeUsed(tx, hash, ctx.clock.now()))) throw passkeyProblem('used');
}

/** The relying-party id. */
export function passkeyDomain(ctx: Ctx): string {
  return ctx.settings.current().passkeyDomain ?? hostOf(ctx);
}

/** False after the public address has moved to another domain. */
export function arePasskeysUsable(ctx: Ctx): boolean {
  return isInDomain(hostOf(ctx), passkeyDomain(ctx));
}

export function hostOf(ctx: Ctx): string {
  return new URL(ctx.settings.surroundings.baseUrl).hostname;
}

export function expectedOf(ctx: Ctx, challenge: string): Expected {
  return { challenge, origin: new URL(ctx.settings.surroundings.baseUrl).origin, domain: passkeyDomain(ctx) };
}
