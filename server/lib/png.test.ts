import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pngChunk, samplePng } from './png.fixture.ts';
import { cleanPng, PngProblem } from './png.ts';

describe('a PNG picture', () => {
  const sound = samplePng(3, 2);

  it('is refused with a sentence if it is invalid, damaged, cut, endless or huge', () => {
    const flipped = Buffer.from(sound);
    flipped[20]! ^= 1;
    const other = /not a PNG picture/;
    const damaged = /is damaged/;
    const tooLarge = /at most 4096 pixels wide and high/;
    const [start, end] = [sound.subarray(0, 8), pngChunk('IEND', Buffer.alloc(0))];
    const cases: [Buffer, RegExp][] = [
      [Buffer.from('GIF89a'), other],
      [Buffer.alloc(0), other],
      [start, damaged],
      [sound.subarray(0, 40), damaged],
      [sound.subarray(0, -12), damaged],
      [sound.subarray(0, -1), damaged],
      [flipped, damaged],
      [samplePng(4097, 1), tooLarge],
      [samplePng(1, 4097), tooLarge],
      [samplePng(0, 2), tooLarge],
      [samplePng(2, 0), tooLarge],
      [Buffer.concat([sound.subarray(0, 33), sound.subarray(8)]), damaged],
      [Buffer.concat([start, pngChunk('IHDR', Buffer.alloc(14)), sound.subarray(33)]), damaged],
      [Buffer.concat([start, end]), damaged],
      [Buffer.concat([sound.subarray(0, 33), end]), damaged],
    ];
    for (const [bytes, words] of cases) {
      assert.throws(() => cleanPng(bytes), PngProblem);
      assert.throws(() => cleanPng(bytes), words);
    }
  });

  it('has a size and stays unchanged', () => {
    const { bytes, width, height } = cleanPng(sound);
    assert.deepEqual([width, height], [3, 2]);
    assert.ok(bytes.equals(sound));
    assert.equal(cleanPng(samplePng(4096, 1)).width, 4096);
    assert.equal(cleanPng(samplePng(1, 4096)).height, 4096);
  });

  it('loses its metadata, its further pictures and the data after its end', () => {
    const noted = Buffer.concat([
      sound.subarray(0, 33),
      pngChunk('tEXt', Buffer.from('Author\0Alice')),
      pngChunk('acTL', Buffer.alloc(8)),
      sound.subarray(33),
      Buffer.from('<script>'),
    ]);
    assert.ok(cleanPng(noted).bytes.equals(sound));
  });
});
