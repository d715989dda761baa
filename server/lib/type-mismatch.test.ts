import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTypeMismatch } from './type-mismatch.ts';

const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010806000000', 'hex');
const pdf = Buffer.from('%PDF-1.7\n');
const program = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200)]);
const zip = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), Buffer.alloc(60)]);
const text = Buffer.from('Plain text, with words.\n');

test('a file whose bytes are of another type than its name says is a mismatch', async () => {
  const cases: [name: string, head: Buffer, isMismatch: boolean][] = [
    ['photo.png', png, false],
    ['photo.jpg', png, false],
    ['photo.png', program, true],
    ['photo.png', text, true],
    ['report.pdf', pdf, false],
    ['report.pdf', zip, true],
    ['report.pdf', Buffer.concat([Buffer.from('\n\n'), pdf]), false],
    ['report.docx', zip, false],
    ['report.docx', pdf, true],
    ['notes.txt', text, false],
    ['notes.txt', png, true],
    ['notes.txt', program, true],
    ['setup.exe', program, false],
    ['setup.data', program, true],
    ['data.bin', zip, false],
    ['unknown.xyz', text, false],
    ['empty.pdf', Buffer.alloc(0), false],
  ];
  for (const [name, head, isMismatch] of cases)
    assert.equal(await isTypeMismatch(name, '', head), isMismatch, `${name} ${head.toString('latin1', 0, 4)}`);
});

test('the type that the sender declares counts too', async () => {
  assert.equal(await isTypeMismatch('scan', 'application/pdf', png), true);
  assert.equal(await isTypeMismatch('scan', 'application/pdf', pdf), false);
  assert.equal(await isTypeMismatch('scan', 'application/octet-stream', png), false);
});
