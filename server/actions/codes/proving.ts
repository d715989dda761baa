// Proving an address to a browser: by the code typed where it was asked for, or by the button of its mail pressed in any
// browser. Each way serves once and tells truly why it does not (security D10, invariants I25 and I26).

import type { Tx } from '../../db/schema/schema.ts';
import {
  burnCode,
  type Code,
  consumeCode,
  consumeCodeLink,
  findCode,
  findCodeByLink,
  insertProof,
  listProvenAddresses,
  spendAttempt,
} from '../../db/sessions/codes.ts';
import type { Caller } from '../../domain/caller.ts';
import { spokenCode, typedCode } from '../../lib/spoken-codes.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { type CodeTarget, findTargetOwner } from './code-targets.ts';
import { codeHash, codeOfLink, linkHash, resendWaitMs } from './codes.ts';

const maxAttempts = 5;
const rememberMs = 14 * 86_400_000;
export const sharedComputerMs = 3_600_000;

export const rememberDays = rememberMs / 86_400_000;

/** Why a code or the button of its mail proves nothing. */
export type CodeFailure =
  | { is: 'wrong'; attemptsLeft: number }
  | { is: 'too-many' }
  | { is: 'old' }
  | { is: 'used' }
  /** This browser never asked for one. */
  | { is: 'elsewhere' };

export interface Proven {
  is: 'right';
  proofToken: string;
  address: string;
  target: CodeTarget;
  /** The delivery that waited for it. */
  dropKeyId: string | null;
}

/** The browser that proves: by its own token it keeps what it has proven before. */
interface Prover {
  proofToken: string | undefined;
  isSharedComputer: boolean;
}

/** Checks a code typed into this browser. */
export async function tryCode(ctx: Ctx, caller: Caller, given: Prover & TypedCode): Promise<Proven | CodeFailure> {
  const verdict = await spendTypedCode(ctx, given, (tx, code) => prove(ctx, tx, caller, { ...given, code }));
  if (verdict.is !== 'used') return verdict;
  return (await findProven(ctx, await findTyped(ctx, given), given.proofToken)) ?? verdict;
}

function findTyped(ctx: Ctx, { nonce, target }: Pick<TypedCode, 'nonce' | 'target'>): Promise<Code | undefined> {
  return findCode(ctx.db.read, ctx.keys.hash('nonce', nonce), target);
}

/** What a used code or button has proven to this very browser: of two presses the second finds it used. */
async function findProven(ctx: Ctx, code: Code | undefined, proofToken: string | undefined): Promise<Proven | null> {
  if (code === undefined || proofToken === undefined) return null;
  const proven = await listProvenAddresses(ctx.db.read, ctx.keys.hash('proof', proofToken), ctx.clock.now());
  return proven.includes(code.address) ? provenBy(code, proofToken) : null;
}

function provenBy({ address, target, dropKeyId }: Code, proofToken: string): Proven {
  return { is: 'right', proofToken, address, target: target as CodeTarget, dropKeyId };
}

export interface TypedCode {
  target: CodeTarget;
  nonce: string;
  code: string;
}

/** Uses a code up and does what it is for. Of any number of parallel right answers, one wins (invariant I26). */
export async function spendTypedCode<Done>(
  ctx: Ctx,
  given: TypedCode,
  use: (tx: Tx, code: Code) => Promise<Done>,
): Promise<Done | CodeFailure> {
  const now = ctx.clock.now();
  const typed = typedCode(given.code);
  const code = await findTyped(ctx, given);
  if (code === undefined) return { is: 'elsewhere' };
  if (code.state !== 'issued') return { is: code.state === 'used' ? 'used' : 'too-many' };
  if (code.expiresAt <= now) return { is: 'old' };
  return ctx.db.write(async (tx) => {
    const attempts = await spendAttempt(tx, code.id, { most: maxAttempts, now });
    if (attempts === null) return { is: 'used' };
    if (!codeHash(ctx, code.id, typed).equals(code.codeHash)) {
      if (attempts < maxAttempts) return { is: 'wrong', attemptsLeft: maxAttempts - attempts };
      await burnCode(tx, code.id);
      return { is: 'too-many' };
    }
    if (!(await consumeCode(tx, code.id))) return { is: 'used' };
    return use(tx, code);
  });
}

/** What this browser has asked for and not used yet; null when there is nothing to type a code for. */
export async function findAskedCode(
  ctx: Ctx,
  nonce: string,
  target: CodeTarget,
): Promise<{ address: string; resendSeconds: number; dropKeyId: string | null } | null> {
  const now = ctx.clock.now();
  const code = await findTyped(ctx, { nonce, target });
  if (code === undefined) return null;
  const { address, dropKeyId } = code;
  return { address, dropKeyId, resendSeconds: Math.ceil(resendWaitMs(code, now) / 1_000) };
}

/** What the button of a mail means in the browser it was opened in. */
export type LinkVisit = (LinkFacts & { is: 'here'; code: string }) | (LinkFacts & { is: 'elsewhere' | 'old' | 'used' });

interface LinkFacts {
  target: CodeTarget;
  address: string;
  /** The delivery that waits for the address to be proven. */
  dropKeyId: string | null;
}

/** Looks at the button of a mail; nothing is spent. Null when there never was such a thing. */
export async function visitCodeLink(ctx: Ctx, link: string, nonce: string | undefined): Promise<LinkVisit | null> {
  const code = await findCodeByLink(ctx.db.read, linkHash(ctx, link));
  if (code === undefined) return null;
  const about = { target: code.target as CodeTarget, address: code.address, dropKeyId: code.dropKeyId };
  if (code.expiresAt <= ctx.clock.now()) return { is: 'old', ...about };
  const isHere = nonce !== undefined && ctx.keys.hash('nonce', nonce).equals(code.nonceHash);
  if (isHere && code.state === 'issued') return { is: 'here', ...about, code: spokenCode(codeOfLink(ctx, link)) };
  return { is: code.linkState === 'open' ? 'elsewhere' : 'used', ...about };
}

/** The press on "Continue as …": proves the address to the browser it was pressed in. */
export async function pressCodeLink(
  ctx: Ctx,
  caller: Caller,
  given: Prover & { link: string },
): Promise<Proven | CodeFailure> {
  const code = await findCodeByLink(ctx.db.read, linkHash(ctx, given.link));
  if (code === undefined || code.expiresAt <= ctx.clock.now()) return { is: 'old' };
  const proven = await ctx.db.write(async (tx) =>
    (await consumeCodeLink(tx, code.id, ctx.clock.now())) ? prove(ctx, tx, caller, { ...given, code }) : null,
  );
  return proven ?? (await findProven(ctx, code, given.proofToken)) ?? { is: 'used' };
}

async function prove(ctx: Ctx, tx: Tx, caller: Caller, { code, ...prover }: Prover & { code: Code }): Promise<Proven> {
  const now = ctx.clock.now();
  const proofToken = (await knownProof(ctx, tx, prover.proofToken, now)) ?? ctx.random.id(44);
  await insertProof(tx, {
    idHash: ctx.keys.hash('proof', proofToken),
    address: code.address,
    now,
    expiresAt: now + (prover.isSharedComputer ? sharedComputerMs : rememberMs),
  });
  await record(ctx, tx, caller, {
    action: 'address.proven',
    object: { kind: 'code', id: code.id },
    ownerId: await findTargetOwner(tx, code.target as CodeTarget),
    facts: { target: code.target, address: code.address },
  });
  return provenBy(code, proofToken);
}

/** A browser that has proven an address before keeps its token; one that somebody planted is never taken up. */
async function knownProof(ctx: Ctx, tx: Tx, token: string | undefined, now: number): Promise<string | undefined> {
  if (token === undefined) return undefined;
  return (await listProvenAddresses(tx, ctx.keys.hash('proof', token), now)).length > 0 ? token : undefined;
}
