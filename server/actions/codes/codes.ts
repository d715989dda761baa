// Asking for a code that proves an address (security D10): eight characters, ten minutes, five attempts, for one target,
// one address and one browser. Its mail has a button as well, which works in any browser and serves once, on its own.
// Only the mail shows whether the address may open anything.

import type { Tx } from '../../db/schema/schema.ts';
import { countAttempt } from '../../db/sessions/attempts.ts';
import { type CodeScope, findCode, insertCode, listCodeTimes } from '../../db/sessions/codes.ts';
import { codeLimits } from '../../domain/attempt-limits.ts';
import type { Caller } from '../../domain/caller.ts';
import { parseAddress } from '../../lib/address.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import { codeOfBytes, spokenCode } from '../../lib/spoken-codes.ts';
import type { CodePayload } from '../../mail/kinds/code.ts';
import { counterKey } from '../attempts.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { queueMail } from '../outbox.ts';
import { type CodeTarget, lookAtTarget, type TargetFacts } from './code-targets.ts';

const codeLifetimeMs = 10 * 60_000;

/** Mail takes a moment; a second press before that would only send a second code. */
const pauseBetweenMs = 30_000;

export const codeMinutes = codeLifetimeMs / 60_000;

export interface WantedCode {
  target: CodeTarget;
  address: string;
  /** What the browser is known by; for an address of an account, the account and the address. */
  nonce: string;
  /** The delivery that waits for this proof, at a drop page. */
  dropKeyId?: string | null;
}

/** `wait`: nothing was sent, because there were enough codes already; the same for every address. */
export type CodeRequest = { is: 'asked' } | { is: 'wait'; seconds: number };

/** Asks for a code. Nothing in the answer depends on whether the address may open anything. */
export async function requestCode(ctx: Ctx, caller: Caller, wanted: WantedCode): Promise<CodeRequest> {
  const address = parseAddress(wanted.address, { allowSingleLabel: true })?.address;
  if (address === undefined) return { is: 'asked' };
  const now = ctx.clock.now();
  const network = networkOf(caller.from.address);
  const { isThere, facts } = await lookAtTarget(ctx, wanted.target, address);
  const nonceHash = ctx.keys.hash('nonce', wanted.nonce);
  return ctx.db.write(async (tx) => {
    const waitMs = await findWait(ctx, tx, { address, target: wanted.target, network, nonceHash, isThere });
    if (waitMs > 0) return { is: 'wait', seconds: Math.ceil(waitMs / 1_000) };
    const id = ctx.random.id();
    const link = ctx.random.id();
    await insertCode(tx, {
      id,
      address,
      target: wanted.target,
      nonceHash,
      codeHash: codeHash(ctx, id, codeOfLink(ctx, link)),
      network,
      createdAt: now,
      expiresAt: now + codeLifetimeMs,
      linkHash: linkHash(ctx, link),
      dropKeyId: wanted.dropKeyId ?? null,
      isUnknown: !isThere,
    });
    // An address that may not open it has a code like any other, which nobody is told.
    if (facts !== null) await queueCode(ctx, tx, caller, { id, link, address, target: wanted.target, facts });
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
      // An address becomes an account's only by the code, typed by somebody signed in: whoever has the mailbox must not
      // give it away by one press.
      url: target.startsWith('account:') ? null : `${ctx.settings.surroundings.baseUrl}/verify/${link}`,
    },
  });
  await record(ctx, tx, caller, {
    action: 'code.sent',
    object: { kind: 'code', id },
    ownerId: facts.ownerId,
    facts: { target },
  });
}

function purposeOf(target: CodeTarget): CodePayload['purpose'] {
  if (target.startsWith('account:')) return 'account';
  return target.startsWith('drop:') ? 'send' : 'open';
}

interface Asked {
  address: string;
  target: string;
  network: string;
  nonceHash: Buffer;
  /** Whether there is such a target at all. */
  isThere: boolean;
}

/** How long until the limits allow another code. */
async function findWait(ctx: Ctx, tx: Tx, asked: Asked): Promise<number> {
  const now = ctx.clock.now();
  for (const { by, most, windowMs, ofTheAddress } of codeLimits) {
    if (ofTheAddress && !asked.isThere) continue;
    const values = by.map((column) => asked[column]);
    // Requests that arrive together wait for each other here; what counts are the codes themselves.
    const key = counterKey(ctx, JSON.stringify(['codes', by, values]));
    await countAttempt(tx, { key, kind: 'codes', about: '', network: '', most, windowMs }, now);
    const scope: CodeScope = {
      ...Object.fromEntries(by.map((column) => [column, asked[column]])),
      ...(ofTheAddress ? { isKnown: true } : {}),
    };
    const times = await listCodeTimes(tx, scope, { since: now - windowMs, limit: most });
    if (times.length >= most) return times.at(-1)! + windowMs - now;
  }
  const latest = await findCode(tx, asked.nonceHash, asked.target);
  // A code for another address of theirs may be asked for at once.
  return latest === undefined || latest.address !== asked.address ? 0 : resendWaitMs(latest, now);
}

/** Until this browser may ask for the same code again. */
export function resendWaitMs(latest: { createdAt: number }, now: number): number {
  return Math.max(0, latest.createdAt + pauseBetweenMs - now);
}

/** The code that goes with the button of its mail: whoever has the button has the code, never the other way round. */
export function codeOfLink(ctx: Ctx, link: string): string {
  return codeOfBytes(ctx.keys.hash('code-of-link', link));
}

export function linkHash(ctx: Ctx, link: string): Buffer {
  return ctx.keys.hash('code-link', link);
}

export function codeHash(ctx: Ctx, id: string, code: string): Buffer {
  return ctx.keys.hash('code', `${id}\0${code}`);
}
