import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encode } from 'uqr';
import { qrPicture } from './qr.ts';

const address = 'https://files.example.com/link/x';

describe('a QR code', () => {
  it('is null for a text that no code can hold', () => {
    assert.equal(qrPicture('x'.repeat(5000), false), null);
  });

  it('is drawn with a quiet border of four modules, in two rows a line', () => {
    const { data, size } = encode(address, { ecc: 'M', border: 4 });
    const picture = qrPicture(address, false)!;
    assert.equal(picture.length, Math.ceil(size / 2));
    assert.ok(picture.every((line) => [...line].length === size && line.startsWith('████')));
    assert.deepEqual(picture.slice(0, 2), ['█'.repeat(size), '█'.repeat(size)]);
    // Only light modules are drawn.
    const isDark = (x: number, y: number) => (y % 2 === 0 ? ' ▄' : ' ▀').includes([...picture[y >> 1]!][x]!);
    for (let y = 0; y < size; y += 1) for (let x = 0; x < size; x += 1) assert.equal(isDark(x, y), data[y]![x]);
  });

  it('brings its colours along where there are any', () => {
    assert.ok(qrPicture(address, true)![0]!.startsWith('\u001b[97;40m'));
  });
});
