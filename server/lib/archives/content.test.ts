import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zipOf } from '#test/kit/deflated-zip.ts';
import { encryptedZip } from '../scanners/self-test.ts';
import { inspectContent } from './content.ts';

const nested = (depth: number): Buffer =>
  depth === 1
    ? zipOf([{ name: 'a.txt', bytes: Buffer.from('text') }])
    : zipOf([{ name: 'inner.zip', bytes: nested(depth - 1) }]);

async function inspect(bytes: Buffer, name = 'file') {
  let read = 0;
  const found = await inspectContent(name, bytes.length, async (start, end) => {
    read += end - start;
    return bytes.subarray(start, end);
  });
  return { ...found, read };
}

const document = (...names: string[]) =>
  zipOf(['[Content_Types].xml', ...names].map((name) => ({ name, bytes: Buffer.from('content') })));

test('the depth of archives in archives is counted', async () => {
  assert.equal((await inspect(Buffer.from('no archive'))).archiveDepth, 0);
  for (const depth of [1, 2, 5]) assert.equal((await inspect(nested(depth))).archiveDepth, depth);
  assert.equal((await inspect(document())).archiveDepth, 0, 'a document is no archive');
  const gzip = zipOf([{ name: 'logs.tar.gz', bytes: Buffer.from('1f8b0800', 'hex') }]);
  assert.equal((await inspect(gzip)).archiveDepth, 2);
});

test('macros are found in documents, also inside an archive', async () => {
  assert.equal((await inspect(document('word/document.xml'))).hasMacros, false);
  const macros = document('word/vbaProject.bin');
  assert.equal((await inspect(macros)).hasMacros, true);
  assert.equal((await inspect(document('xl/macrosheets/sheet1.xml'))).hasMacros, true);
  assert.equal((await inspect(zipOf([{ name: 'letter.docm', bytes: macros }]))).hasMacros, true);
  const source = zipOf([{ name: 'word/vbaProject.bin', bytes: Buffer.from('x') }]);
  assert.equal((await inspect(source)).hasMacros, false, 'no document');
});

test('macros are found in documents of the old form', async () => {
  const sector = (names: string[]) => {
    const bytes = Buffer.alloc(512);
    for (const [index, name] of names.entries()) {
      bytes.write(name, index * 128, 'utf16le');
      bytes.writeUInt16LE((name.length + 1) * 2, index * 128 + 64);
    }
    return bytes;
  };
  const compound = (names: string[]) => {
    const header = Buffer.alloc(512);
    Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
    header.writeUInt16LE(9, 30);
    header.writeUInt32LE(1, 48);
    return Buffer.concat([header, Buffer.alloc(512, 0xff), sector(names)]);
  };
  assert.equal((await inspect(compound(['Root Entry', 'WordDocument']))).hasMacros, false);
  assert.equal((await inspect(compound(['Root Entry', '_VBA_PROJECT']))).hasMacros, true);
});

test('encrypted archives are found, also inside another archive', async () => {
  assert.equal((await inspect(encryptedZip)).isEncrypted, true);
  assert.equal((await inspect(zipOf([{ name: 'secret.zip', bytes: encryptedZip }]))).isEncrypted, true);
  assert.equal((await inspect(nested(2))).isEncrypted, false);
});

test('an archive that unpacks to too much is found in its directory, without unpacking it', async () => {
  const bomb = zipOf([{ name: 'zeros.bin', bytes: Buffer.alloc(100_000), claims: 4_000_000_000 }]);
  const found = await inspect(bomb);
  assert.equal(found.isBomb, true);
  assert.ok(found.read < 3 * bomb.length + 1024, `${found.read} bytes were read`);
  const two = ['a', 'b'].map((name) => ({ name, bytes: Buffer.from('x') }));
  assert.equal((await inspect(zipOf(two, true))).isBomb, true, 'entries that share their bytes');
  assert.equal((await inspect(zipOf(two))).isBomb, false);
});

test('an inner archive that unpacks to more than it says is not unpacked completely', async () => {
  const inner = Buffer.alloc(64 * 1024 * 1024);
  const found = await inspect(zipOf([{ name: 'inner.zip', bytes: inner, claims: 1000 }]));
  assert.deepEqual([found.isPartial, found.archiveDepth], [true, 2]);
});

test('an archive nested without end ends', async () => {
  const found = await inspect(nested(80));
  assert.equal(found.isPartial, true);
});

test('damaged, short and random content is never an error', async () => {
  const bytes = nested(3);
  for (let length = 0; length < bytes.length; length += 1) await inspect(bytes.subarray(0, length));
  for (const start of ['504b0304', '504b0506', 'd0cf11e0a1b11ae1', '4d5a'])
    for (const fill of [0, 0xff, 0x50])
      await inspect(Buffer.concat([Buffer.from(start, 'hex'), Buffer.alloc(2000, fill)]));
});
