import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pngChunk, samplePng } from './png.fixture.ts';
import { cleanPng, PngProblem } from './png.ts';

describe('a PNG picture', () => {
  const sound = samplePng(3, 2);

  it('is refused in words when it is none, damaged, cut, endless or huge', () => {
    const flipped = Buffer.from(sound);
    flipped[20]! ^= 1;
    const cases = [
      Buffer.from('GIF89a'),
      Buffer.alloc(0),
      sound.subarray(0, 8),
      sound.subarray(0, 40),
      sound.subarray(0, -12),
      flipped,
      samplePng(4097, 1),
      samplePng(1, 4097),
      samplePng(0, 2),
      samplePng(2, 0),
      Buffer.concat([sound.subarray(0, 33), sound.subarray(8)]),
      Buffer.concat([sound.subarray(0, 8), pngChunk('IHDR', Buffer.alloc(14, 1)), sound.subarray(33)]),
      sound.subarray(0, -1),
      Buffer.concat([sound.subarray(0, 8), pngChunk('IEND', Buffer.alloc(0))]),
      Buffer.concat([sound.subarray(0, 33), pngChunk('IEND', Buffer.alloc(0))]),
    ];
    for (const bytes of cases) assert.throws(() => cleanPng(bytes), PngProblem);
  });

  it('says its size and is kept as it is', () => {
    const { bytes, width, height } = cleanPng(sound);
    assert.deepEqual([width, height], [3, 2]);
    assert.ok(bytes.equals(sound));
    assert.equal(cleanPng(samplePng(4096, 1)).width, 4096);
    assert.equal(cleanPng(samplePng(1, 4096)).height, 4096);
  });

  it('loses its notes, its further pictures and what stands behind its end', () => {
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
