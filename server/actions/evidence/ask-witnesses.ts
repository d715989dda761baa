// Asks the witnesses of the policy file to cosign the last checkpoint (c2sp.org/tlog-witness). They fail independently of
// each other, and the log continues without them.
import {
  findLogHead,
  type LogHead,
  listWitnesses,
  lockCheckpoint,
  saveCosignature,
  saveWitness,
  type Witness,
} from '../../db/evidence/evidence.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { systemCaller, type UserCaller } from '../../domain/caller.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import { post } from '../../lib/https-post.ts';
import { checkCosignature } from '../../lib/tlog/checkpoints.ts';
import { proveConsistency } from '../../lib/tlog/merkle.ts';
import { NoteProblem, type NoteSignature, parseNote, parseSignatureLine } from '../../lib/tlog/notes.ts';
import type { PolicyWitness, WitnessPolicy } from '../../lib/tlog/policy.ts';
import { subtreesInTiles } from '../../lib/tlog/tiles.ts';
import type { Ctx } from '../context.ts';
import { EvidenceFault, readTile } from './log.ts';
import { admit, clockToleranceMs, withLine } from './witnesses.ts';

const timeoutMs = 15_000;

/** A witness may sign with several keys at one address. */
interface Asked {
  url: URL;
  keys: PolicyWitness[];
}

/** Returns the number of new cosignatures. */
export async function askWitnesses(ctx: Ctx): Promise<number> {
  const asked = listAsked(ctx.settings.surroundings.witnessPolicy);
  const head = await findLogHead(ctx.db.read);
  if (asked.length === 0 || head === null || head.size === 0) return 0;
  const known = await listWitnesses(ctx.db.read);
  const counts = await Promise.all(asked.map((one) => askOne(ctx, one, { head, known })));
  return counts.reduce((sum, count) => sum + count, 0);
}

export function listAsked(policy: WitnessPolicy | null): Asked[] {
  const witnesses = policy?.witnesses.filter(({ url }) => url !== null) ?? [];
  const byAddress = Map.groupBy(witnesses, ({ url }) => url!.href);
  return [...byAddress.values()].map((keys) => ({ url: keys[0]!.url!, keys }));
}

/** Of those in the policy file. */
export async function listFailingWitnesses(ctx: Ctx): Promise<{ error: string; since: number }[]> {
  const asked = new Set(
    listAsked(ctx.settings.surroundings.witnessPolicy).flatMap(({ keys }) => keys.map(({ key }) => key)),
  );
  if (asked.size === 0) return [];
  const failing = (await listWitnesses(ctx.db.read)).flatMap(({ verifierKey, failingSince, lastError }) =>
    failingSince !== null && asked.has(verifierKey) ? [{ error: lastError, since: failingSince }] : [],
  );
  // The keys of one witness fail together.
  return [...new Map(failing.map((one) => [one.error, one])).values()];
}

async function askOne(
  ctx: Ctx,
  asked: Asked,
  { head, known }: { head: LogHead; known: readonly Witness[] },
): Promise<number> {
  const seen = asked.keys.map(({ key }) => known.find(({ verifierKey }) => verifierKey === key));
  if (seen.every((witness) => witness?.size === head.size && witness.failingSince === null)) return 0;
  const oldSize = Math.max(0, ...seen.map((witness) => witness?.size ?? 0));
  try {
    const signatures = await requestSignatures(ctx, asked.url, { head, oldSize });
    await keepSignatures(ctx, asked, { head, signatures });
    return asked.keys.length;
  } catch (error) {
    await keepError(ctx, asked, error as Error);
    return 0;
  }
}

interface Question {
  head: LogHead;
  /** The last size that the witness is known to have signed. */
  oldSize: number;
}

/** A witness that knows another size says which; then the question is asked once more. */
async function requestSignatures(ctx: Ctx, url: URL, { head, oldSize }: Question): Promise<NoteSignature[]> {
  const first = await submit(ctx, url, { head, oldSize });
  const size = sizeIn(first);
  if (size === null || size === oldSize) return readSignatures(first);
  if (size > head.size) throw longerLog(size);
  return readSignatures(await submit(ctx, url, { head, oldSize: size }));
}

/** Null unless the witness says which size it has seen. */
function sizeIn({ status, body }: { status: number; body: string }): number | null {
  const size = Number((status === 409 ? /^(0|[1-9]\d*)\n?$/.exec(body)?.[1] : undefined) ?? Number.NaN);
  return Number.isSafeInteger(size) ? size : null;
}

function longerLog(size: number): Error {
  return new Error(`the witness has seen a longer log, with ${size} entries: was an old backup restored?`);
}

async function submit(ctx: Ctx, url: URL, { head, oldSize }: Question): Promise<{ status: number; body: string }> {
  const read = subtreesInTiles(head.size, async (tile) => {
    const bytes = await readTile(ctx, tile);
    if (bytes === null) throw new EvidenceFault('a checkpoint is ahead of the log');
    return bytes;
  });
  const proof = await proveConsistency(read, oldSize, head.size);
  return send(url, { head, oldSize }, proof);
}

function send(
  url: URL,
  { head, oldSize }: Question,
  proof: readonly Buffer[],
): Promise<{ status: number; body: string }> {
  const lines = [`old ${oldSize}`, ...proof.map((hash) => hash.toString('base64'))];
  return post(new URL(`${url.href.replace(/\/$/, '')}/add-checkpoint`), {
    headers: { 'content-type': 'text/plain; charset=utf-8', accept: '*/*', 'user-agent': 'Waybill' },
    body: `${lines.join('\n')}\n\n${head.note}`,
    timeoutMs,
  });
}

const refusals: Readonly<Record<number, string>> = {
  403: 'the witness does not know the key of this log (403): give it to the witness',
  404: 'the witness does not know this log (404): give it the name and key of the log',
  409: 'the witness has seen another log with these entries (409)',
  422: 'the witness refused the consistency proof (422): the log is not the one that it has seen',
};

function readSignatures({ status, body }: { status: number; body: string }): NoteSignature[] {
  if (status !== 200) throw new Error(refusals[status] ?? `the answer was ${status}`);
  const lines = body.split('\n').filter((line) => line !== '');
  return lines.map(parseSignatureLine);
}

/** Signatures by keys that the policy does not list are ignored. */
async function keepSignatures(
  ctx: Ctx,
  { keys }: Asked,
  { head, signatures }: { head: LogHead; signatures: readonly NoteSignature[] },
): Promise<void> {
  const checked = checkSignatures(keys, { head, signatures });
  const latest = ctx.clock.now() + clockToleranceMs;
  if (checked.some(({ witnessedAt }) => witnessedAt > latest))
    throw new Error('the signature of the witness has a time in the future');
  await ctx.db.write(async (tx) => {
    for (const { key, verifier, signature, witnessedAt } of checked) {
      const checkpoint = await lockCheckpoint(tx, head.size);
      const before = await findOrAdmit(ctx, tx, key);
      if (checkpoint === null) return;
      const witness = { ...before, size: head.size, witnessedAt, failingSince: null };
      await saveCosignature(tx, witness, withLine(checkpoint.cosignatures, verifier, signature));
    }
  });
}

/** Throws unless every key has signed. */
function checkSignatures(
  keys: Asked['keys'],
  { head, signatures }: { head: LogHead; signatures: readonly NoteSignature[] },
) {
  const { text } = parseNote(head.note);
  return keys.map(({ key, verifier }) => {
    const signature = signatures.find(({ name, keyId }) => name === verifier.name && keyId === verifier.keyId);
    if (signature === undefined) throw new Error(`the witness did not sign with ${verifier.name}+${verifier.keyId}`);
    const seconds = checkCosignature(text, signature, verifier);
    if (seconds === null) throw new Error('the signature of the witness is wrong');
    if (seconds === 0) throw new Error('the signature of the witness has no time');
    return { key, verifier, signature, witnessedAt: seconds * 1000 };
  });
}

/** Offers a checkpoint as if the witness had signed it, so that nothing changes there. Throws the reason of a refusal. */
export async function tryWitness({ url, keys }: Asked, head: LogHead): Promise<void> {
  const reply = await send(url, { head, oldSize: head.size }, []);
  const seen = sizeIn(reply);
  if (seen === null) checkSignatures(keys, { head, signatures: readSignatures(reply) });
  else if (seen > head.size) throw longerLog(seen);
}

/** For administrators. The reason of a failure, or an empty text. */
export async function testWitness(ctx: Ctx, caller: UserCaller, key: string): Promise<string> {
  requireRight(caller, 'system.change');
  const asked = listAsked(ctx.settings.surroundings.witnessPolicy).find(({ keys }) =>
    keys.some((one) => one.key === key),
  );
  if (asked === undefined)
    throw invalid(
      'evidence.witness_not_asked',
      'The server doesn’t ask this witness: its policy file has no address.',
      'key',
    );
  const head = await findLogHead(ctx.db.read);
  if (head === null || head.size === 0)
    throw new Problem('not_found', 'evidence.no_checkpoint', 'There’s no checkpoint yet.');
  try {
    await tryWitness(asked, head);
    return '';
  } catch (error) {
    return reasonOf(error as Error);
  }
}

function reasonOf(error: Error): string {
  return error instanceof NoteProblem ? 'the answer is not a cosignature' : error.message;
}

async function keepError(ctx: Ctx, { url, keys }: Asked, error: Error): Promise<void> {
  const lastError = `${url.host}: ${reasonOf(error)}`.slice(0, 300);
  const isFirst = await ctx.db.write(async (tx) => {
    const before = [];
    for (const { key } of keys) before.push(await findOrAdmit(ctx, tx, key));
    const failingSince = ctx.clock.now();
    for (const witness of before)
      await saveWitness(tx, { ...witness, failingSince: witness.failingSince ?? failingSince, lastError });
    return before.some((witness) => witness.failingSince === null);
  });
  if (isFirst) ctx.log.warn({ err: lastError }, 'a witness did not cosign the event log');
}

/** The operator admits the keys of the policy file by listing them. */
async function findOrAdmit(ctx: Ctx, tx: Tx, key: string): Promise<Witness> {
  const known = (await listWitnesses(tx)).find(({ verifierKey }) => verifierKey === key);
  return known ?? admit(ctx, tx, systemCaller, key);
}
