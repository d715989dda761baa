import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeBase64 } from './base64-stream.ts';

function streamOf(text: string, sizes: number[]): Readable {
  const bytes = Buffer.from(text);
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return Readable.from(chunks, { objectMode: false });
}

const decode = (text: string, sizes: number[] = []) => buffer(decodeBase64(streamOf(text, sizes)));
const sizesArbitrary = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 5 });
const refusal = { name: 'RangeError', message: 'The content is not valid Base64.' };

test('what is not standard Base64 is refused, however it is cut', async () => {
  const table = [
    'A',
    'AAAAA',
    'AA=',
    'AAAA=',
    'AAAA==',
    'AAA==',
    'AA===',
    'A===',
    '=',
    '==',
    '====',
    'AA==AA==',
    'AA==A',
  ];
  const strayBits = ['AB==', 'AB', 'AAB=', 'AAB'];
  const others = [
    'AA-_',
    'A\tA=',
    'AAAA\u0000',
    'é===',
    'A=A=',
    'AA=A',
    'data:text/plain;base64,AAAA',
    'AAAA\u000cAAAA',
  ];
  for (const text of [...table, ...strayBits, ...others]) {
    for (const sizes of [[], [1], [2], [3]]) await assert.rejects(decode(text, sizes), refusal, JSON.stringify(text));
  }
});

test('any one wrong character is noticed', async () => {
  const bad = fc.integer({ min: 0, max: 255 }).filter((code) => !/[A-Za-z0-9+/=\r\n ]/.test(String.fromCharCode(code)));
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1 }), fc.nat(), bad, sizesArbitrary, async (bytes, at, code, sizes) => {
      const good = Buffer.from(bytes).toString('base64');
      const index = at % good.length;
      const text = good.slice(0, index) + String.fromCharCode(code) + good.slice(index + 1);
      await assert.rejects(decode(text, sizes), refusal);
    }),
    { numRuns: 500 },
  );
});

test('a wrong character deep inside a large chunk is noticed', async () => {
  const good = Buffer.alloc(90_000, 7).toString('base64');
  for (const bad of ['-', '_', '=', '*', '\u0000', 'é']) {
    await assert.rejects(decode(good.slice(0, 70_001) + bad + good.slice(70_002)), refusal);
  }
});

test('any bytes come back, however the text is cut, wrapped and padded', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      sizesArbitrary,
      fc.constantFrom('', '\n', '\r\n', ' ', '\n\n '),
      fc.tuple(fc.integer({ min: 1, max: 80 }), fc.boolean()),
      async (bytes, sizes, lineBreak, [lineLength, isPadded]) => {
        const base64 = Buffer.from(bytes).toString('base64');
        const lines =
          (isPadded ? base64 : base64.replace(/=+$/, '')).match(new RegExp(`.{1,${lineLength}}`, 'g')) ?? [];
        const text = lines.map((line) => line + lineBreak).join('');
        assert.deepEqual(await decode(text, sizes), Buffer.from(bytes));
      },
    ),
    { numRuns: 300 },
  );
});

test('an error before ends what is read with the same error', async () => {
  const content = new PassThrough();
  content.write('QUJD');
  const failure = new Error('gone');
  const reading = buffer(decodeBase64(content));
  setImmediate(() => content.destroy(failure));
  await assert.rejects(reading, failure);
});

test('who stops reading ends the content', async () => {
  const content = new PassThrough();
  content.write('QUJD');
  const closed = new Promise((resolve) => content.once('close', resolve));
  decodeBase64(content).destroy();
  await closed;
  assert.ok(content.destroyed);
});
