// Admits and removes witnesses and stores their cosignatures. Only System Administrators and operators admit keys:
// other users could occupy all places.
import {
  deleteWitness,
  findLogHead,
  findOldestUnsealed,
  listCosignedCheckpoints,
  listWitnesses,
  lockCheckpoint,
  saveCosignature,
  saveWitness,
  setCosignatures,
  type Witness,
} from '../../db/evidence/evidence.ts';
import type { Tx } from '../../db/schema/schema.ts';
import type { Caller, UserCaller } from '../../domain/caller.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import { isSystemAdministrator, requireRight } from '../../domain/roles.ts';
import { checkCosignature } from '../../lib/tlog/checkpoints.ts';
import {
  isWitnessType,
  NoteProblem,
  type NoteSignature,
  parseNote,
  parseSignatureLine,
  parseVerifierKey,
  signatureLine,
  type Verifier,
} from '../../lib/tlog/notes.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';

/** Every checkpoint carries all their signatures. */
const maxWitnesses = 32;

/** How far a witness's clock may be ahead. */
export const clockToleranceMs = 60_000;

export interface Cosigned {
  /** Size of the checkpoint. */
  size: number;
  /** Verifier key of the witness. */
  key: string;
  /** The signature line, `— name base64`. */
  line: string;
}

export async function addCosignature(ctx: Ctx, caller: UserCaller, { size, key, line }: Cosigned): Promise<Witness> {
  requireRight(caller, 'console.read');
  const { verifier, signature } = readCosigned(key, line);
  return ctx.db.write(async (tx) => {
    const checkpoint = await lockCheckpoint(tx, size);
    if (checkpoint === null)
      throw new Problem('not_found', 'evidence.no_checkpoint', 'There’s no checkpoint of this size.');
    const { text } = parseNote(checkpoint.note);
    const seconds = checkCosignature(text, signature, verifier);
    if (seconds === null || seconds === 0)
      throw invalid('evidence.bad_cosignature', 'This isn’t a signature of this witness on the checkpoint.', 'line');
    const now = ctx.clock.now();
    if (seconds * 1000 > now + clockToleranceMs)
      throw invalid('evidence.future_cosignature', 'This signature has a time in the future.', 'line');
    const before = await findAdmitted(ctx, tx, caller, key);
    if (before.size > size) return before;
    const witness = { ...before, size, witnessedAt: seconds * 1000 };
    await saveCosignature(tx, witness, withLine(checkpoint.cosignatures, verifier, signature));
    return witness;
  });
}

/** A System Administrator's first cosignature admits the key. */
async function findAdmitted(ctx: Ctx, tx: Tx, caller: UserCaller, key: string): Promise<Witness> {
  const known = (await listWitnesses(tx)).find((witness) => witness.verifierKey === key);
  if (known !== undefined) return known;
  if (isSystemAdministrator(caller)) return admit(ctx, tx, caller, key);
  throw new Problem(
    'forbidden',
    'evidence.witness_not_admitted',
    'The key of this witness has not been admitted. The operator admits it with waybill-server evidence admit-witness, a System Administrator by handing in its first signature.',
  );
}

/** False if already admitted. */
export async function admitWitness(ctx: Ctx, caller: UserCaller, key: string): Promise<boolean> {
  requireRight(caller, 'system.change');
  const verifier = readVerifier(key);
  if (verifier === null || !isWitnessType(verifier.type))
    throw invalid('evidence.bad_witness_key', 'This isn’t the verifier key of a witness.', 'key');
  return ctx.db.write(async (tx) => {
    if ((await listWitnesses(tx)).some((witness) => witness.verifierKey === key)) return false;
    await admit(ctx, tx, caller, key);
    return true;
  });
}

export async function admit(ctx: Ctx, tx: Tx, caller: Caller, key: string): Promise<Witness> {
  if ((await listWitnesses(tx)).length >= maxWitnesses)
    throw new Problem('conflict', 'evidence.too_many_witnesses', `There can be at most ${maxWitnesses} witnesses.`);
  const witness = {
    verifierKey: key,
    size: 0,
    witnessedAt: 0,
    createdAt: ctx.clock.now(),
    failingSince: null,
    lastError: '',
  };
  await saveWitness(tx, witness);
  await record(ctx, tx, caller, {
    action: 'evidence.witness_added',
    object: { kind: 'system', id: 'evidence' },
    ownerId: '',
    facts: { witness: key },
  });
  return witness;
}

/** Also removes stored signatures. False for an unknown key. */
export async function removeWitness(ctx: Ctx, caller: UserCaller, key: string): Promise<boolean> {
  requireRight(caller, 'system.change');
  if (ctx.settings.surroundings.witnessPolicy?.witnesses.some((witness) => witness.key === key))
    throw new Problem(
      'conflict',
      'evidence.witness_in_policy',
      'The policy file (WAYBILL_EVIDENCE_WITNESS_POLICY) lists this key. Remove its line there and restart first.',
    );
  const verifier = readVerifier(key);
  return ctx.db.write(async (tx) => {
    if (!(await deleteWitness(tx, key))) return false;
    if (verifier !== null) await removeSignatures(tx, verifier);
    await record(ctx, tx, caller, {
      action: 'evidence.witness_removed',
      object: { kind: 'system', id: 'evidence' },
      ownerId: '',
      facts: { witness: key },
    });
    return true;
  });
}

const batchSize = 200;

async function removeSignatures(tx: Tx, verifier: Verifier): Promise<void> {
  for (let after = -1; ; ) {
    const batch = await listCosignedCheckpoints(tx, after, batchSize);
    for (const { size } of batch) {
      const cosignatures = (await lockCheckpoint(tx, size))?.cosignatures ?? '';
      const remaining = asText(linesWithout(cosignatures, verifier));
      if (remaining !== cosignatures) await setCosignatures(tx, size, remaining);
    }
    const last = batch.at(-1);
    if (last === undefined) return;
    after = last.size;
  }
}

export function listAdmittedWitnesses(ctx: Ctx, caller: UserCaller): Promise<Witness[]> {
  requireRight(caller, 'console.read');
  return listWitnesses(ctx.db.read);
}

export function withLine(cosignatures: string, verifier: Verifier, signature: NoteSignature): string {
  return asText([...linesWithout(cosignatures, verifier), signatureLine(signature)]);
}

function linesWithout(cosignatures: string, verifier: Verifier): string[] {
  return cosignatures.split('\n').filter((line) => line !== '' && !isBy(line, verifier));
}

function asText(lines: string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function readVerifier(key: string): Verifier | null {
  try {
    return parseVerifierKey(key);
  } catch (error) {
    if (error instanceof NoteProblem) return null;
    throw error;
  }
}

function readCosigned(key: string, line: string) {
  try {
    return { verifier: parseVerifierKey(key), signature: parseSignatureLine(line) };
  } catch (error) {
    if (error instanceof NoteProblem)
      throw invalid('evidence.bad_cosignature', 'This isn’t a signature of this witness on the checkpoint.', 'line');
    throw error;
  }
}

function isBy(line: string, { name, keyId }: Verifier): boolean {
  const signature = parseSignatureLine(line);
  return signature.name === name && signature.keyId === keyId;
}

export interface EvidenceState {
  origin: string;
  /** Entries. */
  size: number;
  /** Time of the last checkpoint; null if there is none. */
  sealedAt: number | null;
  oldestUnsealedAt: number | null;
  witnesses: Witness[];
}

export async function findEvidenceState(ctx: Ctx): Promise<EvidenceState> {
  const head = await findLogHead(ctx.db.read);
  return {
    origin: head?.origin ?? '',
    size: head?.size ?? 0,
    sealedAt: head === null || head.size === 0 ? null : head.sealedAt,
    oldestUnsealedAt: await findOldestUnsealed(ctx.db.read),
    witnesses: await listWitnesses(ctx.db.read),
  };
}
