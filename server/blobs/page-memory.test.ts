import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { BodyAborted } from '#server/domain/ports.ts';
import { openMemoryStore } from '#test/kit/blob-store.ts';
import { bodyOf, freshBlob, interruptedBody, readRange, store, storeWith } from '#test/kit/sealed-blobs.ts';
import { openVault } from './encrypted.ts';
import { giveBack, isWholeBlocks, takeMemory } from './page-memory.ts';
import { mostBatchBytes } from './transfers.ts';

function countFree(): number {
  const taken: Buffer[] = [];
  for (let slot = takeMemory(mostBatchBytes); isWholeBlocks(slot); slot = takeMemory(mostBatchBytes)) taken.push(slot);
  taken.forEach(giveBack);
  return taken.length;
}

it('page memory is lent to one upload at a time; others get ordinary memory', () => {
  const all = countFree();
  assert.ok(all > 1);
  const slots = Array.from({ length: all + 1 }, () => takeMemory(mostBatchBytes));
  slots.forEach((slot, index) => void slot.fill(index));
  for (const [index, slot] of slots.entries()) assert.ok(slot.equals(Buffer.alloc(mostBatchBytes, index)));
  assert.deepEqual(slots.map(isWholeBlocks), [...Array(all).fill(true), false]);
  slots.forEach(giveBack);
  assert.equal(countFree(), all);
});

it('other sizes are ordinary memory, and parts of blocks are not whole', () => {
  assert.equal(isWholeBlocks(takeMemory(4096)), false);
  const slot = takeMemory(mostBatchBytes);
  assert.deepEqual(
    [slot, slot.subarray(4096, 8192), slot.subarray(1, 4097), slot.subarray(0, 5000), slot.subarray(0, 0)].map(
      isWholeBlocks,
    ),
    [true, true, false, false, false],
  );
  giveBack(slot);
});

it('uploads return their memory, however they end', async () => {
  const all = countFree();
  const bytes = randomBytes(3 * mostBatchBytes);
  const memory = openMemoryStore();
  await store(openVault(memory), bytes);
  await assert.rejects(openVault(memory).receive(freshBlob(), interruptedBody(bytes, 2 * mostBatchBytes)), BodyAborted);
  const broken = openVault(
    storeWith(memory, {
      create: async (key) => {
        const writer = await memory.create(key);
        let writes = 0;
        const write = (chunk: Buffer) => {
          writes += 1;
          return writes > 1 ? Promise.reject(new Error('no more')) : writer.write(chunk);
        };
        return { ...writer, write };
      },
    }),
  );
  await assert.rejects(broken.receive(freshBlob(), bodyOf(bytes)), /no more/);
  assert.equal(countFree(), all);
});

it('uploads keep their bytes while simultaneous ones break off', async () => {
  const vault = openVault(openMemoryStore());
  const whole = Array.from({ length: 6 }, (_, index) => randomBytes(2 * mostBatchBytes + index * 100_001));
  const rounds = whole.map(async (bytes, index) => {
    const broken = vault.receive(freshBlob(), interruptedBody(bytes, mostBatchBytes + index * 200_003));
    const [blob] = await Promise.all([store(vault, bytes), assert.rejects(broken, BodyAborted)]);
    assert.ok((await readRange(vault, blob, { start: 0, end: bytes.length })).equals(bytes));
  });
  await Promise.all(rounds);
});
