import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFakeServer, type FakeServer } from './fake-server.fixture.ts';
import { contentOf, type Kit, startKit } from './kit.fixture.ts';
import type { FileSource, StreamBody, WireRequest } from './ports.ts';
import { fixedWidth } from './width.ts';

type Streamed = Omit<WireRequest, 'body'> & { body: StreamBody };

const sizeBytes = 330;
const content = contentOf('big', sizeBytes);

/** A file that is never held in memory, in portions of 7 bytes. */
function streamedFile(change: Partial<FileSource> = {}): FileSource {
  return {
    name: 'big',
    sizeBytes,
    modifiedAt: 1,
    contentType: '',
    read: () => Promise.reject(new Error('a large piece was read into memory')),
    async *stream(start, end) {
      for (let at = start; at < end; at += 7) yield content.subarray(at, Math.min(end, at + 7));
    },
    ...change,
  };
}

/** The way of a request through a line that has taken 10 bytes of the whole file when it is first looked at. */
async function throughLine(server: FakeServer, request: Streamed) {
  if (!request.url.includes('chunk=')) {
    request.onProgress(10);
    return new Promise<never>((_, reject) => request.signal.addEventListener('abort', reject, { once: true }));
  }
  const portions: Uint8Array[] = [];
  for await (const portion of request.body.portions) portions.push(Uint8Array.from(portion));
  return server.send({ ...request, body: new Uint8Array(Buffer.concat(portions)) });
}

interface Line {
  server?: FakeServer;
  /** Instead of the usual way. */
  stream?(request: Streamed, server: FakeServer): ReturnType<typeof throughLine> | null;
}

/** Pieces of 10 bytes, four at once, or of 40 where they are streamed. */
function start({ server = createFakeServer(), stream = () => null }: Line = {}): Kit {
  return startKit({
    server,
    mayGoWhole: true,
    streamedPieceBytes: 40,
    width: fixedWidth(4),
    stream: (request) => stream(request, server) ?? throughLine(server, request),
  });
}

async function assertArrives({ clock, server, file }: Kit, id: string): Promise<void> {
  await clock.advance(120_000);
  assert.equal(file(id).state, 'ready');
  assert.deepEqual(server.finished.get(file(id).attachmentId ?? ''), content);
}

const streamedPieces = [0, 1, 2, 3, 4, 5, 6, 7, 8];

describe('a large file over a fast line', () => {
  it('goes in large pieces, one after the other, none of which is held in memory', async () => {
    const kit = start();
    await assertArrives(kit, kit.transfers.add(streamedFile()));
    assert.deepEqual(kit.pieces('big'), streamedPieces);
    assert.equal(kit.server.mostAtOnce(), 1);
  });

  it('is fast when a whole piece would leave in ten seconds, and not below that', async () => {
    const read = async (from: number, to: number) => new Uint8Array(content.subarray(from, to));
    for (const [taken, pieces] of [
      [1, 33],
      [2, 9],
    ] as const) {
      const kit = start({
        stream(request) {
          if (request.url.includes('chunk=')) return null;
          request.onProgress(taken);
          return new Promise<never>((_, reject) => request.signal.addEventListener('abort', reject, { once: true }));
        },
      });
      await assertArrives(kit, kit.transfers.add(streamedFile({ read })));
      assert.equal(kit.pieces('big').length, pieces);
    }
  });

  it('sends a piece again from its beginning when the line is cut inside it', async () => {
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

  it('goes on after a stop with the piece that was under way, and sends nothing twice', async () => {
    const first = start({ stream: ({ url }) => (url.includes('chunk=4') ? new Promise(() => {}) : null) });
    const id = first.transfers.add(streamedFile());
    await first.clock.advance(5_000);
    const saved = first.saved(id);
    first.transfers.close();
    assert.equal(saved?.nextPiece, 4);
    const second = start({ server: first.server });
    await assertArrives(second, second.transfers.add(streamedFile(), saved));
    assert.deepEqual(second.pieces('big'), streamedPieces);
  });

  it('reads what arrived earlier for its checksum only when that is not known', async () => {
    const first = start({ stream: ({ url }) => (url.includes('chunk=4') ? new Promise(() => {}) : null) });
    const id = first.transfers.add(streamedFile());
    await first.clock.advance(5_000);
    const saved = { ...first.saved(id)!, nextPiece: 0, crc: 0 };
    first.transfers.close();
    const second = start({ server: first.server });
    await assertArrives(second, second.transfers.add(streamedFile(), saved));
    assert.deepEqual(second.pieces('big'), streamedPieces);
  });

  it('fails when it is changed or cut off while it is sent, and is not sent again', async () => {
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
      assert.equal(kit.pieces('big').at(-1), 1);
    }
  });

  it('goes in small pieces when something in between takes no large ones', async () => {
    const server = createFakeServer((arrival) =>
      arrival.sizeBytes > 10 ? { is: 'answer', status: 413, text: '<html>nginx</html>' } : null,
    );
    const kit = start({ server });
    const read = async (from: number, to: number) => new Uint8Array(content.subarray(from, to));
    await assertArrives(kit, kit.transfers.add(streamedFile({ read })));
  });
});
