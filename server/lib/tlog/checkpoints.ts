// c2sp.org/tlog-checkpoint, tlog-cosignature (Ed25519 and ML-DSA-44) and tlog-proof.
import { sign as signBytes, verify as verifyBytes } from 'node:crypto';
import { hashBytes } from './merkle.ts';
import {
  decodeBase64,
  isWitnessType,
  NoteProblem,
  type NoteSignature,
  type SignatureType,
  type Signer,
  signatureTypes,
  type Verifier,
} from './notes.ts';

export interface Checkpoint {
  origin: string;
  size: number;
  root: Buffer;
  /** Opaque further lines. */
  extensions: string[];
}

export function checkpointText({ origin, size, root, extensions }: Checkpoint): string {
  return `${[origin, String(size), root.toString('base64'), ...extensions].join('\n')}\n`;
}

export function parseCheckpoint(text: string): Checkpoint {
  const [origin, size, root, ...extensions] = text.replace(/\n$/, '').split('\n');
  const hash = decodeBase64(root ?? '');
  if (!origin || size === undefined || hash?.length !== hashBytes || extensions.includes(''))
    throw new NoteProblem('this is not a checkpoint');
  return { origin, size: parseNumber(size), root: hash, extensions };
}

const timeBytes = 8;

/** At this second, this was the longest log the witness had seen, consistent with all before. */
export function cosign(text: string, signer: Signer, seconds: number): NoteSignature {
  const signature = signBytes(null, cosignedBytes(text, signer, seconds), signer.privateKey);
  return { name: signer.name, keyId: signer.keyId, signature: Buffer.concat([uint64(seconds), signature]) };
}

/** The second that a cosignature states, unchecked. */
export function cosignedAt({ signature }: NoteSignature): number {
  return Number(signature.readBigUInt64BE());
}

/** The second of the cosignature; null if it is not by this witness on this text. */
export function checkCosignature(text: string, line: NoteSignature, verifier: Verifier): number | null {
  const isTheirs = line.name === verifier.name && line.keyId === verifier.keyId;
  if (!isTheirs || line.signature.length !== timeBytes + signatureBytes[verifier.type]) return null;
  const seconds = cosignedAt(line);
  if (!isWitnessType(verifier.type) || !Number.isSafeInteger(seconds)) return null;
  const signed = cosignedBytes(text, verifier, seconds);
  return verifyBytes(null, signed, verifier.publicKey, line.signature.subarray(timeBytes)) ? seconds : null;
}

const signatureBytes: Record<SignatureType, number> = {
  [signatureTypes.log]: 64,
  [signatureTypes.witness]: 64,
  [signatureTypes.witnessMlDsa]: 2420,
};

function cosignedBytes(text: string, { name, type }: Verifier, seconds: number): Buffer {
  if (type !== signatureTypes.witnessMlDsa) return Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);
  const { origin, size, root } = parseCheckpoint(text);
  return cosignedSubtree({ cosigner: name, seconds, origin, start: 0, end: size, root });
}

export interface CosignedSubtree {
  cosigner: string;
  seconds: number;
  origin: string;
  start: number;
  end: number;
  root: Buffer;
}

/** What an ML-DSA-44 witness signs: unlike for Ed25519, with its name and without further lines of the checkpoint. */
export function cosignedSubtree({ cosigner, seconds, origin, start, end, root }: CosignedSubtree): Buffer {
  return Buffer.concat([
    Buffer.from('subtree/v1\n\0'),
    withLength(cosigner),
    uint64(seconds),
    withLength(origin),
    uint64(start),
    uint64(end),
    root,
  ]);
}

function withLength(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length === 0 || bytes.length > 255) throw new NoteProblem('a name has 1 to 255 bytes');
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

export interface EntryProof {
  index: number;
  /** From the sibling of the leaf up. */
  hashes: Buffer[];
  /** Unauthenticated; null in most proofs. */
  extra: Buffer | null;
  /** The signed note, with cosignatures. */
  checkpoint: string;
}

const proofHeader = 'c2sp.org/tlog-proof@v1';

export function formatProof({ index, hashes, extra, checkpoint }: EntryProof): string {
  const lines = [proofHeader];
  if (extra !== null) lines.push(`extra ${extra.toString('base64')}`);
  lines.push(`index ${index}`, ...hashes.map((hash) => hash.toString('base64')));
  return `${lines.join('\n')}\n\n${checkpoint}`;
}

export function parseProof(text: string): EntryProof {
  const end = text.indexOf('\n\n');
  const [header, ...lines] = text.slice(0, Math.max(end, 0)).split('\n');
  if (header !== proofHeader) throw new NoteProblem('this is not a proof of an entry');
  const extra = lines[0]?.startsWith('extra ') ? decodeBase64(lines.shift()!.slice('extra '.length)) : null;
  const [, index] = /^index (\d+)$/.exec(lines.shift() ?? '') ?? [];
  if (index === undefined) throw new NoteProblem('a proof does not say where its entry is');
  const hashes = lines.map((line) => decodeBase64(line));
  const isWhole = (hash: Buffer | null): hash is Buffer => hash?.length === hashBytes;
  if (!hashes.every(isWhole)) throw new NoteProblem('a hash of a proof is malformed');
  return { index: parseNumber(index), hashes, extra, checkpoint: text.slice(end + 2) };
}

function parseNumber(text: string): number {
  const number = Number(text);
  if (!/^(0|[1-9]\d*)$/.test(text) || !Number.isSafeInteger(number)) throw new NoteProblem('a number is malformed');
  return number;
}
