// Signed notes (c2sp.org/signed-note): logs sign with Ed25519 (type 1), witnesses with Ed25519 (4) or ML-DSA-44 (6), see
// checkpoints.ts.
import {
  createPrivateKey,
  createPublicKey,
  hash,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto';

export const signatureTypes = { log: 1, witness: 4, witnessMlDsa: 6 } as const;
export type SignatureType = (typeof signatureTypes)[keyof typeof signatureTypes];

/** The spec asks for at least 16. */
const signaturesMax = 100;

export interface NoteSignature {
  name: string;
  /** Eight hex digits. */
  keyId: string;
  signature: Buffer;
}

export interface Note {
  /** With its last line break. */
  text: string;
  signatures: NoteSignature[];
}

export interface Verifier {
  name: string;
  keyId: string;
  type: SignatureType;
  publicKey: KeyObject;
}

export class NoteProblem extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'NoteProblem';
  }
}

export function parseNote(note: string): Note {
  const split = note.lastIndexOf('\n\n');
  if (split < 0 || !note.endsWith('\n') || /[\u0000-\u0009\u000b-\u001f]/.test(note))
    throw new NoteProblem('this is not a signed note');
  const lines = note.slice(split + 2, -1).split('\n');
  if (lines.length > signaturesMax) throw new NoteProblem('a note has too many signatures');
  return { text: note.slice(0, split + 1), signatures: lines.map(parseSignatureLine) };
}

export function parseSignatureLine(line: string): NoteSignature {
  const [, name, encoded] = /^— ([^\s+]+) (\S+)$/u.exec(line) ?? [];
  if (name === undefined || encoded === undefined) throw new NoteProblem('a line of a note is not a signature');
  const bytes = decodeBase64(encoded);
  if (bytes === null || bytes.length < 5) throw new NoteProblem('a signature of a note is malformed');
  return { name, keyId: bytes.toString('hex', 0, 4), signature: bytes.subarray(4) };
}

/** Without its line break. */
export function signatureLine({ name, keyId, signature }: NoteSignature): string {
  return `— ${name} ${Buffer.concat([Buffer.from(keyId, 'hex'), signature]).toString('base64')}`;
}

export function formatNote({ text, signatures }: Note): string {
  return `${text}\n${signatures.map((each) => `${signatureLine(each)}\n`).join('')}`;
}

/** `name+keyid+base64(type, public key)`. */
export function verifierKey({ name, keyId, type, publicKey }: Verifier): string {
  return `${name}+${keyId}+${Buffer.concat([Buffer.of(type), rawPublicKey(type, publicKey)]).toString('base64')}`;
}

export function parseVerifierKey(text: string): Verifier {
  const [, name, keyId, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/u.exec(text) ?? [];
  const bytes = encoded === undefined ? null : decodeBase64(encoded);
  const type = bytes?.[0];
  if (
    name === undefined ||
    bytes === null ||
    !isSignatureType(type) ||
    bytes.length !== 1 + keyFormats[type].publicBytes
  )
    throw new NoteProblem('this is not a verifier key');
  const publicKey = publicKeyOf(type, bytes.subarray(1));
  if (keyIdOf(name, type, publicKey) !== keyId) throw new NoteProblem('a verifier key does not fit its id');
  return { name, keyId: keyId!, type, publicKey };
}

export interface Signer extends Verifier {
  privateKey: KeyObject;
}

export const seedBytes = 32;

/** `seed`: a private key (RFC 8032, FIPS 204). */
export function signerFromSeed(name: string, type: SignatureType, seed: Buffer): Signer {
  if (name === '' || /[\s+]/u.test(name)) throw new NoteProblem('a key has a name without spaces and plus signs');
  const privateKey = createPrivateKey({
    key: Buffer.concat([keyFormats[type].privatePrefix, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey(privateKey);
  return { name, keyId: keyIdOf(name, type, publicKey), type, publicKey, privateKey };
}

/** Signs as a log; cosignatures.ts signs as a witness. */
export function signNote(text: string, signers: readonly Signer[]): string {
  if (!text.endsWith('\n')) throw new NoteProblem('the text of a note ends with a line break');
  const signatures = signers.map(({ name, keyId, privateKey }) => ({
    name,
    keyId,
    signature: signBytes(null, Buffer.from(text), privateKey),
  }));
  return formatNote({ text, signatures });
}

/** Returns the keys that have signed the note. Throws if a signature of a known key is invalid. */
export function verifyNote({ text, signatures }: Note, verifiers: readonly Verifier[]): Verifier[] {
  const found = new Set<Verifier>();
  for (const each of signatures) {
    const verifier = verifiers.find(({ name, keyId }) => name === each.name && keyId === each.keyId);
    if (verifier === undefined || verifier.type !== signatureTypes.log) continue;
    if (!verifyBytes(null, Buffer.from(text), verifier.publicKey, each.signature))
      throw new NoteProblem(`the signature of ${each.name} is wrong`);
    found.add(verifier);
  }
  return [...found];
}

export function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

interface KeyFormat {
  publicBytes: number;
  /** DER before the bytes of the key. */
  privatePrefix: Buffer;
  publicPrefix: Buffer;
}

/** RFC 8410. */
const ed25519: KeyFormat = {
  publicBytes: 32,
  privatePrefix: Buffer.from('302e020100300506032b657004220420', 'hex'),
  publicPrefix: Buffer.from('302a300506032b6570032100', 'hex'),
};
/** RFC 9881. */
const mlDsa44: KeyFormat = {
  publicBytes: 1312,
  privatePrefix: Buffer.from('3034020100300b060960864801650304031104228020', 'hex'),
  publicPrefix: Buffer.from('30820532300b06096086480165030403110382052100', 'hex'),
};
const keyFormats: Record<SignatureType, KeyFormat> = {
  [signatureTypes.log]: ed25519,
  [signatureTypes.witness]: ed25519,
  [signatureTypes.witnessMlDsa]: mlDsa44,
};

function publicKeyOf(type: SignatureType, raw: Buffer): KeyObject {
  return createPublicKey({
    key: Buffer.concat([keyFormats[type].publicPrefix, raw]),
    format: 'der',
    type: 'spki',
  });
}

function rawPublicKey(type: SignatureType, key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' }).subarray(keyFormats[type].publicPrefix.length);
}

function keyIdOf(name: string, type: SignatureType, publicKey: KeyObject): string {
  const bytes = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(type), rawPublicKey(type, publicKey)]);
  return hash('sha256', bytes, 'buffer').toString('hex', 0, 4);
}

export function isWitnessType(type: SignatureType): boolean {
  return type !== signatureTypes.log;
}

function isSignatureType(value: number | undefined): value is SignatureType {
  return Object.values<number | undefined>(signatureTypes).includes(value);
}
