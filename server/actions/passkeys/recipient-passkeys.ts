// Passkeys of addresses without an account (docs/adr/0135).
import { deletePasskey, hasRecipientPasskeys, listPasskeys } from '../../db/passkeys/passkeys.ts';
import type { Query } from '../../db/schema/schema.ts';
import { type AddressProof, insertProof, listProofs } from '../../db/sessions/codes.ts';
import { listHoldersOf } from '../../db/users/users.ts';
import { confirmedAddresses } from '../../domain/addresses.ts';
import type { Caller } from '../../domain/caller.ts';
import { proofIdOf } from '../../domain/downloads.ts';
import { maxRecipientPasskeys, type Passkey, passkeyProblem } from '../../domain/passkeys.ts';
import { invalid, notFound, Problem } from '../../domain/problem.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import { queueSecurityNotice } from '../account/security-notices.ts';
import { requireAttempt } from '../attempts.ts';
import {
  type CodeTarget,
  checkOpening,
  findTargetOwner,
  findTargetPolicy,
  isSwitchedOff,
} from '../codes/code-targets.ts';
import { findRequestedCode, knownProof, type Proven, sharedComputerMs } from '../codes/proving.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { type RequestOptions, recordPasskey, requestOptions, withPasskey } from './assertions.ts';
import { arePasskeysUsable } from './challenges.ts';
import { type CreationOptions, enrol, enrolmentOptions } from './enrolment.ts';

const provenMs = 12 * 3_600_000;
const freshMs = 3_600_000;

const purposeOf = (target: CodeTarget) => `open\0${target}`;

/** What a page offers instead of a code; null where passkeys are off, or do not work at the public address. */
export async function findPasskeyOffer(
  ctx: Ctx,
  target: CodeTarget,
): Promise<{ isRequired: boolean; options: RequestOptions } | null> {
  const setting = (await findTargetPolicy(ctx, target))?.recipient_passkey ?? 'off';
  if (setting === 'off' || !arePasskeysUsable(ctx)) return null;
  return { isRequired: setting === 'required_once_enrolled', options: requestOptions(ctx, purposeOf(target)) };
}

interface PasskeyVisit {
  target: CodeTarget;
  credential: string;
  proofToken: string | undefined;
  /** Of the browser that requested a code. */
  nonce: string | undefined;
}

/** Proves the address of the passkey to this browser, also if it may not open the target, as a mailed code does. */
export async function proveWithPasskey(ctx: Ctx, caller: Caller, input: PasskeyVisit): Promise<Proven> {
  const { target, credential, nonce } = input;
  const isOff = ((await findTargetPolicy(ctx, target))?.recipient_passkey ?? 'off') === 'off';
  const accepts = async ({ holder }: Passkey) =>
    !isOff && 'address' in holder && !(await isSwitchedOff(ctx, holder.address));
  const dropKeyId = nonce === undefined ? null : ((await findRequestedCode(ctx, nonce, target))?.dropKeyId ?? null);
  const assertion = { credential, purpose: purposeOf(target), accepts, limit: 'recipientPasskey' } as const;
  return withPasskey(ctx, caller, assertion, async (tx, { id, holder }) => {
    if (!('address' in holder)) throw passkeyProblem('not_allowed');
    const { address } = holder;
    const now = ctx.clock.now();
    const proofToken = (await knownProof(ctx, tx, input.proofToken, now)) ?? ctx.random.id(44);
    const idHash = ctx.keys.hash('proof', proofToken);
    const earlier = (await listProofs(tx, idHash, now)).find((proof) => proof.address === address);
    const expiresAt = Math.max(now + provenMs, earlier?.expiresAt ?? 0);
    await insertProof(tx, { idHash, address, now, expiresAt, passkeyId: id });
    const { facts } = await checkOpening(ctx, target, address);
    await record(ctx, tx, caller, {
      action: 'address.proven',
      object: { kind: 'passkey', id },
      // The address is not for an owner who did not send to it.
      ownerId: facts === null ? '' : await findTargetOwner(tx, target),
      facts: { target, address, proof_id: proofIdOf(idHash) },
    });
    return { is: 'right', proofToken, address, target, dropKeyId };
  });
}

/** Whether passkeys of an address may be created and removed in this browser, or what must be done before. */
type PasskeyStanding = 'allowed' | 'use_passkey' | 'confirm_again' | 'shared';

function standingOf(proof: AddressProof, now: number): PasskeyStanding {
  const isFresh = proof.createdAt + freshMs >= now;
  if (proof.hasPasskey) return isFresh && proof.passkeyId !== '' ? 'allowed' : 'use_passkey';
  if (isShared(proof)) return 'shared';
  return isFresh ? 'allowed' : 'confirm_again';
}

/** On a computer that others use too. */
export function isShared({ createdAt, expiresAt }: AddressProof): boolean {
  return expiresAt - createdAt <= sharedComputerMs;
}

export interface AddressPasskeys {
  address: string;
  passkeys: Passkey[];
  standing: PasskeyStanding;
  /** Null if none can be created here. */
  creation: CreationOptions | null;
}

/** Of the proven address that may open the target, or of the newest one; null without a proof. */
export async function findAddressPasskeys(
  ctx: Ctx,
  visit: { proofToken: string | undefined; target: CodeTarget },
): Promise<AddressPasskeys | null> {
  const proofs = await proofsOf(ctx, ctx.db.read, visit.proofToken);
  const proof = (await findOpening(ctx, proofs, visit.target)) ?? proofs[0];
  if (proof === undefined) return null;
  const { address } = proof;
  const standing = standingOf(proof, ctx.clock.now());
  const isOffered = standing === 'allowed' && (await findRefusal(ctx, visit.target, address)) === null;
  const creation = isOffered
    ? await enrolmentOptions(ctx, holderOf(ctx, visit.proofToken!, address), {
        name: address,
        displayName: address,
      }).catch(noneIfFull)
    : null;
  return { address, passkeys: await listPasskeys(ctx.db.read, { address }), standing, creation };
}

function noneIfFull(error: unknown): null {
  if (error instanceof Problem && error.code === 'passkey.too_many') return null;
  throw error;
}

async function findOpening(
  ctx: Ctx,
  proofs: readonly AddressProof[],
  target: CodeTarget,
): Promise<AddressProof | undefined> {
  for (const proof of proofs.slice(0, 5))
    if ((await checkOpening(ctx, target, proof.address)).facts !== null) return proof;
  return undefined;
}

async function proofsOf(ctx: Ctx, db: Query, token: string | undefined): Promise<AddressProof[]> {
  return token === undefined ? [] : listProofs(db, ctx.keys.hash('proof', token), ctx.clock.now());
}

function holderOf(ctx: Ctx, proofToken: string, address: string) {
  return { holder: { address }, session: ctx.keys.hash('proof', proofToken).toString('hex') };
}

/** Why no passkey can be created for the address here. */
async function findRefusal(ctx: Ctx, target: CodeTarget, address: string): Promise<Problem | null> {
  const setting = (await findTargetPolicy(ctx, target))?.recipient_passkey ?? 'off';
  const { facts } = await checkOpening(ctx, target, address);
  if (setting === 'off' || facts === null || !arePasskeysUsable(ctx)) return passkeyProblem('not_allowed');
  const holders = await listHoldersOf(ctx.db.read, address);
  if (holders.some((user) => confirmedAddresses(user).includes(address)))
    return invalid('passkey.has_account', 'This address belongs to an account. Sign in to set up a passkey.');
  if (await hasRecipientPasskeys(ctx.db.read, maxRecipientPasskeys))
    return invalid('passkey.no_room', 'No more passkeys can be set up here. Ask the person who sent this to you.');
  return null;
}

interface Change {
  proofToken: string | undefined;
  address: string;
}

async function requireChange(ctx: Ctx, db: Query, { proofToken, address }: Change): Promise<AddressProof> {
  const proof = (await proofsOf(ctx, db, proofToken)).find((one) => one.address === address);
  const standing = proof === undefined ? 'confirm_again' : standingOf(proof, ctx.clock.now());
  if (proof !== undefined && standing === 'allowed') return proof;
  throw changeRefusal(standing);
}

function changeRefusal(standing: PasskeyStanding): Problem {
  switch (standing) {
    case 'use_passkey':
      return new Problem('forbidden', 'passkey.use_passkey', 'Confirm with a passkey of this address first.');
    case 'shared':
      return new Problem('forbidden', 'passkey.shared_computer', 'Passkeys can’t be set up on a shared computer.');
    default:
      return new Problem('forbidden', 'passkey.confirm_again', 'Confirm your address again, then repeat this.');
  }
}

export async function addRecipientPasskey(
  ctx: Ctx,
  caller: Caller,
  input: Change & { target: CodeTarget; credential: string; name: string },
): Promise<void> {
  const { target, address, credential, name, proofToken = '' } = input;
  await requireChange(ctx, ctx.db.read, input);
  await requireAttempt(ctx, ['newRecipientPasskey'], { network: networkOf(caller.from.address) });
  const refusal = await findRefusal(ctx, target, address);
  if (refusal !== null) throw refusal;
  await enrol(ctx, { ...holderOf(ctx, proofToken, address), credential, name }, async (tx, passkey) => {
    const idHash = ctx.keys.hash('proof', proofToken);
    const proof = (await proofsOf(ctx, tx, proofToken)).find((one) => one.address === address);
    // Another browser may have created the first one since.
    const isFirst = (await listPasskeys(tx, { address })).length === 1;
    if (proof === undefined || (!isFirst && proof.passkeyId === '')) throw changeRefusal('use_passkey');
    const { expiresAt } = proof;
    await insertProof(tx, { idHash, address, now: ctx.clock.now(), expiresAt, passkeyId: passkey.id });
    await recordPasskey(ctx, tx, caller, { passkey, action: 'passkey.created' });
    // Another reader of the mailbox may have set it up.
    const userId = (await checkOpening(ctx, target, address)).facts?.ownerId ?? '';
    await queueSecurityNotice(ctx, tx, caller, { event: 'recipient-passkey-created', userId, to: address });
  });
}

/** Ends the proofs that the passkey gave. */
export async function removeRecipientPasskey(ctx: Ctx, caller: Caller, input: Change & { id: string }): Promise<void> {
  await requireChange(ctx, ctx.db.read, input);
  const passkey = (await listPasskeys(ctx.db.read, { address: input.address })).find(({ id }) => id === input.id);
  if (passkey === undefined) throw notFound('passkey');
  await ctx.db.write(async (tx) => {
    if (!(await deletePasskey(tx, passkey))) throw notFound('passkey');
    await recordPasskey(ctx, tx, caller, { passkey, action: 'passkey.removed' });
  });
}
