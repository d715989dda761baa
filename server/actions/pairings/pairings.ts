// Sign-in of a program through the browser: the program shows a code, the user confirms it, and the program fetches a
// key once. The key is created then, so it is never stored in clear.
import type { Tx } from '../../db/schema/schema.ts';
import {
  answerPairing,
  claimPairing,
  findPairingState,
  findWaitingPairing,
  insertPairing,
  type Pairing,
} from '../../db/sessions/pairings.ts';
import { findUser } from '../../db/users/users.ts';
import type { Caller, UserCaller } from '../../domain/caller.ts';
import { Problem } from '../../domain/problem.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import { codeOfBytes, spokenCode, typedCode } from '../../lib/spoken-codes.ts';
import { addProgramKey, assertBelowKeyLimit, readKeyName } from '../api-keys/own-api-keys.ts';
import { requireAttempt, tryOnce } from '../attempts.ts';
import type { Ctx } from '../context.ts';
import { callerOf } from '../sessions/identities.ts';
import { openApiAccessFor } from '../sessions/open-session.ts';

const lifetimeMs = 10 * 60_000;
const tokenLength = 44;

export const pollSeconds = 2;

export interface StartedPairing {
  token: string;
  code: string;
  url: string;
  expiresInSeconds: number;
}

export async function startPairing(ctx: Ctx, caller: Caller, given: string): Promise<StartedPairing> {
  const name = readKeyName(given);
  const { address } = caller.from;
  await requireAttempt(ctx, ['pairing'], { network: networkOf(address) });
  const now = ctx.clock.now();
  const token = ctx.random.id(tokenLength);
  const code = codeOfBytes(ctx.random.bytes(8));
  await ctx.db.write((tx) =>
    insertPairing(tx, {
      tokenHash: ctx.keys.hash('pairing', token),
      codeHash: codeHash(ctx, code),
      name,
      address,
      createdAt: now,
      expiresAt: now + lifetimeMs,
    }),
  );
  const url = `${ctx.settings.surroundings.baseUrl}/connect`;
  return { token, code: spokenCode(code), url, expiresInSeconds: lifetimeMs / 1000 };
}

/** Null when the code is wrong, expired or used. */
export async function findPairing(ctx: Ctx, caller: UserCaller, code: string): Promise<Pairing | null> {
  const attempt = await requireAttempt(ctx, ['pairingCode'], { account: caller.userId });
  let pairing: Pairing | undefined;
  await tryOnce(ctx, attempt, async () => {
    pairing = await findWaitingPairing(ctx.db.read, codeHash(ctx, typedCode(code)), ctx.clock.now());
    return pairing !== undefined;
  });
  return pairing ?? null;
}

/** False when the code was answered before or has expired. */
export async function decidePairing(
  ctx: Ctx,
  caller: UserCaller,
  { code, isAllowed }: { code: string; isAllowed: boolean },
): Promise<boolean> {
  const attempt = await requireAttempt(ctx, ['pairingCode'], { account: caller.userId });
  const answer = (tx: Tx) =>
    answerPairing(tx, {
      codeHash: codeHash(ctx, typedCode(code)),
      userId: caller.userId,
      state: isAllowed ? 'allowed' : 'refused',
      now: ctx.clock.now(),
    });
  return tryOnce(ctx, attempt, () =>
    ctx.db.write(async (tx) => {
      if (isAllowed) await assertBelowKeyLimit(tx, caller);
      return answer(tx);
    }),
  );
}

/** Returns the key once; null until the user has confirmed. */
export async function fetchPairedKey(ctx: Ctx, caller: Caller, token: string): Promise<string | null> {
  const tokenHash = ctx.keys.hash('pairing', token);
  const state = await findPairingState(ctx.db.read, tokenHash, ctx.clock.now());
  if (state === 'waiting') return null;
  if (state === 'refused') throw new Problem('forbidden', 'pairing.refused', 'Sign-in was refused in the browser.');
  if (state !== 'allowed') throw await pairingOver(ctx, caller);
  const key = await ctx.db.write(async (tx) => {
    const claimed = await claimPairing(tx, tokenHash, ctx.clock.now());
    const owner = claimed === null ? undefined : await findUser(tx, claimed.userId);
    if (claimed === null || owner === undefined) return null;
    const user = await openApiAccessFor(ctx, tx, caller, { user: owner, proof: { kind: 'pairing' } });
    return user === null ? null : addProgramKey(ctx, tx, callerOf(user, caller.from), claimed.name);
  });
  if (key === null) throw await pairingOver(ctx, caller);
  return key;
}

/** For a program that opened the browser: a key of its own, after the user's confirmation. */
export async function createProgramKey(ctx: Ctx, caller: UserCaller, name: string): Promise<string> {
  await requireAttempt(ctx, ['pairingCode'], { account: caller.userId });
  return ctx.db.write(async (tx) => {
    await assertBelowKeyLimit(tx, caller);
    const owner = await findUser(tx, caller.userId);
    const proof = { kind: 'pairing' } as const;
    const user = owner === undefined ? null : await openApiAccessFor(ctx, tx, caller, { user: owner, proof });
    if (user === null) throw await pairingOver(ctx, caller);
    return addProgramKey(ctx, tx, callerOf(user, caller.from), name);
  });
}

async function pairingOver(ctx: Ctx, { from }: Caller): Promise<Problem> {
  await requireAttempt(ctx, ['pairingToken'], { network: networkOf(from.address) });
  return new Problem('not_found', 'pairing.not_found', 'This code has expired or was used already. Start again.');
}

function codeHash(ctx: Ctx, code: string): Buffer {
  return ctx.keys.hash('pairing-code', code);
}
