// One visit of a witness: if the log extends the one of the last visit, it is signed; otherwise a sentence describes
// the change. Needs only the address, an API key and a folder.
import { createEntryTimes } from '../actions/evidence/entry-times.ts';
import { endorsementLine } from '../actions/evidence/keys.ts';
import { maxSealingDelayMs } from '../actions/evidence/sealing-delay.ts';
import { cosign, parseCheckpoint } from '../lib/tlog/checkpoints.ts';
import { hashBytes, isConsistent, proveConsistency, treeRoot } from '../lib/tlog/merkle.ts';
import { type Note, parseNote, parseVerifierKey, signatureLine, verifierKey, verifyNote } from '../lib/tlog/notes.ts';
import { decodeBundle, subtreesInTiles, type Tile, tilePath, tileWidth, tileWidthAt } from '../lib/tlog/tiles.ts';
import { openWitnessFolder, type WitnessMemory, WitnessProblem } from './witness-memory.ts';

export interface Visit {
  /** Base URL of the service. */
  url: string;
  folder: string;
  nowMs: number;
  /** The operator accepts the current log after a reviewed loss; the earlier checkpoint stays as proof. */
  acceptsLoss?: boolean;
}

/** `isGood` when the log was signed. */
export interface Finding {
  isGood: boolean;
  sentence: string;
}

export async function witnessOnce({ url, folder, nowMs, acceptsLoss = false }: Visit): Promise<Finding> {
  const place = await openWitnessFolder(folder);
  const log = remoteLog(url, place.apiKey);
  const text = await log.checkpoint();
  const note = parseNote(text);
  const keys = await trustedKeys(log, place.memory, note);
  if (keys === null)
    return bad('The checkpoint is not signed by a key that this witness knows, nor by one that such a key has named.');
  const { origin, size, root } = parseCheckpoint(note.text);
  const fault = await findFault(log, place.memory, { origin, size, root });
  if (fault !== null) {
    await place.keepProof(
      `contradiction-${nowMs}.txt`,
      `${fault}\n\nSeen before:\n${place.memory?.note ?? ''}\nSeen now:\n${text}`,
    );
    if (!acceptsLoss || (await findFault(log, null, { origin, size, root })) !== null) return bad(fault);
  }
  const memory = fault === null ? place.memory : null;
  const before = memory?.size ?? 0;
  const times = await checkTimes(log, memory, size);
  await place.save({
    origin,
    keys,
    size,
    note: text,
    ...(await hashesOf(log, memory, size)),
    latestAt: times.latestAt,
  });
  const line = signatureLine(cosign(note.text, place.signer, Math.floor(nowMs / 1000)));
  await log.submitCosignature({ size, key: verifierKey(place.signer), line }, keys.at(-1)!);
  if (fault !== null) return { isGood: true, sentence: acceptedSentence({ origin, size }, fault) };
  const stale = times.warning ?? (await findDelay(log, nowMs));
  if (stale !== null) return bad(`${origin} was signed with ${size} entries, but it is not in order. ${stale}`);
  const first = place.memory === null ? ` This was the first visit; compare the key of the log: ${keys.at(-1)}.` : '';
  return {
    isGood: true,
    sentence: `${origin} has ${size} entries, ${size - before} of them new; it is the log that was seen before, and was signed.${first}`,
  };
}

function acceptedSentence({ origin, size }: { origin: string; size: number }, fault: string): string {
  return `The loss was accepted; ${origin} was signed as it is now, with ${size} entries. What was found: ${fault}`;
}

function bad(sentence: string): Finding {
  return { isGood: false, sentence };
}

type RemoteLog = ReturnType<typeof remoteLog>;

function remoteLog(url: string, apiKey: string) {
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      accept: 'application/json',
      'content-type': 'application/json',
    };
    const response = await fetch(`${url.replace(/\/$/, '')}/evidence${path === '' ? '' : `/${path}`}`, {
      ...init,
      headers,
    }).catch((error) => {
      throw new WitnessProblem(`${url} can’t be reached: ${String((error as Error).cause ?? error)}`);
    });
    if (response.status === 401 || (response.status === 403 && path !== 'cosignatures'))
      throw new WitnessProblem(`${url} refused the API key; it must be one of an auditor or administrator`);
    return response;
  };
  return {
    async checkpoint(): Promise<string> {
      const body = await readBody(url, await ask('checkpoint'));
      if (body === null) throw new WitnessProblem(`${url} has no checkpoint yet`);
      return body.toString();
    },
    async tile(tile: Tile): Promise<Buffer> {
      const body = await readBody(url, await ask(tilePath(tile)));
      if (body === null) throw new MissingTile(`${tilePath(tile)} is missing from the log`);
      return body;
    },
    async oldestUnsealedAt(): Promise<number | null> {
      const response = await ask('');
      const body = await readBody(url, response);
      const { evidence } = JSON.parse(body?.toString() ?? '{"evidence":{}}') as {
        evidence: { oldest_unsealed_at?: string | null };
      };
      return evidence.oldest_unsealed_at == null ? null : Date.parse(evidence.oldest_unsealed_at);
    },
    async keys(): Promise<{ key: string; endorsement: string }[]> {
      const body = await readBody(url, await ask('keys'));
      return body === null
        ? []
        : (JSON.parse(body.toString()) as { keys: { key: string; endorsement: string }[] }).keys;
    },
    async submitCosignature(cosignature: { size: number; key: string; line: string }, logKey: string): Promise<void> {
      const response = await ask('cosignatures', { method: 'POST', body: JSON.stringify({ cosignature }) });
      if (response.status === 403)
        throw new WitnessProblem(
          `${url} has not admitted this witness. Its operator does that with: waybill-server evidence admit-witness '${cosignature.key}'\nThe key of the log, to keep and compare: ${logKey}`,
        );
      if (!response.ok) throw new WitnessProblem(`${url} did not take the signature: ${await response.text()}`);
    },
  };
}

/** Temporary failures, which say nothing about the log. */
const passing = new Set([408, 425, 429, 502, 503, 504]);

/** Null when the service does not have it. */
async function readBody(url: string, response: Response): Promise<Buffer | null> {
  const { ok, status } = response;
  if (passing.has(status)) throw new WitnessProblem(`${url} answered with ${status}; visit it again later`);
  if (!ok) return null;
  const body = await response.arrayBuffer().catch(() => {
    throw new WitnessProblem(`${url} broke off; visit it again later`);
  });
  return Buffer.from(body);
}

class MissingTile extends Error {}

/** The keys trusted from now on; null when none of them has signed. */
async function trustedKeys(log: RemoteLog, memory: WitnessMemory | null, note: Note): Promise<string[] | null> {
  const isSigned = (keys: string[]) => {
    try {
      return verifyNote(note, keys.map(parseVerifierKey)).length > 0;
    } catch {
      return false;
    }
  };
  if (memory !== null && isSigned(memory.keys)) return memory.keys;
  const offered = await log.keys();
  const trusted = memory === null ? offered.map(({ key }) => key) : [...memory.keys];
  for (const { key, endorsement } of offered) {
    if (!trusted.includes(key) && isEndorsed(key, endorsement, trusted)) trusted.push(key);
  }
  return isSigned(trusted) ? trusted : null;
}

function isEndorsed(key: string, endorsement: string, trusted: string[]): boolean {
  try {
    const note = parseNote(endorsement);
    return note.text === `${endorsementLine}\n${key}\n` && verifyNote(note, trusted.map(parseVerifierKey)).length > 0;
  } catch {
    return false;
  }
}

interface Head {
  origin: string;
  size: number;
  root: Buffer;
}

/** A sentence, or null when the log extends the one seen before. */
async function findFault(log: RemoteLog, memory: WitnessMemory | null, head: Head): Promise<string | null> {
  const read = subtreesInTiles(head.size, log.tile);
  try {
    if (!(await treeRoot(read, head.size)).equals(head.root))
      return `The tiles of the log are not those that its checkpoint of ${head.size} entries was signed over.`;
    if (memory === null) return null;
    if (memory.origin !== head.origin) return `This is another log: ${head.origin} in place of ${memory.origin}.`;
    const { size: oldSize, root: oldRoot } = parseCheckpoint(parseNote(memory.note).text);
    if (head.size < oldSize)
      return `An old backup was put back, or the end was cut off: the log had ${oldSize} entries and has ${head.size} now.`;
    const proof = await proveConsistency(read, oldSize, head.size);
    const claim = { oldSize, oldRoot, newSize: head.size, newRoot: head.root };
    return isConsistent(claim, proof) ? null : await describeChange(log, memory, head);
  } catch (error) {
    if (error instanceof MissingTile) return `A file is missing: ${error.message}.`;
    throw error;
  }
}

/** Describes where and how the log differs. */
async function describeChange(log: RemoteLog, memory: WitnessMemory, head: Head): Promise<string> {
  const now = await hashesOf(log, null, memory.size);
  const before = [...splitHashes(memory.blocks), ...splitHashes(memory.tail)];
  const after = [...splitHashes(now.blocks), ...splitHashes(now.tail)];
  const differs = before.map((hash, at) => hash !== after[at]);
  const first = differs.indexOf(true);
  if (first < 0) return 'The log was signed again with another root over the same entries.';
  const blocks = splitHashes(memory.blocks).length;
  const start = first < blocks ? first * tileWidth : blocks * tileWidth + (first - blocks);
  const end = first < blocks ? start + tileWidth : start + 1;
  const where = end - start === 1 ? `entry ${start}` : `one of the entries ${start} to ${end - 1}`;
  if (differs.includes(false) && differs.lastIndexOf(false) > first)
    return `An event was rewritten: ${where} is not the one that was seen before.`;
  const index = Math.floor(start / tileWidth);
  const bundle = decodeBundle(
    await log.tile({ level: 'entries', index, width: tileWidthAt(head.size, { level: 0, index }) }),
  );
  // After a removed entry, the known hashes follow one place earlier.
  const isShifted = first >= blocks && first + 1 < before.length && before[first + 1] === after[first];
  const hole = holeIn(bundle, start % tileWidth);
  if (isShifted || hole !== null)
    return `An event is missing: ${where} is not the one that was seen before${hole === null ? '' : `, and number ${hole} is left out`}.`;
  return `The log was forked: up to entry ${start} it is the one that was seen before, from there on it is another one.`;
}

/** The first missing number after this place, or null. */
export function holeIn(bundle: Buffer[], from: number): number | null {
  const seqs = bundle.map((entry) => (JSON.parse(entry.toString()) as { seq: number }).seq);
  for (let at = Math.max(1, from); at < seqs.length; at++) if (seqs[at] !== seqs[at - 1]! + 1) return seqs[at - 1]! + 1;
  return null;
}

function splitHashes(text: string): string[] {
  const bytes = Buffer.from(text, 'base64');
  const hashes: string[] = [];
  for (let at = 0; at < bytes.length; at += hashBytes) hashes.push(bytes.toString('hex', at, at + hashBytes));
  return hashes;
}

/** One hash per full block of the first `size` entries, then one per remaining entry. */
async function hashesOf(
  log: RemoteLog,
  memory: WitnessMemory | null,
  size: number,
): Promise<Pick<WitnessMemory, 'blocks' | 'tail'>> {
  const blocks: Buffer[] = [Buffer.from(memory?.blocks ?? '', 'base64')];
  const count = Math.floor(size / tileWidth);
  for (let known = blocks[0]!.length / hashBytes; known < count; ) {
    const index = Math.floor(known / tileWidth);
    const width = Math.min(tileWidth, count - index * tileWidth);
    const hashes = await log.tile({ level: 1, index, width });
    blocks.push(hashes.subarray((known % tileWidth) * hashBytes));
    known = index * tileWidth + width;
  }
  const width = size % tileWidth;
  const tail = width === 0 ? Buffer.alloc(0) : await log.tile({ level: 0, index: count, width });
  return { blocks: Buffer.concat(blocks).toString('base64'), tail: tail.toString('base64') };
}

/** Reads the entries that are new since the last visit. */
async function checkTimes(
  log: RemoteLog,
  memory: WitnessMemory | null,
  size: number,
): Promise<{ latestAt: number; warning: string | null }> {
  const times = createEntryTimes(memory?.latestAt);
  const known = memory?.size ?? 0;
  let warning: string | null = null;
  for (let index = Math.floor(known / tileWidth); index * tileWidth < size; index++) {
    const width = tileWidthAt(size, { level: 0, index });
    const bundle = await log.tile({ level: 'entries', index, width }).catch((error: unknown) => {
      if (error instanceof MissingTile) return null;
      throw error;
    });
    if (bundle === null) return { latestAt: times.latest(), warning: 'A file with entries is missing from the log.' };
    for (const entry of decodeBundle(bundle).slice(Math.max(0, known - index * tileWidth)))
      warning ??= times.check(JSON.parse(entry.toString()) as { seq: number; at: number });
  }
  return { latestAt: times.latest(), warning };
}

/** A sentence if events wait for longer than sealing takes. */
async function findDelay(log: RemoteLog, nowMs: number): Promise<string | null> {
  const oldestAt = await log.oldestUnsealedAt();
  if (oldestAt === null || nowMs - oldestAt <= maxSealingDelayMs) return null;
  return `Events have waited since ${new Date(oldestAt).toISOString()} to be added to it: sealing has stopped, and the log says nothing about them.`;
}
