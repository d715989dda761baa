// Proving an address by a mailed code (security D10): eight characters, ten minutes, five tries, bound to this message,
// this address and this browser. The page answers the same whether or not the address may open anything; only the mail
// differs.

import { countFailure } from '../../db/attempts.ts';
import {
  burnCode,
  consumeCode,
  countCodes,
  findCode,
  insertCode,
  insertProof,
  listProvenAddresses,
  spendAttempt,
} from '../../db/codes.ts';
import { findFileLink } from '../../db/file-links.ts';
import { findMessage, findSubject } from '../../db/messages.ts';
import { listRecipients } from '../../db/recipients.ts';
import type { Tx } from '../../db/schema.ts';
import { findUser, findUserByEmail } from '../../db/users.ts';
import { doorOf, mayBeProven } from '../../domain/audience.ts';
import type { Caller } from '../../domain/caller.ts';
import { messageStateAt } from '../../domain/messages.ts';
import { displayName } from '../../domain/users.ts';
import { parseAddress } from '../../lib/address.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { findFiledrop } from '../filedrops/filedrops.ts';
import { oweMail } from '../outbox.ts';

/** No look-alikes: 32 letters and digits, five bits each. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const codeLength = 8;
const codeLifetimeMs = 10 * 60_000;
const mostTries = 5;
const rememberMs = 14 * 86_400_000;
const hourMs = 3_600_000;

/** What is to be opened: `message:<id>`, `link:<id>` or `drop:<name>`. */
export type CodeTarget = `message:${string}` | `link:${string}` | `drop:${string}`;

export const codeMinutes = codeLifetimeMs / 60_000;
export const rememberDays = rememberMs / 86_400_000;

/** Asks for a code. Answers nothing that depends on the address; too many requests are silently not sent. */
export async function requestCode(
  ctx: Ctx,
  caller: Caller,
  wanted: { target: CodeTarget; address: string; nonce: string },
): Promise<void> {
  const address = parseAddress(wanted.address, { allowSingleLabel: true })?.address;
  if (address === undefined) return;
  const now = ctx.clock.now();
  const network = networkOf(caller.from.address);
  const facts = await targetFacts(ctx, wanted.target, address);
  const code = newCode(ctx);
  const spoken = `${code.slice(0, codeLength / 2)}-${code.slice(codeLength / 2)}`;
  await ctx.db.write(async (tx) => {
    if (!(await isWithinLimits(tx, { address, target: wanted.target, network }, now))) return;
    const id = ctx.random.id();
    await insertCode(tx, {
      id,
      address,
      target: wanted.target,
      nonceHash: ctx.keys.hash('nonce', wanted.nonce),
      codeHash: codeHash(ctx, id, code),
      network,
      createdAt: now,
      expiresAt: now + codeLifetimeMs,
    });
    // An address that may not open it has a code like any other, which nobody is told.
    if (facts === null) return;
    await oweMail(ctx, tx, {
      kind: 'code',
      to: address,
      ownerId: facts.ownerId,
      expiresAt: now + codeLifetimeMs,
      payload: {
        reference: id,
        code: spoken,
        address,
        minutes: codeMinutes,
        about: facts.about,
        sharedBy: facts.sharedBy,
        url: `${ctx.settings.surroundings.baseUrl}/verify?target=${encodeURIComponent(wanted.target)}&code=${spoken}`,
      },
    });
    await record(ctx, tx, caller, {
      action: 'code.sent',
      object: { kind: 'code', id },
      ownerId: facts.ownerId,
      facts: { target: wanted.target },
    });
  });
}

const limits = [
  { column: 'address', most: 3, windowMs: 10 * 60_000 },
  { column: 'target', most: 20, windowMs: hourMs },
  { column: 'network', most: 20, windowMs: hourMs },
] as const;

/** The limits of security D12. Requests that arrive together wait for each other at the row of the counter. */
async function isWithinLimits(
  tx: Tx,
  asked: { address: string; target: string; network: string },
  now: number,
): Promise<boolean> {
  for (const { column, most, windowMs } of limits) {
    await countFailure(tx, { key: `codes:${column}:${asked[column]}`, now, windowMs, most: most + 1 });
    if ((await countCodes(tx, { column, value: asked[column], since: now - windowMs })) >= most) return false;
  }
  return true;
}

export type CodeVerdict =
  | { is: 'right'; proofToken: string; address: string }
  | { is: 'wrong'; triesLeft: number }
  | { is: 'old' };

/** Tries a code typed into this browser. Of any number of parallel right answers, one wins (invariant I26). */
export async function tryCode(
  ctx: Ctx,
  caller: Caller,
  given: { target: CodeTarget; nonce: string; code: string; proofToken: string | undefined; isSharedComputer: boolean },
): Promise<CodeVerdict> {
  const now = ctx.clock.now();
  const typed = given.code.toUpperCase().replace(/[^A-Z0-9]/g, '');
  const nonceHash = ctx.keys.hash('nonce', given.nonce);
  const code = await findCode(ctx.db.read, { nonceHash, target: given.target, now });
  if (code === undefined) return { is: 'old' };
  return ctx.db.write(async (tx) => {
    const tries = await spendAttempt(tx, code.id, mostTries);
    if (tries === null) return { is: 'old' };
    if (!codeHash(ctx, code.id, typed).equals(code.codeHash)) {
      if (tries >= mostTries) await burnCode(tx, code.id);
      return { is: 'wrong', triesLeft: mostTries - tries };
    }
    if (!(await consumeCode(tx, code.id))) return { is: 'old' };
    const proofToken = (await knownProof(ctx, tx, given.proofToken, now)) ?? ctx.random.id(44);
    const lifetime = given.isSharedComputer ? hourMs : rememberMs;
    await insertProof(tx, {
      idHash: ctx.keys.hash('proof', proofToken),
      address: code.address,
      now,
      expiresAt: now + lifetime,
    });
    await record(ctx, tx, caller, {
      action: 'address.proven',
      object: { kind: 'code', id: code.id },
      ownerId: '',
      facts: { target: given.target, address: code.address },
    });
    return { is: 'right', proofToken, address: code.address };
  });
}

/** A browser that has proven an address before keeps its token; one that somebody planted is never taken up. */
async function knownProof(ctx: Ctx, tx: Tx, token: string | undefined, now: number): Promise<string | undefined> {
  if (token === undefined) return undefined;
  return (await listProvenAddresses(tx, ctx.keys.hash('proof', token), now)).length > 0 ? token : undefined;
}

interface TargetFacts {
  ownerId: string;
  /** Subject of the message; null when it must not be told. */
  about: string | null;
  sharedBy: string;
}

/** Null when no code is to be mailed: the target is not there, or this address may not open it. */
async function targetFacts(ctx: Ctx, target: CodeTarget, address: string): Promise<TargetFacts | null> {
  const [kind, id] = target.split(/:(.*)/s) as [string, string];
  const account = await findUserByEmail(ctx.db.read, address);
  if (account !== undefined && account.state !== 'active') return null;
  if (kind === 'message') return messageFacts(ctx, id, address);
  if (kind === 'link') {
    const link = await findFileLink(ctx.db.read, id);
    if (link === undefined || link.state !== 'active' || link.expires_at <= ctx.clock.now()) return null;
    const owner = await findUser(ctx.db.read, link.owner_id);
    if (owner === undefined || owner.state !== 'active') return null;
    return { ownerId: link.owner_id, about: null, sharedBy: displayName(owner) };
  }
  const drop = await findFiledrop(ctx, id);
  return drop === null ? null : { ownerId: drop.owner.id, about: null, sharedBy: drop.label };
}

async function messageFacts(ctx: Ctx, id: string, address: string): Promise<TargetFacts | null> {
  const message = await findMessage(ctx.db.read, id);
  if (message === undefined || messageStateAt(message, ctx.clock.now()) !== 'active') return null;
  const door = doorOf(message.audience, await listRecipients(ctx.db.read, id));
  // A local user proves themselves by signing in (D10, level 2), so a code for their address opens only what an address opens.
  if (!mayBeProven(door, address)) return null;
  return {
    ownerId: message.ownerId,
    about: message.isPrivate ? null : ((await findSubject(ctx.db.read, id)) ?? null),
    sharedBy: message.senderName === '' ? message.sender : message.senderName,
  };
}

/** Rejection is not needed: 256 is a multiple of 32. */
function newCode(ctx: Ctx): string {
  return [...ctx.random.bytes(codeLength)].map((byte) => alphabet[byte % alphabet.length]).join('');
}

function codeHash(ctx: Ctx, id: string, code: string): Buffer {
  return ctx.keys.hash('code', `${id}\0${code}`);
}
