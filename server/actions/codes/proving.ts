// Proves an address to a browser, by the typed code or by the button in the mail. Each works once.

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
import { proofIdOf } from '../../domain/downloads.ts';
import { spokenCode, typedCode } from '../../lib/spoken-codes.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { type CodeTarget, findTargetOwner } from './code-targets.ts';
import { codeHash, codeOfLink, linkHash, resendWaitMs } from './codes.ts';

const maxAttempts = 5;
const rememberMs = 14 * 86_400_000;
export const sharedComputerMs = 3_600_000;

export const rememberDays = rememberMs / 86_400_000;

export type CodeFailure =
  | { is: 'wrong'; attemptsLeft: number }
  | { is: 'too-many' }
  | { is: 'old' }
  | { is: 'used' }
  /** This browser never requested one. */
  | { is: 'elsewhere' };

export interface Proven {
  is: 'right';
  proofToken: string;
  address: string;
  target: CodeTarget;
  dropKeyId: string | null;
}

/** A known token keeps the addresses proven before. */
interface Prover {
  proofToken: string | undefined;
  isSharedComputer: boolean;
}

export async function tryCode(ctx: Ctx, caller: Caller, input: Prover & TypedCode): Promise<Proven | CodeFailure> {
  const verdict = await spendTypedCode(ctx, input, (tx, code) => prove(ctx, tx, caller, { ...input, code }));
  if (verdict.is !== 'used') return verdict;
  return (await findProven(ctx, await findTyped(ctx, input), input.proofToken)) ?? verdict;
}

function findTyped(ctx: Ctx, { nonce, target }: Pick<TypedCode, 'nonce' | 'target'>): Promise<Code | undefined> {
  return findCode(ctx.db.read, ctx.keys.hash('nonce', nonce), target);
}

/** For a repeated click: what a used code has proven to this browser. */
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

/** Consumes a code. Of concurrent right attempts, one succeeds. */
export async function spendTypedCode<Done>(
  ctx: Ctx,
  input: TypedCode,
  use: (tx: Tx, code: Code) => Promise<Done>,
): Promise<Done | CodeFailure> {
  const now = ctx.clock.now();
  const typed = typedCode(input.code);
  const code = await findTyped(ctx, input);
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

/** The unused code this browser requested; null if there is none. */
export async function findRequestedCode(
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

export type LinkVisit = (LinkFacts & { is: 'here'; code: string }) | (LinkFacts & { is: 'elsewhere' | 'old' | 'used' });

interface LinkFacts {
  target: CodeTarget;
  address: string;
  dropKeyId: string | null;
}

/** Consumes nothing. Null for an unknown link. */
export async function visitCodeLink(ctx: Ctx, link: string, nonce: string | undefined): Promise<LinkVisit | null> {
  const code = await findCodeByLink(ctx.db.read, linkHash(ctx, link));
  if (code === undefined) return null;
  const about = { target: code.target as CodeTarget, address: code.address, dropKeyId: code.dropKeyId };
  if (code.expiresAt <= ctx.clock.now()) return { is: 'old', ...about };
  const isHere = nonce !== undefined && ctx.keys.hash('nonce', nonce).equals(code.nonceHash);
  if (isHere && code.state === 'issued') return { is: 'here', ...about, code: spokenCode(codeOfLink(ctx, link)) };
  return { is: code.linkState === 'open' ? 'elsewhere' : 'used', ...about };
}

/** The "Continue as …" button: proves the address to this browser. */
export async function tryCodeLink(
  ctx: Ctx,
  caller: Caller,
  input: Prover & { link: string },
): Promise<Proven | CodeFailure> {
  const code = await findCodeByLink(ctx.db.read, linkHash(ctx, input.link));
  if (code === undefined || code.expiresAt <= ctx.clock.now()) return { is: 'old' };
  const proven = await ctx.db.write(async (tx) =>
    (await consumeCodeLink(tx, code.id, ctx.clock.now())) ? prove(ctx, tx, caller, { ...input, code }) : null,
  );
  return proven ?? (await findProven(ctx, code, input.proofToken)) ?? { is: 'used' };
}

async function prove(ctx: Ctx, tx: Tx, caller: Caller, { code, ...prover }: Prover & { code: Code }): Promise<Proven> {
  const now = ctx.clock.now();
  const proofToken = (await knownProof(ctx, tx, prover.proofToken, now)) ?? ctx.random.id(44);
  const idHash = ctx.keys.hash('proof', proofToken);
  await insertProof(tx, {
    idHash,
    address: code.address,
    now,
    expiresAt: now + (prover.isSharedComputer ? sharedComputerMs : rememberMs),
  });
  await record(ctx, tx, caller, {
    action: 'address.proven',
    object: { kind: 'code', id: code.id },
    ownerId: await findTargetOwner(tx, code.target as CodeTarget),
    facts: { target: code.target, address: code.address, proof_id: proofIdOf(idHash) },
  });
  return provenBy(code, proofToken);
}

/** Accepts a token only if it has proven an address, so that a planted one is never used. */
export async function knownProof(
  ctx: Ctx,
  tx: Tx,
  token: string | undefined,
  now: number,
): Promise<string | undefined> {
  if (token === undefined) return undefined;
  return (await listProvenAddresses(tx, ctx.keys.hash('proof', token), now)).length > 0 ? token : undefined;
}
