import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import type { FakeServer, Fault, ReceivedRequest } from './fake-server.fixture.ts';
import { createFakeServer } from './fake-server.fixture.ts';
import { contentOf, type Kit, sourceOf, startKit } from './kit.fixture.ts';
import type { FileSource, StreamBody, WireRequest } from './ports.ts';

/** May use a single request for a file of 95 bytes, otherwise ten chunks. */
function start(fault?: (received: ReceivedRequest) => Fault | null): Kit & { id: string } {
  const server = createFakeServer(fault);
  const kit = startKit({ server, allowSingleRequest: true, stream: (request) => streamTo(server, request) });
  const source: FileSource = { ...sourceOf('big', 95), stream: () => portionsOf('big', 95) };
  return { ...kit, id: kit.transfers.add(source) };
}

async function streamTo(server: FakeServer, request: Omit<WireRequest, 'body'> & { body: StreamBody }) {
  const portions: Uint8Array[] = [];
  for await (const portion of request.body.portions) portions.push(Uint8Array.from(portion));
  return server.send({ ...request, body: new Uint8Array(Buffer.concat(portions)) });
}

async function* portionsOf(name: string, sizeBytes: number) {
  const content = contentOf(name, sizeBytes);
  for (let start = 0; start < sizeBytes; start += 40) yield content.subarray(start, start + 40);
}

async function assertArrives({ transfers, clock, server, id, file }: ReturnType<typeof start>): Promise<void> {
  await clock.advance(120_000);
  assert.equal(file(id).state, 'ready');
  assert.deepEqual(server.finished.get(file(id).attachmentId ?? ''), contentOf('big', 95));
  assert.equal(transfers.totals().sentBytes, 95);
}

const isWhole = ({ chunk }: ReceivedRequest) => chunk === null;

describe('a file that may be sent in a single request', () => {
  it('arrives in one request', async () => {
    const kit = start();
    await assertArrives(kit);
    assert.deepEqual(kit.chunks('big'), [null]);
  });

  it('is sent in chunks when the request is cut, rejected as busy, stalled, corrupted or too large for a proxy', async () => {
    const faults: Fault[] = [
      { is: 'cut-before' },
      { is: 'cut-after' },
      { is: 'silence' },
      { is: 'corrupt' },
      { is: 'answer', status: 503 },
      { is: 'answer', status: 413, text: '<html>nginx</html>' },
      { is: 'answer', status: 200, text: '<html>Sign in to this network</html>' },
    ];
    for (const fault of faults) {
      const kit = start((received) => (isWhole(received) ? fault : null));
      await assertArrives(kit);
      assert.deepEqual(kit.chunks('big'), [null, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9], JSON.stringify(fault));
    }
  });

  it('is refused once, with the sentence', async () => {
    const text = '{"errors":["Not this one."],"code":"attachment.not_permitted"}';
    const kit = start(() => ({ is: 'answer', status: 422, text }));
    await kit.clock.advance(1_000);
    assert.equal(kit.file(kit.id).state, 'not-allowed');
    assert.equal(kit.file(kit.id).sentence, 'Not this one.');
    assert.deepEqual(kit.chunks('big'), [null]);
  });

  it('is sent in chunks when a single request would take too long', async () => {
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    const kit = start((received) => (isWhole(received) ? { is: 'held', until } : null));
    await kit.clock.advance(400);
    assert.deepEqual(kit.chunks('big'), [null]);
    await kit.clock.advance(200);
    assert.equal(kit.chunks('big')[1], 0);
    release();
    await assertArrives(kit);
  });

  it('is aborted after half a second if it would take more than ten seconds, and not if less', async () => {
    const isAborted = async (reportedBytes: number) => {
      let signal: AbortSignal | null = null;
      const kit = startKit({
        allowSingleRequest: true,
        stream(request) {
          signal = request.signal;
          request.onProgress(reportedBytes);
          return new Promise<never>((_, reject) => request.signal.addEventListener('abort', reject, { once: true }));
        },
      });
      kit.transfers.add({ ...sourceOf('big', 95), stream: () => portionsOf('big', 95) });
      await kit.clock.advance(600);
      kit.transfers.pause();
      return kit.chunks('big').length > 0 && signal!.aborted;
    };
    // After 5 bytes in half a second, 95 need 9.5 seconds; after 4, 11.9.
    assert.deepEqual([await isAborted(5), await isAborted(4)], [false, true]);
  });

  it('waits for a slow response once everything is sent', async () => {
    const server = createFakeServer();
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    const kit = startKit({
      server,
      allowSingleRequest: true,
      async stream(request) {
        const answer = await streamTo(server, request);
        await Promise.race([until, once(request.signal, 'abort').then(() => Promise.reject(new Error('aborted')))]);
        return answer;
      },
    });
    const id = kit.transfers.add({ ...sourceOf('big', 95), stream: () => portionsOf('big', 95) });
    await kit.clock.advance(60_000);
    release();
    await assertArrives({ ...kit, id });
    assert.deepEqual(kit.chunks('big'), [null]);
  });

  it('is stopped by a pause and restarts', async () => {
    let isHeld = true;
    const kit = start(() => (isHeld ? { is: 'silence' } : null));
    await kit.clock.advance(400);
    kit.transfers.pause();
    isHeld = false;
    assert.equal(kit.file(kit.id).state, 'paused');
    kit.transfers.resume();
    await assertArrives(kit);
    assert.deepEqual(kit.chunks('big'), [null, null]);
  });
});
