// COSE_Sign1 (RFC 9052) with Ed25519, and receipts of inclusion in a Merkle tree (RFC 9942, RFC 9162).
import { sign as signBytes } from 'node:crypto';
import { type Signer, verifierKey } from './tlog/notes.ts';

export type Cbor = number | string | Buffer | null | readonly Cbor[] | ReadonlyMap<number, Cbor>;

/** Deterministic (RFC 8949, 4.2.1) if the keys of maps are in order. */
export function encodeCbor(value: Cbor): Buffer {
  if (value === null) return Buffer.of(0xf6);
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    return Buffer.concat([head(3, bytes.length), bytes]);
  }
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value].flatMap((pair) => pair.map(encodeCbor))]);
  const items = value as readonly Cbor[];
  return Buffer.concat([head(4, items.length), ...items.map(encodeCbor)]);
}

function head(major: number, value: number): Buffer {
  const first = major << 5;
  if (value < 24) return Buffer.of(first | value);
  if (value < 0x100) return Buffer.of(first | 24, value);
  const size = value < 0x1_0000 ? 2 : value < 0x1_0000_0000 ? 4 : 8;
  const bytes = Buffer.alloc(1 + size);
  bytes[0] = first | (size === 2 ? 25 : size === 4 ? 26 : 27);
  if (size === 8) bytes.writeBigUInt64BE(BigInt(value), 1);
  else bytes.writeUIntBE(value, 1, size);
  return bytes;
}

const labels = { alg: 1, contentType: 3, kid: 4, receipts: 394, dataStructure: 395, proofs: 396 } as const;
const edDsa = -8;
/** RFC9162_SHA256. */
const merkleTree = 1;
const inclusionProofs = -1;
/** The tag of COSE_Sign1. */
const sign1Tag = 0xd2;

interface Unsigned {
  /** Ordered by label; algorithm and key are added. */
  headers: readonly (readonly [number, Cbor])[];
  unprotected: ReadonlyMap<number, Cbor>;
  payload: Buffer;
  isDetached: boolean;
}

function sign1({ headers, unprotected, payload, isDetached }: Unsigned, signer: Signer): Buffer {
  const all: [number, Cbor][] = [
    [labels.alg, edDsa],
    [labels.kid, Buffer.from(verifierKey(signer))],
    ...headers.map(([label, value]): [number, Cbor] => [label, value]),
  ];
  const protectedHeaders = encodeCbor(new Map(all.toSorted(([one], [other]) => one - other)));
  const signed = encodeCbor(['Signature1', protectedHeaders, Buffer.alloc(0), payload]);
  const signature = signBytes(null, signed, signer.privateKey);
  const message = encodeCbor([protectedHeaders, unprotected, isDetached ? null : payload, signature]);
  return Buffer.concat([Buffer.of(sign1Tag), message]);
}

export interface Inclusion {
  index: number;
  size: number;
  root: Buffer;
  /** From the sibling of the leaf up. */
  path: readonly Buffer[];
}

/** The payload, the root of the tree, is detached: verifiers compute it from the entry and the path. */
export function inclusionReceipt({ index, size, root, path }: Inclusion, signer: Signer): Buffer {
  const proof = encodeCbor([size, index, path]);
  return sign1(
    {
      headers: [[labels.dataStructure, merkleTree]],
      unprotected: new Map([[labels.proofs, new Map([[inclusionProofs, [proof]]])]]),
      payload: root,
      isDetached: true,
    },
    signer,
  );
}

/** A signed statement with receipts. */
export function signedStatement(
  { payload, contentType, receipts }: { payload: Buffer; contentType: string; receipts: readonly Buffer[] },
  signer: Signer,
): Buffer {
  return sign1(
    {
      headers: [[labels.contentType, contentType]],
      unprotected: new Map(receipts.length === 0 ? [] : [[labels.receipts, receipts]]),
      payload,
      isDetached: false,
    },
    signer,
  );
}
