import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  createHeader,
  createSealer,
  headerBytes,
  nonceOf,
  openHeader,
  openSegment,
  plainSize,
  saltBytes,
  segmentBytes,
  segmentsOf,
  storedSegmentBytes,
  storedSize,
  tagBytes,
} from './format.ts';

const dataKey = randomBytes(32);
const context = 'attachment/1';
const anySize = fc.oneof(
  fc.nat(200),
  fc.nat(4 * segmentBytes),
  fc.tuple(fc.nat(4), fc.integer({ min: -2, max: 2 })).map(([n, off]) => Math.max(0, n * segmentBytes + off)),
);

function keysOf(header: Buffer, key = dataKey, place = context) {
  const keys = openHeader(header, key, place);
  if (typeof keys === 'string') assert.fail(keys);
  return keys;
}

describe('the header of a blob', () => {
  const { header } = createHeader(dataKey, context, randomBytes(saltBytes));

  it('is refused with another key, another place or any changed byte', () => {
    assert.equal(typeof openHeader(header, randomBytes(32), context), 'string');
    for (const place of ['attachment/2', 'attachment/11', 'attachment', '']) {
      assert.equal(typeof openHeader(header, dataKey, place), 'string');
    }
    for (let at = 0; at < header.length; at += 1) {
      const changed = Buffer.from(header);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      assert.equal(typeof openHeader(changed, dataKey, context), 'string', `byte ${at}`);
      assert.equal(typeof openHeader(header.subarray(0, at), dataKey, context), 'string', `cut at ${at}`);
    }
  });

  it('refuses a key or a salt of the wrong length', () => {
    assert.throws(() => createHeader(randomBytes(16), context, randomBytes(saltBytes)), TypeError);
    assert.throws(() => createHeader(dataKey, context, randomBytes(8)), TypeError);
  });

  it('opens with the right key and place', () => {
    assert.equal(header.length, headerBytes);
    assert.notEqual(typeof openHeader(header, dataKey, context), 'string');
  });

  it('has the format of all stored blobs: segments of 64 KiB with tags of 16 bytes', () => {
    assert.equal(header.subarray(0, 8).toString('hex'), '5741594201011000');
    assert.deepEqual([segmentBytes, tagBytes, storedSegmentBytes], [65_536, 16, 65_552]);
    assert.equal(storedSize(65_536), headerBytes + 65_536 + 2 * 16);
  });

  it('holds the third part of HKDF-Expand as its commitment', () => {
    const info = Buffer.concat([Buffer.from('waybill blob'), header.subarray(0, 32), Buffer.from(context)]);
    const t1 = createHmac('sha256', dataKey).update(info).update('\x01').digest();
    const t2 = createHmac('sha256', dataKey).update(t1).update(info).update('\x02').digest();
    const t3 = createHmac('sha256', dataKey).update(t2).update(info).update('\x03').digest();
    const material = Buffer.concat([t1, t2, t3]);
    assert.ok(header.subarray(32).equals(material.subarray(44, 76)));
    assert.ok(keysOf(header).key.export().equals(material.subarray(0, 32)));
  });
});

it('a stored segment that cannot hold a tag, or holds more than a segment, does not open', () => {
  const keys = keysOf(createHeader(dataKey, context, randomBytes(saltBytes)).header);
  for (const length of [0, 15, 16, 65_536 + 17])
    assert.equal(openSegment(keys, 0, Buffer.alloc(length)), null, `${length}`);
});

describe('nonces', () => {
  it('differ for all segments of a blob, and keys for all blobs', () => {
    const keys = keysOf(createHeader(dataKey, context, randomBytes(saltBytes)).header);
    const isNew = fc.uniqueArray(fc.nat(2 ** 32 - 1), { minLength: 2, maxLength: 200 });
    fc.assert(
      fc.property(isNew, (indexes) => {
        assert.equal(new Set(indexes.map((index) => nonceOf(keys, index).toString('hex'))).size, indexes.length);
      }),
    );
    const secrets = Array.from({ length: 200 }, () => {
      const { header } = createHeader(dataKey, context, randomBytes(saltBytes));
      return keysOf(header).key.export().toString('hex');
    });
    assert.equal(new Set(secrets).size, 200);
  });

  it('have the number of the segment in their last four bytes, as in all stored blobs', () => {
    const { key } = keysOf(createHeader(dataKey, context, randomBytes(saltBytes)).header);
    const nonce = nonceOf({ key, baseNonce: Buffer.alloc(12, 0xf0) }, 0x01020384);
    assert.equal(nonce.toString('hex'), 'f0f0f0f0f0f0f0f0f1f2f374');
  });

  it('run out with an error instead of repeating', () => {
    const keys = keysOf(createHeader(dataKey, context, randomBytes(saltBytes)).header);
    assert.throws(() => nonceOf(keys, 2 ** 32), RangeError);
    assert.throws(() => nonceOf(keys, -1), RangeError);
  });
});

describe('sizes', () => {
  it('convert both ways, and a length without a complete last segment is invalid', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anySize,
          fc.nat(2 ** 31).map((n) => n * 1000),
        ),
        (plain) => {
          const stored = storedSize(plain);
          assert.equal(plainSize(stored), plain);
          if (plain % segmentBytes === 0) assert.equal(plainSize(stored - tagBytes), null);
        },
      ),
    );
    assert.equal(plainSize(0), null);
    assert.equal(plainSize(headerBytes), null);
    assert.equal(plainSize(headerBytes + storedSegmentBytes), null);
  });

  it('of the segments of a range cover the range', () => {
    fc.assert(
      fc.property(anySize, anySize, (a, b) => {
        const range = { start: Math.min(a, b), end: Math.max(a, b) };
        const { firstIndex, lastIndex, stored } = segmentsOf(range);
        assert.ok(firstIndex * segmentBytes <= range.start && range.start < (firstIndex + 1) * segmentBytes);
        assert.ok(lastIndex * segmentBytes <= range.end && range.end < (lastIndex + 1) * segmentBytes);
        assert.equal(stored.start, headerBytes + firstIndex * storedSegmentBytes);
        assert.equal(stored.end, headerBytes + (lastIndex + 1) * storedSegmentBytes);
      }),
    );
  });
});

describe('the sealer', () => {
  it('creates the same segments for any chunks of the bytes, and each opens at its own position only', () => {
    fc.assert(
      fc.property(
        anySize,
        fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 8 }),
        (size, cuts) => {
          const plain = randomBytes(size);
          const keys = keysOf(createHeader(dataKey, context, randomBytes(saltBytes)).header);
          const stored = seal(plain, cuts, keys);
          assert.equal(stored.length, storedSize(size) - headerBytes);
          for (let index = 0; index * storedSegmentBytes < stored.length; index += 1) {
            const segment = stored.subarray(index * storedSegmentBytes, (index + 1) * storedSegmentBytes);
            const expected = plain.subarray(index * segmentBytes, (index + 1) * segmentBytes);
            assert.ok(openSegment(keys, index, segment)?.equals(expected));
            assert.equal(openSegment(keys, index + 1, segment), null);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

function seal(plain: Buffer, cuts: number[], keys: ReturnType<typeof keysOf>): Buffer {
  const sealer = createSealer(keys);
  const target = Buffer.alloc(storedSize(plain.length) + storedSegmentBytes);
  let made = 0;
  let turn = 0;
  for (let at = 0; at < plain.length; ) {
    const chunk = plain.subarray(at, at + (cuts[turn++ % cuts.length] ?? 1));
    const step = sealer.add(chunk, target, made);
    at += step.taken;
    made += step.made;
  }
  made += sealer.finish(target, made);
  return target.subarray(0, made);
}
