// Checks the answer of a passkey.
import { findPasskeyByCredential, noteUse } from '../../db/passkeys/passkeys.ts';
import type { Tx } from '../../db/schema/schema.ts';
import type { LimitName } from '../../domain/attempt-limits.ts';
import type { Caller } from '../../domain/caller.ts';
import { type Passkey, type PasskeyRefusal, passkeyProblem } from '../../domain/passkeys.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import { challengeIn, readAssertion, verifyAssertion } from '../../lib/webauthn.ts';
import { forgiveAttempt, requireAttempt } from '../attempts.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { assertChallenge, expectedOf, newChallenge, passkeyDomain, spendChallenge } from './challenges.ts';

/** `PublicKeyCredentialRequestOptionsJSON`. Empty `allowCredentials`: the authenticator finds the passkey. */
export interface RequestOptions {
  challenge: string;
  rpId: string;
  userVerification: 'required';
  allowCredentials: { type: 'public-key'; id: string; transports: string[] }[];
}

export function requestOptions(ctx: Ctx, purpose: string, passkeys: readonly Passkey[] = []): RequestOptions {
  return {
    challenge: newChallenge(ctx, purpose),
    rpId: passkeyDomain(ctx),
    userVerification: 'required',
    allowCredentials: passkeys.map(({ credentialId, transports }) => ({
      type: 'public-key',
      id: credentialId,
      transports: [...transports],
    })),
  };
}

export interface AssertionInput {
  credential: string;
  purpose: string;
  /** Whether this kind of passkey is accepted here. */
  accepts: (passkey: Passkey) => boolean | Promise<boolean>;
  limit?: LimitName;
}

/** Runs `open` in the transaction that spends the challenge. Refusals of known passkeys are recorded. */
export async function withPasskey<Opened>(
  ctx: Ctx,
  caller: Caller,
  input: AssertionInput,
  open: (tx: Tx, passkey: Passkey) => Promise<Opened>,
): Promise<Opened> {
  const network = networkOf(caller.from.address);
  const attempt = await requireAttempt(ctx, [input.limit ?? 'signInByNetwork'], { network });
  const given = readAssertion(input.credential);
  if (given === null) throw passkeyProblem('invalid');
  const passkey = await findPasskeyByCredential(ctx.db.read, given.id);
  if (passkey === null) throw passkeyProblem('unknown');
  const refuse = async (reason: PasskeyRefusal) => {
    await ctx.db.write((tx) => recordPasskey(ctx, tx, caller, { passkey, action: 'passkey.refused', reason }));
    return passkeyProblem(reason);
  };
  if (!(await input.accepts(passkey))) throw await refuse('not_allowed');
  const challenge = challengeIn(given);
  assertChallenge(ctx, challenge, input.purpose);
  const signCount = await verifyAssertion(given, expectedOf(ctx, challenge), {
    id: passkey.credentialId,
    publicKey: passkey.publicKey,
    signCount: passkey.signCount,
  });
  if (typeof signCount === 'string') throw await refuse(signCount);
  return ctx.db.write(async (tx) => {
    await spendChallenge(ctx, tx, challenge);
    const use = { signCount, now: ctx.clock.now(), address: caller.from.address };
    if (!(await noteUse(tx, passkey, use))) throw passkeyProblem('used');
    await recordPasskey(ctx, tx, caller, { passkey, action: 'passkey.used' });
    await forgiveAttempt(tx, attempt);
    return open(tx, passkey);
  });
}

interface PasskeyEvent {
  action: 'passkey.created' | 'passkey.used' | 'passkey.renamed' | 'passkey.removed' | 'passkey.refused';
  reason?: string;
}

export async function recordPasskey(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  {
    passkey: { id, name, holder },
    action,
    reason,
  }: PasskeyEvent & { passkey: Pick<Passkey, 'id' | 'name' | 'holder'> },
): Promise<void> {
  const ownerId = 'userId' in holder ? holder.userId : '';
  const recipient = 'userId' in holder ? {} : { recipient: holder.address };
  const facts = { name, ...recipient, ...(reason === undefined ? {} : { reason }) };
  await record(ctx, tx, caller, { action, object: { kind: 'passkey', id }, ownerId, facts });
}
