import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { adaptiveConcurrency, fixedConcurrency } from './concurrency.ts';
import { createFakeServer } from './fake-server.fixture.ts';
import { contentOf, type Kit, sourceOf, startKit } from './kit.fixture.ts';
import type { WireRequest } from './ports.ts';
import { createRateMeter } from './rate.ts';
import { totalsOf } from './states.ts';
import { timers } from './timers.ts';

function progressOf(kit: Kit, id: string): number[] {
  return kit.events.flatMap((event) => (event.is === 'progress' && event.file.id === id ? [event.file.sentBytes] : []));
}

/** A platform that also counts headers. */
function exaggerating<Request extends Pick<WireRequest, 'onProgress'>>(request: Request): Request {
  return { ...request, onProgress: (sentBytes: number) => request.onProgress(sentBytes * 3) };
}

describe('the number of bytes sent', () => {
  it('is reported in the middle of every chunk and at its end', async () => {
    const kit = startKit();
    const id = kit.transfers.add(sourceOf('a', 25));
    await kit.clock.advance(0);
    assert.deepEqual(progressOf(kit, id), [5, 10, 10, 15, 20, 20, 22.5, 25, 25]);
  });

  it('never exceeds the chunk, whatever the platform counts', async () => {
    const server = createFakeServer();
    const kit = startKit({ server, send: (request) => server.send(exaggerating(request)) });
    const id = kit.transfers.add(sourceOf('a', 25));
    await kit.clock.advance(0);
    assert.deepEqual(progressOf(kit, id), [10, 10, 10, 20, 20, 20, 25, 25, 25]);
  });

  it('includes the chunks before a stalled one', async () => {
    const kit = startKit({ fault: ({ chunk }) => (chunk === 6 ? { is: 'silence' } : null) });
    const id = kit.transfers.add(sourceOf('a', 95));
    await kit.clock.advance(0);
    assert.equal(kit.file(id).sentBytes, 60);
    kit.transfers.close();
  });

  it('counts parallel chunks after a stalled one', async () => {
    const kit = startKit({
      concurrency: fixedConcurrency(3),
      fault: ({ chunk }) => (chunk === 1 || chunk === 5 ? { is: 'silence' } : null),
    });
    const id = kit.transfers.add(sourceOf('a', 95));
    await kit.clock.advance(0);
    // Chunk 0, then 2, 3, 4, 6, 7 and 8 in parallel with 1 and 5.
    assert.equal(kit.file(id).sentBytes, 70);
    kit.transfers.close();
  });

  it('is reported during a single request, and restarts at 0 when that fails', async () => {
    for (const isCut of [false, true]) {
      const server = createFakeServer(({ chunk }) => (chunk === null && isCut ? { is: 'cut-after' } : null));
      const kit = startKit({
        server,
        chunkBytes: 50,
        allowSingleRequest: true,
        async stream({ body, ...request }) {
          for await (const _ of body.portions);
          return server.send({ ...request, body: new Uint8Array(contentOf('a', body.sizeBytes)) });
        },
      });
      const source = sourceOf('a', 100);
      const stream = async function* () {
        yield await source.read(0, 100);
      };
      const id = kit.transfers.add({ ...source, stream });
      await kit.clock.advance(0);
      const inChunks = [0, 25, 50, 50, 75, 100, 100];
      assert.deepEqual(progressOf(kit, id), isCut ? [50, 100, ...inChunks] : [50, 100]);
      assert.equal(kit.file(id).state, 'ready');
    }
  });

  it('never exceeds the size of a file sent in a single request', async () => {
    const server = createFakeServer();
    const source = sourceOf('a', 100);
    const kit = startKit({
      server,
      allowSingleRequest: true,
      async stream({ body, ...request }) {
        for await (const _ of body.portions);
        return server.send({ ...exaggerating(request), body: new Uint8Array(contentOf('a', body.sizeBytes)) });
      },
    });
    const stream = async function* () {
      yield await source.read(0, 100);
    };
    const id = kit.transfers.add({ ...source, stream });
    await kit.clock.advance(0);
    assert.deepEqual(progressOf(kit, id), [100, 100]);
  });

  it('excludes refused and failed files from the total', () => {
    const status = (state: 'ready' | 'sending' | 'failed' | 'not-allowed', sentBytes: number) => ({
      id: 'a',
      source: sourceOf('a', 10),
      state,
      sentBytes,
      sentence: null,
      reason: null,
      attachmentId: null,
    });
    const all = [status('ready', 10), status('sending', 4), status('failed', 3), status('not-allowed', 0)];
    assert.deepEqual(totalsOf(all), { fileCount: 2, readyCount: 1, sentBytes: 14, totalBytes: 20 });
  });
});

describe('the speed', () => {
  it('is measured over the last 15 seconds', () => {
    const meter = createRateMeter();
    for (let second = 0; second <= 20; second += 1) meter.note(second * 1_000, second * 1_000);
    for (let second = 21; second <= 34; second += 1) meter.note(20_000 + (second - 20) * 100, second * 1_000);
    assert.equal(meter.estimate(100)?.bytesPerSecond, 160, 'still includes the second before it became slow');
    meter.note(21_500, 35_000);
    assert.equal(meter.estimate(100)?.bytesPerSecond, 100);
  });

  it('is unknown while nothing moves, and ignores what was before a pause', () => {
    const meter = createRateMeter();
    meter.note(1_000, 0);
    meter.note(1_000, 10_000);
    assert.equal(meter.estimate(1_000), null);
    meter.note(2_000, 11_000);
    assert.ok(meter.estimate(1_000));
    meter.reset();
    assert.equal(meter.estimate(1_000), null);
  });

  it('is reported as slower only when the time left has grown by more than half', () => {
    const meter = createRateMeter();
    meter.note(0, 0);
    meter.note(4_000, 4_000);
    assert.equal(meter.estimate(1_000)?.isSlower, false);
    assert.equal(meter.estimate(1_500)?.isSlower, false);
    assert.equal(meter.estimate(2_251)?.isSlower, true);
  });
});

describe('the adaptive concurrency', () => {
  /** Records chunks of 1000 bytes at these times. */
  const after = (times: number[], most = 8) => {
    const concurrency = adaptiveConcurrency(most);
    for (const at of times) concurrency.record(1_000, at);
    return concurrency.current();
  };

  it('is evaluated after three chunks per connection; the first chunk is not timed', () => {
    assert.equal(after([0, 100, 200, 300, 400, 500]), 2);
    assert.equal(after([0, 100, 200, 300, 400, 500, 600]), 3);
  });

  it('is not evaluated in the first half second', () => {
    assert.equal(after([0, 1, 2, 3, 4, 5, 6, 499]), 2);
    assert.equal(after([0, 1, 2, 3, 4, 5, 6, 500]), 3);
  });

  it('grows only for a gain of more than 10 %, and otherwise goes back for good', () => {
    const slow = [0, 100, 200, 300, 400, 500, 600];
    const next = (everyMs: number) => Array.from({ length: 10 }, (_, index) => 1_000 + index * everyMs);
    // The second level: 9 timed chunks, 9000 bytes in 9 × everyMs.
    assert.equal(after([...slow, ...next(90)]), 4);
    assert.equal(after([...slow, ...next(95)]), 2);
    assert.equal(after([...slow, ...next(95), ...next(1).map((at) => at + 10_000), 20_000]), 2);
  });

  it('is limited by memory', () => {
    assert.equal(adaptiveConcurrency(1).current(), 1);
    assert.equal(after([0, 100, 200, 300, 400, 500, 600, 700, 800], 2), 2);
    assert.equal(after([0, 100, 200, 300, 400, 500, 600], 3), 3);
  });
});

describe('a wait', () => {
  it('ends immediately when aborted, before or during it', async () => {
    const reason = new Error('enough');
    await assert.rejects(timers.wait(1_000_000, AbortSignal.abort(reason)), reason);
    const giving = new AbortController();
    const waiting = timers.wait(1_000_000, giving.signal);
    giving.abort(reason);
    await assert.rejects(waiting, reason);
    await timers.wait(1, new AbortController().signal);
  });
});
