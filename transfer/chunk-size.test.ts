import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ChunkSize, chunkBytesNow, recordChunk } from './chunk-size.ts';
import type { FakeClock } from './fake-clock.fixture.ts';
import { createFakeServer } from './fake-server.fixture.ts';
import { contentOf, type Kit, sourceOf, startKit } from './kit.fixture.ts';
import type { Send } from './ports.ts';

const kib = 1024;
const mib = 1024 * kib;

/** A connection with this rate that reports progress every 100 ms. */
function startSlow(bytesPerSecond: () => number, followsConnection = true): Kit & { wireBytes: () => number } {
  const server = createFakeServer();
  const reached: { clock: FakeClock | null } = { clock: null };
  let wireBytes = 0;
  const send: Send = async (request) => {
    const size = request.body?.length ?? 0;
    for (let sent = 0; sent < size; ) {
      await reached.clock!.wait(100, request.signal);
      const step = Math.min(size - sent, bytesPerSecond() / 10);
      sent += step;
      wireBytes += step;
      request.onProgress(sent);
    }
    return server.send(request);
  };
  const kit = startKit({ server, send, chunkBytes: 8 * mib, followsConnection });
  reached.clock = kit.clock;
  return { ...kit, wireBytes: () => wireBytes };
}

describe('the size of chunks', () => {
  it('follows a slow connection after one second, and wastes only that second', async () => {
    const kit = startSlow(() => 100 * kib);
    const id = kit.transfers.add(sourceOf('slow', 3 * mib));
    await kit.clock.advance(60_000);
    assert.equal(kit.file(id).state, 'ready');
    assert.deepEqual(kit.server.finished.get(kit.file(id).attachmentId!), contentOf('slow', 3 * mib));
    const sizes = kit.server.requests.map(({ sizeBytes }) => sizeBytes);
    assert.ok(Math.max(...sizes) <= 500 * kib, `${sizes}`);
    assert.ok(kit.wireBytes() <= 3 * mib + 200 * kib, `${kit.wireBytes()} bytes`);
  });

  it('makes a pause on a slow connection end within seconds, without a byte sent twice', async () => {
    const kit = startSlow(() => 100 * kib);
    const id = kit.transfers.add(sourceOf('slow', 3 * mib));
    await kit.clock.advance(10_000);
    kit.transfers.pause();
    await kit.clock.advance(6_000);
    const atPause = kit.wireBytes();
    await kit.clock.advance(60_000);
    assert.equal(kit.wireBytes(), atPause);
    const before = kit.file(id).sentBytes;
    kit.transfers.resume();
    await kit.clock.advance(60_000);
    assert.equal(kit.file(id).state, 'ready');
    assert.equal(kit.wireBytes() - atPause, 3 * mib - before);
  });

  it('stays as configured on a fast connection, and without permission', async () => {
    for (const [rate, follows] of [
      [4 * mib, true],
      [100 * kib, false],
    ] as const) {
      const kit = startSlow(() => rate, follows);
      kit.transfers.add(sourceOf('big', 9 * mib));
      await kit.clock.advance(200_000);
      assert.deepEqual(
        kit.server.requests.map(({ sizeBytes }) => sizeBytes),
        [8 * mib, mib],
      );
    }
  });

  it('grows again when the connection is fast again', () => {
    const chunkSize: ChunkSize = { bytes: 8 * mib, isReduced: false, slowBytes: null, followsConnection: true };
    recordChunk(chunkSize, 8 * mib, 32_000);
    assert.equal(chunkBytesNow(chunkSize), mib);
    recordChunk(chunkSize, 10 * kib, 100);
    assert.equal(chunkBytesNow(chunkSize), mib, 'a small chunk proves nothing');
    recordChunk(chunkSize, mib, 5_000);
    assert.equal(chunkBytesNow(chunkSize), mib);
    for (const expected of [2, 4, 8]) {
      recordChunk(chunkSize, (expected / 2) * mib, 500);
      assert.equal(chunkBytesNow(chunkSize), expected * mib);
    }
    recordChunk(chunkSize, 8 * mib, 1e9);
    assert.equal(chunkBytesNow(chunkSize), 256 * kib);
  });
});
