import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from './ids.ts';
import { type HashPurpose, openKeyring, openKeyWrapper, type SealPurpose, sameText } from './keyring.ts';

const master = Buffer.alloc(32, 1);
const open = (key: Buffer = master) => openKeyring(key, seededRandom('keyring'));

test('a master key of another length is refused', () => {
  for (const length of [0, 16, 31, 33, 64]) assert.throws(() => open(Buffer.alloc(length)), RangeError);
});

test('a hash is the same for the same master key, purpose and text, and different otherwise', () => {
  const hash = (key: Buffer, purpose: HashPurpose, text: string) => open(key).hash(purpose, text).toString('hex');
  assert.equal(hash(master, 'api-key', 'x'), hash(master, 'api-key', 'x'));
  const others = [
    hash(master, 'api-key', 'x'),
    hash(master, 'ticket', 'x'),
    hash(master, 'api-key', 'y'),
    hash(Buffer.alloc(32, 2), 'api-key', 'x'),
    hash(master, 'api-key', ''),
  ];
  assert.equal(new Set(others).size, others.length);
});

test('a sealed value opens at its place only, for its purpose only, with its master key only', () => {
  const keyring = open();
  const sealed = keyring.sealText('api-key', 'secret of somebody', 'alice/1');
  assert.throws(() => keyring.openText('api-key', sealed, 'bob/1'));
  assert.throws(() => keyring.openText('api-key', sealed, 'alice/11'));
  assert.throws(() => keyring.openText('client-key', sealed, 'alice/1'));
  assert.throws(() => open(Buffer.alloc(32, 2)).openText('api-key', sealed, 'alice/1'));
  assert.equal(keyring.openText('api-key', sealed, 'alice/1'), 'secret of somebody');
});

test('a changed, cut or lengthened sealed value does not open, whichever bit it is', () => {
  const keyring = open();
  const sealed = keyring.seal('name', Buffer.from('file.txt'), 'a');
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const changed = Buffer.from(sealed);
    changed[bit >> 3]! ^= 1 << (bit & 7);
    assert.throws(() => keyring.open('name', changed, 'a'));
  }
  for (let length = 0; length < sealed.length; length++)
    assert.throws(() => keyring.open('name', sealed.subarray(0, length), 'a'));
  // An empty sealed value has 28 bytes; in a shorter one the parts would overlap.
  assert.throws(() => keyring.open('name', sealed.subarray(0, 27), 'a'), /too short/);
  assert.throws(() => keyring.open('name', sealed.subarray(0, 28), 'a'), /auth/);
  assert.throws(() => keyring.open('name', Buffer.concat([sealed, Buffer.alloc(1)]), 'a'));
});

test('the same value sealed twice looks different and shows nothing of itself', () => {
  const keyring = open();
  const value = Buffer.from('a value of a certain length');
  const [first, second] = [keyring.seal('answer', value, 'p'), keyring.seal('answer', value, 'p')];
  assert.notDeepEqual(first, second);
  assert.ok(!first.includes(value.subarray(0, 8)));
  assert.deepEqual(keyring.open('answer', first, 'p'), keyring.open('answer', second, 'p'));
});

test('text of any script and an empty value come back as they were', () => {
  const keyring = open();
  for (const purpose of ['name', 'answer', 'client-key'] as SealPurpose[]) {
    for (const text of ['', 'Grüße, 世界 🗝', 'a\0b'])
      assert.equal(keyring.openText(purpose, keyring.sealText(purpose, text, 'x'), 'x'), text);
  }
});

test('file keys are wrapped with the newest key and opened with the one that wrapped them', () => {
  const random = seededRandom('wrapper');
  const keys = new Map([[1, random.bytes(32)]]);
  const dataKey = random.bytes(32);
  const old = openKeyWrapper(keys, random);
  const wrapped = old.wrap(dataKey, 'file');
  assert.equal(wrapped.keyId, 1);
  const both = openKeyWrapper(new Map([...keys, [2, random.bytes(32)]]), random);
  assert.equal(both.wrap(dataKey, 'file').keyId, 2);
  assert.deepEqual(both.unwrap(wrapped, 'file'), dataKey);
  assert.deepEqual(both.unwrap(both.wrap(dataKey, 'file'), 'file'), dataKey);
  assert.throws(() => both.unwrap({ ...wrapped, keyId: 2 }, 'file'));
  assert.throws(() => both.unwrap(wrapped, 'another file'));
  assert.throws(() => both.unwrap({ ...wrapped, keyId: 3 }, 'file'), /key 3 is not known/);
});

test('texts are the same only when they are', () => {
  assert.ok(sameText('', '') && sameText('abc', 'abc'));
  assert.ok(!sameText('abc', 'abd') && !sameText('abc', 'abcd') && !sameText('', 'a'));
});
