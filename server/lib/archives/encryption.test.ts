import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encryptedZip } from '../scanners/self-test.ts';
import { isEncrypted } from './encryption.ts';

const check = (bytes: Buffer) => isEncrypted(bytes.length, async (start, end) => bytes.subarray(start, end));

test('an encrypted ZIP is detected, also where only its directory says so', async () => {
  assert.equal(await check(encryptedZip), true);
  const hidden = Buffer.from(encryptedZip);
  hidden.writeUInt16LE(0, 6);
  assert.equal(await check(hidden), true);
  const open = Buffer.from(hidden);
  open.writeUInt16LE(0, open.indexOf('PK\x01\x02', 0, 'latin1') + 8);
  assert.equal(await check(open), false);
});

test('an archive of 7-Zip or RAR with encrypted names is detected', async () => {
  const sevenZip = Buffer.concat([
    Buffer.from('377abcaf271c0004', 'hex'),
    Buffer.alloc(24),
    Buffer.from('1706f107010a', 'hex'),
  ]);
  assert.equal(await check(sevenZip), true);
  assert.equal(
    await check(
      Buffer.concat([Buffer.from('526172211a070100', 'hex'), Buffer.from('000000000b04000000000000', 'hex')]),
    ),
    true,
  );
  const rar4 = Buffer.concat([
    Buffer.from('526172211a0700', 'hex'),
    Buffer.from('0000738000', 'hex'),
    Buffer.alloc(20),
  ]);
  assert.equal(await check(rar4), true);
});

test('damaged, short and random content is never an error', async () => {
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.from('PK'),
    Buffer.from('PK\x03\x04'),
    Buffer.from('526172211a070100', 'hex'),
  ])
    assert.equal(await check(bytes), false);
  for (let length = 0; length < encryptedZip.length; length += 1) await check(encryptedZip.subarray(0, length));
  for (const start of ['377abcaf271c', '526172211a0700', '526172211a070100', 'd0cf11e0a1b11ae1'])
    await check(Buffer.concat([Buffer.from(start, 'hex'), Buffer.alloc(100, 0xff)]));
});
