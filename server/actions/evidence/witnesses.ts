// Witnesses run elsewhere, check that the log only grows, and co-sign what they saw. Here their signatures are taken back,
// so that proofs carry them and everybody sees who looked last.
import { findCheckpoint, findLogHead, keepCosignature, listWitnesses, type Witness } from '../../db/evidence.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import { demandRight } from '../../domain/roles.ts';
import { checkCosignature } from '../../lib/tlog/checkpoints.ts';
import { NoteProblem, parseNote, parseSignatureLine, parseVerifierKey, signatureLine } from '../../lib/tlog/notes.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';

/** Every checkpoint carries the lines of all of them. */
const witnessesMax = 16;

export interface Cosigned {
  /** Size of the checkpoint. */
  size: number;
  /** Verifier key of the witness. */
  key: string;
  /** The line of its signature, `— name base64`. */
  line: string;
}

export async function addCosignature(ctx: Ctx, caller: UserCaller, { size, key, line }: Cosigned): Promise<Witness> {
  demandRight(caller, 'console.read');
  const { verifier, signature } = readCosigned(key, line);
  return ctx.db.write(async (tx) => {
    const checkpoint = await findCheckpoint(tx, size);
    if (checkpoint === null)
      throw new Problem('not_found', 'evidence.no_checkpoint', 'There’s no checkpoint of this size.');
    const { text } = parseNote(checkpoint.note);
    const seconds = checkCosignature(text, signature, verifier);
    if (seconds === null)
      throw invalid('evidence.bad_cosignature', 'This isn’t a signature of this witness on the checkpoint.', 'line');
    const known = await listWitnesses(tx);
    const before = known.find((each) => each.verifierKey === key);
    if (before === undefined && known.length >= witnessesMax)
      throw new Problem('conflict', 'evidence.too_many_witnesses', `There can be at most ${witnessesMax} witnesses.`);
    if (before !== undefined && before.size > size) return before;
    const others = checkpoint.cosignatures.split('\n').filter((each) => each !== '' && !isBy(each, verifier));
    const now = ctx.clock.now();
    const witness = { verifierKey: key, size, witnessedAt: seconds * 1000, createdAt: before?.createdAt ?? now };
    const lines = [...others, signatureLine(signature)].map((each) => `${each}\n`).join('');
    await keepCosignature(tx, witness, lines);
    if (before === undefined)
      await record(ctx, tx, caller, {
        action: 'evidence.witness_added',
        object: { kind: 'system', id: 'evidence' },
        ownerId: '',
        facts: { witness: key },
      });
    return witness;
  });
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

function isBy(line: string, { name, keyId }: { name: string; keyId: string }): boolean {
  const signature = parseSignatureLine(line);
  return signature.name === name && signature.keyId === keyId;
}

/** How the log is doing, for those who look after it. */
export interface EvidenceState {
  origin: string;
  /** Entries. */
  size: number;
  /** When the last checkpoint was signed; null while there is none. */
  sealedAt: number | null;
  witnesses: Witness[];
}

export async function findEvidenceState(ctx: Ctx): Promise<EvidenceState> {
  const head = await findLogHead(ctx.db.read);
  return {
    origin: head?.origin ?? '',
    size: head?.size ?? 0,
    sealedAt: head === null || head.size === 0 ? null : head.sealedAt,
    witnesses: await listWitnesses(ctx.db.read),
  };
}
