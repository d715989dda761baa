import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { type BlobStore, BodyAborted } from '#server/domain/ports.ts';
import { openMemoryStore } from '#test/kit/blob-store.ts';
import { slowSink, store as storeBytes, storeWith } from '#test/kit/sealed-blobs.ts';
import { openVault } from './encrypted.ts';

const plain = randomBytes(4 * 1024 * 1024 + 5);
const whole = { start: 0, end: plain.length };

/** Counts readers that were not closed. */
function countReads(memory: BlobStore): { store: BlobStore; open: () => number } {
  let open = 0;
  const store = storeWith(memory, {
    async *read(key, range) {
      open += 1;
      try {
        yield* memory.read(key, range);
      } finally {
        open -= 1;
      }
    },
  });
  return { store, open: () => open };
}

async function settled(isTrue: () => boolean): Promise<boolean> {
  for (let turn = 0; turn < 100 && !isTrue(); turn += 1) await new Promise(setImmediate);
  return isTrue();
}

/** Accepts bytes but never asks for more. */
function stuckSink(): Writable {
  return new Writable({ highWaterMark: 1, write() {} });
}

describe('an interrupted transfer', () => {
  it('rejects and closes the reader when the client disconnects during a wait', async () => {
    const { store, open } = countReads(openMemoryStore());
    const vault = openVault(store);
    const blob = await storeBytes(vault, plain);
    const sink = stuckSink();
    const sending = vault.send(blob, whole, sink);
    await settled(() => sink.writableLength > 0);
    sink.destroy();
    await assert.rejects(sending, BodyAborted);
    assert.ok(await settled(() => open() === 0));
  });

  it('rejects with the reason of the signal, even when the store hangs', async () => {
    const memory = openMemoryStore();
    const hanging = openVault(
      storeWith(memory, {
        async *read() {
          yield Buffer.alloc(10);
          await new Promise(() => {});
        },
      }),
    );
    const blob = await storeBytes(hanging, plain);
    const controller = new AbortController();
    const sink = slowSink();
    const sending = hanging.send(blob, whole, sink, { signal: controller.signal });
    controller.abort(new Error('revoked'));
    await assert.rejects(sending, /revoked/);
    assert.equal(sink.destroyed, false);
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
  });

  it('does not begin with an aborted signal or an ended destination', async () => {
    const { store, open } = countReads(openMemoryStore());
    const vault = openVault(store);
    const blob = await storeBytes(vault, plain);
    const sink = slowSink();
    await assert.rejects(
      vault.send(blob, whole, sink, { signal: AbortSignal.abort(new Error('too late')) }),
      /too late/,
    );
    assert.equal(sink.received().length, 0);
    await assert.rejects(vault.send(blob, whole, new PassThrough().end()), BodyAborted);
    await assert.rejects(vault.send(blob, whole, new PassThrough().destroy()), BodyAborted);
    assert.ok(await settled(() => open() === 0));
  });

  it('returns the error of a failing destination', async () => {
    const vault = openVault(openMemoryStore());
    const blob = await storeBytes(vault, plain);
    const sink = new Writable({
      write: (_bytes, _encoding, callback) => callback(new Error('no room for the archive')),
    });
    await assert.rejects(vault.send(blob, whole, sink), /no room for the archive/);
  });

  it('returns the error of the store', async () => {
    const memory = openMemoryStore();
    const vault = openVault(memory);
    const blob = await storeBytes(vault, plain);
    const failing = openVault(
      storeWith(memory, {
        async *read(key, range) {
          yield* memory.read(key, { ...range, end: 1_000_000 });
          throw new Error('the disk is gone');
        },
      }),
    );
    const sink = slowSink();
    await assert.rejects(failing.send(blob, whole, sink), /the disk is gone/);
    assert.ok(plain.subarray(0, sink.received().length).equals(sink.received()));
  });
});

it('a transfer honours back-pressure: it holds a few batches at any size', async () => {
  const memory = openMemoryStore();
  const blob = await storeBytes(openVault(memory), plain);
  let readBytes = 0;
  const store = storeWith(memory, {
    async *read(key, range) {
      for await (const chunk of memory.read(key, range)) {
        readBytes += chunk.length;
        yield chunk;
      }
    },
  });
  const sink = stuckSink();
  const sending = openVault(store).send(blob, whole, sink);
  await settled(() => false);
  assert.ok(readBytes <= 1024 * 1024, `read ${readBytes}`);
  sink.destroy();
  await assert.rejects(sending, BodyAborted);
});

it('a transfer leaves no listener on its destination and does not end it', async () => {
  const vault = openVault(openMemoryStore());
  const blob = await storeBytes(vault, plain);
  const sink = slowSink();
  const before = sink.eventNames().length;
  assert.equal(await vault.send(blob, whole, sink), plain.length);
  assert.equal(sink.eventNames().length, before);
  assert.equal(sink.writableEnded, false);
  await new Promise<void>((resolve) => sink.end(resolve));
  assert.ok(plain.equals(sink.received()));
});

it('a transfer is complete when the client has the last byte and leaves', async () => {
  const memory = openMemoryStore();
  const blob = await storeBytes(openVault(memory), plain);
  for (const range of [whole, { start: 0, end: 1024 * 1024 }]) {
    let takenBytes = 0;
    const sink = new Writable({
      highWaterMark: 1,
      write(bytes: Buffer, _encoding, callback) {
        takenBytes += bytes.length;
        if (takenBytes === range.end) this.destroy();
        callback();
      },
    });
    assert.equal(await openVault(memory).send(blob, range, sink), range.end);
  }
});
