// Requests codes that prove an address, each for one target, address and browser. The mail's button works once in any
// browser. Only the mail reveals whether the address has access.

import type { Tx } from '../../db/schema/schema.ts';
import { countAttempt } from '../../db/sessions/attempts.ts';
import { type CodeScope, findCode, insertCode, listCodeTimes } from '../../db/sessions/codes.ts';
import { codeCounterText, codeLimits } from '../../domain/attempt-limits.ts';
import type { Caller } from '../../domain/caller.ts';
import { parseAddress } from '../../lib/address.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import { codeOfBytes, spokenCode } from '../../lib/spoken-codes.ts';
import type { CodePayload } from '../../mail/kinds/code.ts';
import { counterKey } from '../attempts.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { queueMail } from '../outbox.ts';
import { type CodeTarget, checkTarget, type TargetFacts } from './code-targets.ts';

const codeLifetimeMs = 10 * 60_000;

/** A second request before the mail arrives would only send another code. */
const pauseBetweenMs = 30_000;

export const codeMinutes = codeLifetimeMs / 60_000;

export interface CodeInput {
  target: CodeTarget;
  address: string;
  /** Identifies the browser; for an account, the account and the address. */
  nonce: string;
  /** The pending delivery, at a drop page. */
  dropKeyId?: string | null;
}

/** `wait`: a limit was reached; the same for every address. */
export type CodeRequest = { is: 'asked' } | { is: 'wait'; seconds: number };

/** The response does not depend on whether the address has access. */
export async function requestCode(ctx: Ctx, caller: Caller, input: CodeInput): Promise<CodeRequest> {
  const address = parseAddress(input.address, { allowSingleLabel: true })?.address;
  if (address === undefined) return { is: 'asked' };
  const now = ctx.clock.now();
  const network = networkOf(caller.from.address);
  const { isThere, facts } = await checkTarget(ctx, input.target, address);
  const nonceHash = ctx.keys.hash('nonce', input.nonce);
  return ctx.db.write(async (tx) => {
    const waitMs = await findWait(ctx, tx, { address, target: input.target, network, nonceHash, isThere });
    if (waitMs > 0) return { is: 'wait', seconds: Math.ceil(waitMs / 1_000) };
    const id = ctx.random.id();
    const link = ctx.random.id();
    await insertCode(tx, {
      id,
      address,
      target: input.target,
      nonceHash,
      codeHash: codeHash(ctx, id, codeOfLink(ctx, link)),
      network,
      createdAt: now,
      expiresAt: now + codeLifetimeMs,
      linkHash: linkHash(ctx, link),
      dropKeyId: input.dropKeyId ?? null,
      isUnknown: !isThere,
    });
    // An address without access gets a code row too, but no mail.
    if (facts !== null) await queueCode(ctx, tx, caller, { id, link, address, target: input.target, facts });
    return { is: 'asked' };
  });
}

interface IssuedCode {
  id: string;
  link: string;
  address: string;
  target: CodeTarget;
  facts: TargetFacts;
}

async function queueCode(ctx: Ctx, tx: Tx, caller: Caller, issued: IssuedCode): Promise<void> {
  const { id, link, address, target, facts } = issued;
  const code = codeOfLink(ctx, link);
  await queueMail(ctx, tx, {
    kind: 'code',
    to: address,
    ownerId: facts.ownerId,
    expiresAt: ctx.clock.now() + codeLifetimeMs,
    payload: {
      reference: id,
      code: spokenCode(code),
      address,
      minutes: codeMinutes,
      purpose: purposeOf(target),
      about: facts.about,
      sharedBy: facts.sharedBy,
      // No button for accounts: a signed-in user must type the code, so that the mailbox's owner cannot confirm the
      // address by one click.
      url: isTyped(target) ? null : `${ctx.settings.surroundings.baseUrl}/verify/${link}`,
    },
  });
  await record(ctx, tx, caller, {
    action: 'code.sent',
    object: { kind: 'code', id },
    ownerId: facts.ownerId,
    facts: { target, recipient: address },
  });
}

function isTyped(target: CodeTarget): boolean {
  return target.startsWith('account:') || target.startsWith('identity:');
}

function purposeOf(target: CodeTarget): CodePayload['purpose'] {
  if (isTyped(target)) return 'account';
  return target.startsWith('drop:') ? 'send' : 'open';
}

interface LimitedRequest {
  address: string;
  target: string;
  network: string;
  nonceHash: Buffer;
  isThere: boolean;
}

/** Time until the limits allow another code. */
async function findWait(ctx: Ctx, tx: Tx, request: LimitedRequest): Promise<number> {
  const now = ctx.clock.now();
  for (const { by, most, windowMs, ofTheAddress } of codeLimits) {
    if (ofTheAddress && !request.isThere) continue;
    const values = by.map((column) => request[column]);
    // Locks the counter against concurrent requests; the limit counts the codes themselves.
    const key = counterKey(ctx, codeCounterText(by, values));
    await countAttempt(tx, { key, kind: 'codes', about: '', network: '', most, windowMs }, now);
    const scope: CodeScope = {
      ...Object.fromEntries(by.map((column) => [column, request[column]])),
      ...(ofTheAddress ? { isKnown: true } : {}),
    };
    const times = await listCodeTimes(tx, scope, { since: now - windowMs, limit: most });
    if (times.length >= most) return times.at(-1)! + windowMs - now;
  }
  const latest = await findCode(tx, request.nonceHash, request.target);
  return latest === undefined || latest.address !== request.address ? 0 : resendWaitMs(latest, now);
}

export function resendWaitMs(latest: { createdAt: number }, now: number): number {
  return Math.max(0, latest.createdAt + pauseBetweenMs - now);
}

/** Derived from the button's token, and not reversible. */
export function codeOfLink(ctx: Ctx, link: string): string {
  return codeOfBytes(ctx.keys.hash('code-of-link', link));
}

export function linkHash(ctx: Ctx, link: string): Buffer {
  return ctx.keys.hash('code-link', link);
}

export function codeHash(ctx: Ctx, id: string, code: string): Buffer {
  return ctx.keys.hash('code', `${id}\0${code}`);
}
