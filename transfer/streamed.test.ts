import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fixedConcurrency } from './concurrency.ts';
import { createFakeServer, type FakeServer } from './fake-server.fixture.ts';
import { contentOf, type Kit, startKit } from './kit.fixture.ts';
import type { FileSource, StreamBody, WireRequest } from './ports.ts';

type Streamed = Omit<WireRequest, 'body'> & { body: StreamBody };

const sizeBytes = 330;
const content = contentOf('big', sizeBytes);

/** Streamed in portions of 7 bytes. */
function streamedFile(change: Partial<FileSource> = {}): FileSource {
  return {
    name: 'big',
    sizeBytes,
    modifiedAt: 1,
    contentType: '',
    read: () => Promise.reject(new Error('a large chunk was read into memory')),
    async *stream(start, end) {
      for (let at = start; at < end; at += 7) yield content.subarray(at, Math.min(end, at + 7));
    },
    ...change,
  };
}

/** Has sent 10 bytes of a single request at the first measurement. */
async function overConnection(server: FakeServer, request: Streamed) {
  if (!request.url.includes('chunk=')) {
    request.onProgress(10);
    return new Promise<never>((_, reject) => request.signal.addEventListener('abort', reject, { once: true }));
  }
  const portions: Uint8Array[] = [];
  for await (const portion of request.body.portions) portions.push(Uint8Array.from(portion));
  return server.send({ ...request, body: new Uint8Array(Buffer.concat(portions)) });
}

interface Connection {
  server?: FakeServer;
  /** Replaces the response; null: does not. */
  stream?(request: Streamed, server: FakeServer): ReturnType<typeof overConnection> | null;
}

/** Chunks of 10 bytes, four in parallel, or of 40 when streamed. */
function start({ server = createFakeServer(), stream = () => null }: Connection = {}): Kit {
  return startKit({
    server,
    allowSingleRequest: true,
    streamedChunkBytes: 40,
    concurrency: fixedConcurrency(4),
    stream: (request) => stream(request, server) ?? overConnection(server, request),
  });
}

async function assertArrives({ clock, server, file }: Kit, id: string): Promise<void> {
  await clock.advance(120_000);
  assert.equal(file(id).state, 'ready');
  assert.deepEqual(server.finished.get(file(id).attachmentId ?? ''), content);
}

const streamedChunks = [0, 1, 2, 3, 4, 5, 6, 7, 8];

describe('a large file over a fast connection', () => {
  it('is sent in large chunks, one after the other, none of which is held in memory', async () => {
    const kit = start();
    await assertArrives(kit, kit.transfers.add(streamedFile()));
    assert.deepEqual(kit.chunks('big'), streamedChunks);
    assert.equal(kit.server.maxConcurrent(), 1);
  });

  it('is streamed when a large chunk takes at most ten seconds', async () => {
    const read = async (from: number, to: number) => new Uint8Array(content.subarray(from, to));
    for (const [reportedBytes, chunks] of [
      [1, 33],
      [2, 9],
    ] as const) {
      const kit = start({
        stream(request) {
          if (request.url.includes('chunk=')) return null;
          request.onProgress(reportedBytes);
          return new Promise<never>((_, reject) => request.signal.addEventListener('abort', reject, { once: true }));
        },
      });
      await assertArrives(kit, kit.transfers.add(streamedFile({ read })));
      assert.equal(kit.chunks('big').length, chunks);
    }
  });

  it('sends a chunk again from its start when the connection is cut', async () => {
    const cuts = new Set(['chunk=0', 'chunk=3', 'chunk=8']);
    const kit = start({
      stream(request) {
        const cut = [...cuts].find((one) => request.url.includes(one));
        if (cut === undefined) return null;
        cuts.delete(cut);
        return (async () => {
          await request.body.portions[Symbol.asyncIterator]().next();
          throw new TypeError('connection reset');
        })();
      },
    });
    await assertArrives(kit, kit.transfers.add(streamedFile()));
    assert.equal(cuts.size, 0);
  });

  it('continues after a stop with the interrupted chunk, and sends nothing twice', async () => {
    const first = start({ stream: ({ url }) => (url.includes('chunk=4') ? new Promise(() => {}) : null) });
    const id = first.transfers.add(streamedFile());
    await first.clock.advance(5_000);
    const saved = first.saved(id);
    first.transfers.close();
    assert.equal(saved?.nextPiece, 4);
    const second = start({ server: first.server });
    await assertArrives(second, second.transfers.add(streamedFile(), saved));
    assert.deepEqual(second.chunks('big'), streamedChunks);
  });

  it('reads received chunks again only if their checksum is unknown', async () => {
    const first = start({ stream: ({ url }) => (url.includes('chunk=4') ? new Promise(() => {}) : null) });
    const id = first.transfers.add(streamedFile());
    await first.clock.advance(5_000);
    const saved = { ...first.saved(id)!, nextPiece: 0, crc: 0 };
    first.transfers.close();
    const second = start({ server: first.server });
    await assertArrives(second, second.transfers.add(streamedFile(), saved));
    assert.deepEqual(second.chunks('big'), streamedChunks);
  });

  it('fails when it is changed or truncated while it is sent, and is not sent again', async () => {
    const whole = streamedFile().stream!;
    async function* changed(from: number, to: number) {
      if (from === 80) throw new Error('the file has changed');
      yield* whole(from, to);
    }
    const shorter = (from: number, to: number) => whole(from, from === 80 ? to - 1 : to);
    for (const stream of [changed, shorter]) {
      const kit = start();
      const id = kit.transfers.add(streamedFile({ stream }));
      await kit.clock.advance(120_000);
      assert.equal(kit.file(id).state, 'failed');
      assert.equal(kit.file(id).reason, 'unreadable');
      assert.equal(kit.chunks('big').at(-1), 1);
    }
  });

  it('is sent in small chunks when a proxy refuses large ones', async () => {
    const server = createFakeServer((received) =>
      received.sizeBytes > 10 ? { is: 'answer', status: 413, text: '<html>nginx</html>' } : null,
    );
    const kit = start({ server });
    const read = async (from: number, to: number) => new Uint8Array(content.subarray(from, to));
    await assertArrives(kit, kit.transfers.add(streamedFile({ read })));
  });
});
