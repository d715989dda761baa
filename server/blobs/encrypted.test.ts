import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BlobDamaged, BlobMissing, type SealedBlob } from '#server/domain/ports.ts';
import { openMemoryStore } from '#test/kit/blob-store.ts';
import { bodyOf, readRange, slowSink, store as storeBytes, storeWith } from '#test/kit/sealed-blobs.ts';
import { collect, freshKey, putBlob, readBlob } from './blob-store.suite.ts';
import { openVault } from './encrypted.ts';
import { headerBytes, segmentBytes, storedSegmentBytes, storedSize, tagBytes } from './format.ts';

const memory = openMemoryStore();
const vault = openVault(memory);

const anySize = fc.oneof(
  fc.nat(300),
  fc.tuple(fc.nat(3), fc.integer({ min: -2, max: 2 })).map(([n, off]) => Math.max(0, n * segmentBytes + off)),
  fc.nat(3 * segmentBytes),
);

/** Stores changed bytes under a new key and returns their place. */
async function withStored(blob: SealedBlob, stored: Buffer): Promise<SealedBlob> {
  const changed = { ...blob, key: freshKey() };
  await putBlob(memory, changed.key, stored);
  return changed;
}

/** The bytes returned before the end or the error, and the error. */
async function tryRead(blob: SealedBlob, end: number): Promise<{ released: Buffer; error: unknown }> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of vault.read(blob, { start: 0, end })) chunks.push(chunk);
  } catch (error) {
    return { released: Buffer.concat(chunks), error };
  }
  return { released: Buffer.concat(chunks), error: null };
}

async function assertDetected(blob: SealedBlob, plain: Buffer, stored: Buffer): Promise<void> {
  const changed = await withStored(blob, stored);
  const asked = await tryRead(changed, plain.length);
  assert.ok(plain.subarray(0, asked.released.length).equals(asked.released), 'a wrong byte was given out');
  assert.ok(asked.error instanceof BlobDamaged, `not detected: ${asked.error}`);
  await memory.delete(changed.key);
}

describe('a changed blob', () => {
  it('is detected at any changed byte', async () => {
    const plain = randomBytes(segmentBytes + 40);
    const blob = await storeBytes(vault, plain);
    const stored = await readBlob(memory, blob.key);
    const everyByteOf = (start: number, end: number) => Array.from({ length: end - start }, (_, n) => start + n);
    const secondSegment = headerBytes + storedSegmentBytes;
    const places = [...everyByteOf(0, headerBytes + 20), ...everyByteOf(secondSegment - 20, stored.length)];
    for (const at of places) {
      const changed = Buffer.from(stored);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      await assertDetected(blob, plain, changed);
    }
  });

  it('is detected when it is changed, shortened or extended anywhere', async () => {
    const change = fc.record({
      size: anySize,
      kind: fc.constantFrom('change', 'cut', 'extend', 'extend with zeros', 'repeat a segment'),
      where: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      amount: fc.oneof(fc.integer({ min: 1, max: 64 }), fc.constantFrom(tagBytes, segmentBytes, storedSegmentBytes)),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ size, kind, where, amount }) => {
        const plain = randomBytes(size);
        const blob = await storeBytes(vault, plain);
        const stored = await readBlob(memory, blob.key);
        const at = Math.floor(where * stored.length);
        let changed = Buffer.from(stored);
        if (kind === 'change') changed[at] = (changed[at] ?? 0) ^ ((amount % 255) + 1);
        if (kind === 'cut') changed = changed.subarray(0, Math.max(0, stored.length - amount));
        if (kind === 'extend') changed = Buffer.concat([stored, randomBytes(amount)]);
        if (kind === 'extend with zeros') changed = Buffer.concat([stored, Buffer.alloc(amount)]);
        if (kind === 'repeat a segment') changed = Buffer.concat([stored, stored.subarray(headerBytes)]);
        await assertDetected(blob, plain, changed);
      }),
      { numRuns: 300 },
    );
  });

  it('is detected when segments are swapped or come from another blob', async () => {
    const plain = randomBytes(4 * segmentBytes + 10);
    const blob = await storeBytes(vault, plain);
    const stored = await readBlob(memory, blob.key);
    const other = { ...blob, key: freshKey() };
    await vault.receive(other, bodyOf(plain));
    const otherStored = await readBlob(memory, other.key);
    const segment = (from: Buffer, n: number) =>
      from.subarray(headerBytes + n * storedSegmentBytes, headerBytes + (n + 1) * storedSegmentBytes);
    const build = (order: Buffer[]) => Buffer.concat([stored.subarray(0, headerBytes), ...order]);
    const own = [0, 1, 2, 3, 4].map((n) => segment(stored, n));
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([0, 1, 2, 3], { minLength: 1 }), async (order) => {
        if (order.join() === '0,1,2,3') return;
        await assertDetected(blob, plain, build([...order.map((n) => segment(stored, n)), segment(stored, 4)]));
      }),
      { numRuns: 25 },
    );
    for (const n of [0, 1, 2, 3, 4]) {
      await assertDetected(blob, plain, build(own.with(n, segment(otherStored, n))));
    }
  });

  it('of whole segments never returns its last byte when its end is bad', async () => {
    for (const segments of [1, 2, 3]) {
      const plain = randomBytes(segments * segmentBytes);
      const blob = await storeBytes(vault, plain);
      const stored = await readBlob(memory, blob.key);
      const changedEnd = Buffer.from(stored);
      changedEnd[stored.length - 1]! ^= 1;
      const bads = [changedEnd, stored.subarray(0, -1), stored.subarray(0, -tagBytes), Buffer.concat([stored, plain])];
      for (const bad of bads) {
        const place = await withStored(blob, bad);
        const { released, error } = await tryRead(place, plain.length);
        assert.ok(error instanceof BlobDamaged, `not detected: ${error}`);
        assert.ok(released.length <= (segments - 1) * segmentBytes, `${released.length} of ${plain.length} came out`);
      }
    }
  });

  it('is refused at another place and with another key', async () => {
    const blob = await storeBytes(vault, Buffer.from('secret'));
    const range = { start: 0, end: 6 };
    await assert.rejects(readRange(vault, { ...blob, context: 'elsewhere/1' }, range), BlobDamaged);
    await assert.rejects(readRange(vault, { ...blob, dataKey: randomBytes(32) }, range), BlobDamaged);
    await assert.rejects(readRange(vault, { ...blob, key: freshKey() }, range), BlobMissing);
  });

  it('ends a transfer without a byte of the bad segment', async () => {
    const plain = randomBytes(5 * segmentBytes);
    const blob = await storeBytes(vault, plain);
    const stored = await readBlob(memory, blob.key);
    for (const bad of [0, 2, 4]) {
      const changed = Buffer.from(stored);
      const at = headerBytes + bad * storedSegmentBytes + storedSegmentBytes - 1;
      changed[at] = (changed[at] ?? 0) ^ 1;
      const place = await withStored(blob, changed);
      const sink = slowSink();
      await assert.rejects(vault.send(place, { start: 0, end: plain.length }, sink), BlobDamaged);
      const received = sink.received();
      assert.ok(received.length <= bad * segmentBytes);
      assert.ok(plain.subarray(0, received.length).equals(received));
      assert.equal(sink.writableEnded, false);
    }
  });
});

describe('an intact blob', () => {
  it('returns any range of any length, read and sent, with any chunks of the store', async () => {
    const shape = fc.record({
      size: anySize,
      a: fc.nat(),
      b: fc.nat(),
      chunkBytes: fc.integer({ min: 1, max: 200_000 }),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ size, a, b, chunkBytes }) => {
        const plain = randomBytes(size);
        const blob = await storeBytes(vault, plain);
        const [start = 0, end = 0] = [a % (size + 1), b % (size + 1)].sort((x, y) => x - y);
        const recut = openVault(
          storeWith(memory, {
            async *read(key, range) {
              const bytes = await readBlob(memory, key, range);
              const step = Math.max(chunkBytes, bytes.length / 50);
              for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
            },
          }),
        );
        assert.ok(plain.subarray(start, end).equals(await readRange(recut, blob, { start, end })));
        const sink = slowSink();
        assert.equal(await vault.send(blob, { start, end }, sink), end - start);
        await new Promise<void>((resolve) => sink.end(resolve));
        assert.ok(plain.subarray(start, end).equals(sink.received()));
        await vault.erase(blob.key);
      }),
      { numRuns: 80 },
    );
  });

  it('reads ranges around every boundary', async () => {
    const plain = randomBytes(2 * segmentBytes);
    const blob = await storeBytes(vault, plain);
    const places = [0, 1, segmentBytes - 1, segmentBytes, segmentBytes + 1, 2 * segmentBytes - 1, 2 * segmentBytes];
    for (const start of places) {
      for (const end of places.filter((place) => place >= start)) {
        assert.ok(plain.subarray(start, end).equals(await readRange(vault, blob, { start, end })), `${start}-${end}`);
      }
    }
  });

  it('refuses an invalid range, and one beyond its end', async () => {
    const blob = await storeBytes(vault, randomBytes(100));
    for (const range of [
      { start: -1, end: 2 },
      { start: 3, end: 2 },
      { start: 0.5, end: 2 },
    ]) {
      await assert.rejects(readRange(vault, blob, range), RangeError);
    }
    for (const end of [101, segmentBytes, 10 * segmentBytes]) {
      assert.ok((await tryRead(blob, end)).error instanceof BlobDamaged);
    }
  });

  it('has the predicted size, and contains no part of the plain bytes', async () => {
    const plain = Buffer.from('The quick brown fox jumps over the lazy dog. '.repeat(4000));
    const blob = await storeBytes(vault, plain);
    const stored = await readBlob(memory, blob.key);
    assert.equal(stored.length, storedSize(plain.length));
    for (let at = 0; at < 64; at += 1) assert.equal(stored.indexOf(plain.subarray(at, at + 16)), -1);
    for (let at = 0; at + 16 <= blob.dataKey.length; at += 1) {
      assert.equal(stored.indexOf(blob.dataKey.subarray(at, at + 16)), -1);
    }
    assert.equal(stored.indexOf(blob.context), -1);
  });

  it('is stored differently each time, so that equal files cannot be detected', async () => {
    const plain = randomBytes(200);
    const blob = await storeBytes(vault, plain);
    const again = { ...blob, key: freshKey() };
    await vault.receive(again, bodyOf(plain));
    const [one, two] = [await readBlob(memory, blob.key), await readBlob(memory, again.key)];
    assert.ok(!one.subarray(8).equals(two.subarray(8)));
    assert.equal(one.indexOf(two.subarray(headerBytes, headerBytes + 16)), -1);
  });

  it('is gone after it was erased', async () => {
    const blob = await storeBytes(vault, Buffer.from('x'));
    assert.ok((await collect(vault.list())).some(({ key }) => key === blob.key));
    await vault.erase(blob.key);
    await assert.rejects(readRange(vault, blob, { start: 0, end: 1 }), BlobMissing);
    assert.ok(!(await collect(vault.list())).some(({ key }) => key === blob.key));
    assert.equal(await vault.state(), 'healthy');
    assert.equal(await vault.removeUnfinished(Date.now() + 1000, async () => false), 0);
  });
});
