import assert from 'node:assert/strict';
import { createHash, verify } from 'node:crypto';
import { test } from 'node:test';
import { type Cbor, encodeCbor, inclusionReceipt, signedStatement } from './cose.ts';
import { signatureTypes, signerFromSeed } from './tlog/notes.ts';

test('values are encoded as in the examples of RFC 8949', () => {
  const examples: [Cbor, string][] = [
    [0, '00'],
    [23, '17'],
    [24, '1818'],
    [100, '1864'],
    [1000, '1903e8'],
    [1_000_000, '1a000f4240'],
    [1_000_000_000_000, '1b000000e8d4a51000'],
    [-1, '20'],
    [-10, '29'],
    [-100, '3863'],
    [-1000, '3903e7'],
    [null, 'f6'],
    [Buffer.alloc(0), '40'],
    [Buffer.from('01020304', 'hex'), '4401020304'],
    ['', '60'],
    ['IETF', '6449455446'],
    ['ü', '62c3bc'],
    [[], '80'],
    [[1, [2, 3], [4, 5]], '8301820203820405'],
    [
      new Map([
        [1, 2],
        [3, 4],
      ] as [number, Cbor][]),
      'a201020304',
    ],
  ];
  for (const [value, hex] of examples) assert.equal(encodeCbor(value).toString('hex'), hex);
});

// The key of RFC 8032, 7.1, test 1.
const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const signer = signerFromSeed('log.example', signatureTypes.log, seed);

test('the signed bytes are those of RFC 9052: context, protected headers, no external data, payload', () => {
  // The structure of the published example EdDSA-sig-02 of the COSE working group.
  const published = '846A5369676E61747572653143A101274054546869732069732074686520636F6E74656E742E';
  const parts = ['Signature1', Buffer.from('a10127', 'hex'), Buffer.alloc(0), Buffer.from('This is the content.')];
  assert.equal(encodeCbor(parts).toString('hex').toUpperCase(), published);
});

test('a receipt of inclusion has the labels of RFC 9942 and a signature over the root, which it leaves out', () => {
  const [root, sibling] = ['root', 'sibling'].map((text) => createHash('sha256').update(text).digest()) as [
    Buffer,
    Buffer,
  ];
  const receipt = inclusionReceipt({ index: 1, size: 2, root, path: [sibling] }, signer);
  const text = receipt.toString('hex');
  assert.match(text, /^d28458/);
  assert.ok(text.includes('0127'), 'EdDSA');
  assert.ok(text.includes('19018b01'), 'RFC9162_SHA256');
  const proof = encodeCbor([2, 1, [sibling]]);
  assert.ok(text.includes(`a119018ca120815826${proof.toString('hex')}f65840`), 'one inclusion proof, no payload');
  assert.ok(!text.includes(root.toString('hex')));
  const protectedHeaders = receipt.subarray(4, 4 + receipt[3]!);
  const signed = encodeCbor(['Signature1', protectedHeaders, Buffer.alloc(0), root]);
  assert.ok(verify(null, signed, signer.publicKey, receipt.subarray(-64)));
});

test('a statement has its payload inside, and its receipts only if there are some', () => {
  const payload = Buffer.from('{}');
  const statement = (receipts: Buffer[]) =>
    signedStatement({ payload, contentType: 'application/json', receipts }, signer).toString('hex');
  assert.ok(statement([]).includes('a0427b7d5840'));
  assert.ok(statement([Buffer.of(1)]).includes('a119018a814101427b7d5840'));
});
