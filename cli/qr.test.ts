// QR codes, read back by the rules of the standard and not by those of the writer: format, blocks, correction, text.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Matrix, qrMatrix, qrPicture } from './qr.ts';

/** Blocks of data and correction of each version at level M, from the table of the standard. */
const blocksOf: Record<number, [count: number, data: number, correction: number][]> = {
  1: [[1, 16, 10]],
  2: [[1, 28, 16]],
  3: [[1, 44, 26]],
  4: [[2, 32, 18]],
  5: [[2, 43, 24]],
  6: [[4, 27, 16]],
  7: [[4, 31, 18]],
  8: [
    [2, 38, 22],
    [2, 39, 22],
  ],
  9: [
    [3, 36, 22],
    [2, 37, 22],
  ],
  10: [
    [4, 43, 26],
    [1, 44, 26],
  ],
};
const alignments: Record<number, number[]> = {
  1: [],
  2: [6, 18],
  3: [6, 22],
  4: [6, 26],
  5: [6, 30],
  6: [6, 34],
  7: [6, 22, 38],
  8: [6, 24, 42],
  9: [6, 26, 46],
  10: [6, 28, 50],
};
/** Format words of level M with masks 0 to 7, from the table of the standard. */
const formats = [0x5412, 0x5125, 0x5e7c, 0x5b4b, 0x45f9, 0x40ce, 0x4f97, 0x4aa0];

const logs = new Map<number, number>();
const powers: number[] = [];
for (let value = 1, power = 0; power < 255; power += 1) {
  powers.push(value);
  logs.set(value, power);
  value = value >= 128 ? (value * 2) ^ 0x11d : value * 2;
}
const times = (one: number, other: number) =>
  one === 0 || other === 0 ? 0 : powers[(logs.get(one)! + logs.get(other)!) % 255]!;

function isReserved(size: number, version: number, [x, y]: [number, number]): boolean {
  const isCorner = (x < 9 && y < 9) || (x < 9 && y >= size - 8) || (x >= size - 8 && y < 9);
  const isVersion = version >= 7 && ((x < 6 && y >= size - 11) || (y < 6 && x >= size - 11));
  const isAligned = alignments[version]!.some((cy) =>
    alignments[version]!.some((cx) => {
      const isAtFinder = (cx === 6 && cy === 6) || (cx === 6 && cy === size - 7) || (cy === 6 && cx === size - 7);
      return !isAtFinder && Math.abs(cx - x) <= 2 && Math.abs(cy - y) <= 2;
    }),
  );
  return isCorner || isVersion || isAligned || x === 6 || y === 6;
}

function maskBit(mask: number, i: number, j: number): boolean {
  const terms = [
    (i + j) % 2,
    i % 2,
    j % 3,
    (i + j) % 3,
    (Math.floor(i / 2) + Math.floor(j / 3)) % 2,
    ((i * j) % 2) + ((i * j) % 3),
    (((i * j) % 2) + ((i * j) % 3)) % 2,
    (((i + j) % 2) + ((i * j) % 3)) % 2,
  ];
  return terms[mask] === 0;
}

function readBack(matrix: Matrix): string {
  const size = matrix.length;
  const version = (size - 17) / 4;
  let format = 0;
  for (let bit = 0; bit < 8; bit += 1) format |= Number(matrix[8]![size - 1 - bit]!) << bit;
  for (let bit = 8; bit < 15; bit += 1) format |= Number(matrix[size - 15 + bit]![8]!) << bit;
  const mask = formats.indexOf(format);
  assert.notEqual(mask, -1, `format ${format.toString(16)}`);
  const bits: number[] = [];
  let isUp = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1)
      for (const x of [right, right - 1]) {
        const y = isUp ? size - 1 - step : step;
        if (!isReserved(size, version, [x, y])) bits.push(Number(matrix[y]![x]! !== maskBit(mask, y, x)));
      }
    isUp = !isUp;
  }
  const words = Array.from({ length: Math.floor(bits.length / 8) }, (_, at) =>
    Number.parseInt(bits.slice(at * 8, at * 8 + 8).join(''), 2),
  );
  const data = blocksIn(version, words).flat();
  return textOf(data, version);
}

/** The data of each block, after its correction words were found to fit. */
function blocksIn(version: number, words: number[]): number[][] {
  const shapes = blocksOf[version]!.flatMap(([count, data, correction]) =>
    Array.from({ length: count }, () => ({ data, correction })),
  );
  const blocks: number[][] = shapes.map(() => []);
  let at = 0;
  for (let turn = 0; turn < Math.max(...shapes.map(({ data }) => data)); turn += 1)
    shapes.forEach(({ data }, block) => {
      if (turn < data) blocks[block]!.push(words[at++]!);
    });
  for (let turn = 0; turn < shapes[0]!.correction; turn += 1) for (const block of blocks) block.push(words[at++]!);
  blocks.forEach((block, index) => {
    for (let power = 0; power < shapes[index]!.correction; power += 1) {
      const sum = block.reduce((total, word) => times(total, powers[power]!) ^ word, 0);
      assert.equal(sum, 0, `block ${index} of version ${version}`);
    }
  });
  return blocks.map((block, index) => block.slice(0, shapes[index]!.data));
}

function textOf(data: number[], version: number): string {
  const bits = data.map((word) => word.toString(2).padStart(8, '0')).join('');
  assert.equal(bits.slice(0, 4), '0100');
  const lengthBits = version < 10 ? 8 : 16;
  const length = Number.parseInt(bits.slice(4, 4 + lengthBits), 2);
  const start = 4 + lengthBits;
  const bytes = Array.from({ length }, (_, at) => Number.parseInt(bits.slice(start + at * 8, start + at * 8 + 8), 2));
  return Buffer.from(bytes).toString();
}

describe('a QR code', () => {
  it('says what was put into it, at every length up to the longest', () => {
    for (let length = 1; length <= 213; length += length < 30 ? 1 : 7) {
      const text = `https://files.example.com/link/${'Ab3x'.repeat(60)}`.slice(0, length);
      assert.equal(readBack(qrMatrix(text)!), text, String(length));
    }
    assert.equal(readBack(qrMatrix('x'.repeat(213))!), 'x'.repeat(213));
    assert.equal(qrMatrix('x'.repeat(214)), null);
    assert.equal(readBack(qrMatrix('Grüße, 山')!), 'Grüße, 山');
  });

  it('is drawn with a quiet border of four modules, in two rows a line', () => {
    const matrix = qrMatrix('https://files.example.com/link/x')!;
    const picture = qrPicture(matrix, false);
    assert.equal(picture.length, Math.ceil((matrix.length + 8) / 2));
    assert.ok(picture.every((line) => [...line].length === matrix.length + 8 && line.startsWith('████')));
    assert.deepEqual(picture.slice(0, 2), [picture[0], '█'.repeat(matrix.length + 8)]);
    assert.ok(qrPicture(matrix, true)[0]!.startsWith('\u001b[97;40m'));
  });
});
