import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { checkCosignature, checkpointText, cosign, formatProof, parseCheckpoint, parseProof } from './checkpoints.ts';
import * as litewitness from './litewitness.fixture.ts';
import { leafHash } from './merkle.ts';
import {
  formatNote,
  NoteProblem,
  parseNote,
  parseSignatureLine,
  parseVerifierKey,
  type SignatureType,
  signatureTypes,
  signerFromSeed,
  signNote,
  verifierKey,
  verifyNote,
} from './notes.ts';

// The vectors of golang.org/x/mod/sumdb/note.
const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const seed = Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1);
const peterKey = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const enochKey = 'EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop';
const peterLine =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
const enochLine =
  '— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n';

test('a note is signed to the byte as in the published vectors', () => {
  const signer = signerFromSeed('PeterNeumann', signatureTypes.log, seed);
  assert.equal(verifierKey(signer), peterKey);
  assert.equal(signNote(text, [signer]), `${text}\n${peterLine}`);
});

test('known keys are checked, others are ignored', () => {
  const note = parseNote(`${text}\n${peterLine}${enochLine}`);
  assert.equal(note.text, text);
  const names = (keys: string[]) => verifyNote(note, keys.map(parseVerifierKey)).map(({ name }) => name);
  assert.deepEqual(names([peterKey, enochKey]), ['PeterNeumann', 'EnochRoot']);
  assert.deepEqual(names([enochKey]), ['EnochRoot']);
  assert.deepEqual(names([]), []);
  assert.equal(formatNote(note), `${text}\n${peterLine}${enochLine}`);
  const peter = parseVerifierKey(peterKey);
  for (const nearly of [{ keyId: 'c74f20a4' }, { name: 'PeterNewman' }, { type: signatureTypes.witness }])
    assert.deepEqual(verifyNote(note, [{ ...peter, ...nearly }]), [], JSON.stringify(nearly));
  assert.equal(parseNote(`\n\n${peterLine}`).text, '\n');
  assert.equal(parseNote(`${text}\n${peterLine.repeat(100)}`).signatures.length, 100);
});

test('a wrong signature of a known key is refused', () => {
  const note = parseNote(`${text.replace('answer', 'Answer')}\n${peterLine}`);
  assert.throws(() => verifyNote(note, [parseVerifierKey(peterKey)]), /signature of PeterNeumann is wrong/);
});

test('what is not a note is refused', () => {
  for (const bad of [
    text,
    `${text}\n`,
    `${text}\n${peterLine.slice(0, -1)}`,
    `\u0001${text}\n${peterLine}`,
    `${text}\n— Bad Name x08go/ZJ\n`,
    `${text}\n${peterLine}Unexpected line.\n`,
    `${text}\n— PeterNeumann x08gow==\n`,
    `${text}\n${peterLine.repeat(101)}`,
  ])
    assert.throws(() => parseNote(bad), NoteProblem);
});

test('an invalid note is distinguished from a note with a bad signature', () => {
  for (const bad of [text, `${text}\n${peterLine.slice(0, -1)}`, `\u0001${text}\n${peterLine}`])
    assert.throws(() => parseNote(bad), /this is not a signed note/);
  assert.throws(() => parseNote(`${text}\n${peterLine.repeat(101)}`), /too many signatures/);
  assert.throws(() => parseNote(`${text}\n— PeterNeumann x08gow==\n`), /a signature of a note is malformed/);
});

test('a verifier key with any character changed or cut is refused', () => {
  for (let at = 0; at < peterKey.length; at++) {
    const other = String.fromCharCode(peterKey.charCodeAt(at) + 1);
    assert.throws(() => parseVerifierKey(peterKey.slice(0, at) + other + peterKey.slice(at + 1)), NoteProblem);
    assert.throws(() => parseVerifierKey(peterKey.slice(0, at)), NoteProblem);
  }
  assert.throws(() => parseVerifierKey(`${peterKey.slice(0, -4)}AAAA`), /does not fit its id/);
  for (const name of ['', 'Peter Neumann', 'Peter+Neumann'])
    assert.throws(() => signerFromSeed(name, signatureTypes.log, seed), NoteProblem, name);
  const signer = signerFromSeed('PeterNeumann', signatureTypes.log, seed);
  assert.throws(() => signNote('a text without an end', [signer]), NoteProblem);
  assert.throws(() => parseVerifierKey('PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'));
});

test('checkpoints come back as they went in; sizes and roots are checked', () => {
  const golden = 'go.sum database tree\n123456789012\nTszzRgjTG6xce+z2AG31kAXYKBgQVtCSCE40HmuwBb0=\n';
  const checkpoint = {
    origin: 'go.sum database tree',
    size: 123456789012,
    root: leafHash(Buffer.from('hello world')),
    extensions: [],
  };
  assert.equal(checkpointText(checkpoint), golden);
  assert.deepEqual(parseCheckpoint(golden), checkpoint);
  assert.deepEqual(parseCheckpoint(`${golden}more\n`).extensions, ['more']);
  for (const bad of ['', 'log\n', 'log\n01\nAAAA\n', golden.replace('123', '0x1'), golden.replace('Bb0=', 'B')])
    assert.throws(() => parseCheckpoint(bad), NoteProblem);
  assert.throws(() => parseCheckpoint(golden.replace('go.sum database tree', '')), NoteProblem);
  assert.throws(() => parseCheckpoint(`${golden}\nmore\n`), NoteProblem);
  for (const size of ['9007199254740992', '01', '-1'])
    assert.throws(() => parseCheckpoint(golden.replace('123456789012', size)), /a number is malformed/);
});

test('the checkpoint and cosignature of the specification are read', () => {
  const note = parseNote(
    'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n' +
      '— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n' +
      '— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n',
  );
  assert.equal(parseCheckpoint(note.text).size, 20852163);
  assert.equal(note.signatures[1]!.keyId, '8d66cf3f');
  assert.equal(note.signatures[1]!.signature.readBigUInt64BE(), 1679315147n);
  assert.equal(note.signatures[1]!.signature.length, 72);
});

test('a cosignature holds for its text, its second and its witness only', () => {
  const witness = signerFromSeed('witness.example.com/w1', signatureTypes.witness, randomBytes(32));
  const other = signerFromSeed('witness.example.com/w1', signatureTypes.witness, randomBytes(32));
  const line = cosign('log\n1\nroot\n', witness, 1679315147);
  assert.equal(checkCosignature('log\n1\nroot\n', line, parseVerifierKey(verifierKey(witness))), 1679315147);
  assert.equal(checkCosignature('log\n2\nroot\n', line, witness), null);
  assert.equal(checkCosignature('log\n1\nroot\n', line, other), null);
  for (const nearly of [{ name: 'witness.example.com/w2' }, { keyId: other.keyId }, { type: signatureTypes.log }])
    assert.equal(checkCosignature('log\n1\nroot\n', line, { ...witness, ...nearly }), null, JSON.stringify(nearly));
  const later = Buffer.from(line.signature);
  later[7]! ^= 1;
  assert.equal(checkCosignature('log\n1\nroot\n', { ...line, signature: later }, witness), null);
});

test('a published signature with ML-DSA-44 holds for its checkpoint and its key only', () => {
  const signer = signerFromSeed(litewitness.name, signatureTypes.witnessMlDsa, litewitness.seed);
  assert.equal(signer.keyId, litewitness.keyId);
  const line = parseSignatureLine(litewitness.line);
  const check = (text: string, changed = line) =>
    checkCosignature(text, changed, parseVerifierKey(verifierKey(signer)));
  assert.equal(check(litewitness.text), 0);
  assert.equal(check(litewitness.text.replace('\n1\n', '\n2\n')), null);
  assert.equal(check(litewitness.text.replace('mldsa-log', 'mldsa-lag')), null);
  for (const at of [0, 7, 8, 1000, 2427]) {
    const signature = Buffer.from(line.signature);
    signature[at]! ^= 1;
    assert.equal(check(litewitness.text, { ...line, signature }), null, `byte ${at}`);
  }
});

test('a witness has a key of the fourth kind, as the specification of cosignatures asks, and a log one of the first', () => {
  const kindOf = (type: SignatureType) =>
    Buffer.from(verifierKey(signerFromSeed('PeterNeumann', type, seed)).split('+')[2]!, 'base64')[0];
  assert.deepEqual([kindOf(signatureTypes.log), kindOf(signatureTypes.witness)], [1, 4]);
});

test('the proof of an entry is written and read as the specification says', () => {
  const hashes = [leafHash(Buffer.from('a')), leafHash(Buffer.from('b'))];
  const checkpoint = `${text}\n${peterLine}`;
  const proof = { index: 73894, hashes, extra: null, checkpoint };
  assert.equal(
    formatProof(proof),
    `c2sp.org/tlog-proof@v1\nindex 73894\n${hashes.map((hash) => `${hash.toString('base64')}\n`).join('')}\n${checkpoint}`,
  );
  assert.deepEqual(parseProof(formatProof(proof)), proof);
  const withExtra = { ...proof, hashes: [], extra: Buffer.from('more') };
  assert.deepEqual(parseProof(formatProof(withExtra)), withExtra);
  for (const bad of ['', 'c2sp.org/tlog-proof@v2\nindex 1\n\nx', 'c2sp.org/tlog-proof@v1\nindex 01\n\nx'])
    assert.throws(() => parseProof(bad), NoteProblem);
  assert.throws(() => parseProof('c2sp.org/tlog-proof@v1\nAAAA\n\nx'), /does not say where its entry is/);
  const short = hashes[0]!.subarray(1).toString('base64');
  assert.throws(() => parseProof(`c2sp.org/tlog-proof@v1\nindex 1\n${short}\n\nx`), /a hash of a proof is malformed/);
});
