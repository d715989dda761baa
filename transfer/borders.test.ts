// Where one way of sending ends and another begins, how often something is tried, and when people are told.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { backoffMs } from './backoff.ts';
import { type Exchange, exchange, Interrupted } from './exchange.ts';
import { settle } from './fake-clock.fixture.ts';
import { type KitOptions, sourceOf, startKit } from './kit.fixture.ts';
import type { FileSource, WireResponse } from './ports.ts';
import { pieceBytesFor } from './streamed.ts';
import type { Trip } from './trip.ts';
import { fixedWidth, growingWidth } from './width.ts';

const mebibyte = 1024 * 1024;
const never = () => new Promise<never>(() => {});

/** As large as it says, and nothing in it. */
function emptySource(sizeBytes: number): FileSource {
  return {
    ...sourceOf('empty', 0),
    sizeBytes,
    read: async (start, end) => new Uint8Array(end - start),
    stream: () => (async function* () {})(),
  };
}

/** By which port a file leaves first. */
async function portOf(sizeBytes: number, options: KitOptions): Promise<string[]> {
  const used: string[] = [];
  const port = (name: string) => () => {
    used.push(name);
    return never();
  };
  const kit = startKit({ send: port('send'), stream: port('stream'), crc32: () => 0, ...options });
  kit.transfers.add(emptySource(sizeBytes));
  await settle();
  kit.transfers.close();
  return used;
}

describe('a piece', () => {
  it('is read while it is sent when it is more than a quarter of what is streamed', async () => {
    assert.deepEqual(await portOf(10, { pieceBytes: 10, streamedPieceBytes: 40 }), ['send']);
    assert.deepEqual(await portOf(11, { pieceBytes: 11, streamedPieceBytes: 40 }), ['stream']);
  });

  it('has 8 MiB, and one that is streamed 64, unless told otherwise', async () => {
    const quarter = 16 * mebibyte;
    assert.deepEqual(await portOf(quarter, { pieceBytes: quarter }), ['send']);
    assert.deepEqual(await portOf(quarter + 1, { pieceBytes: quarter + 1 }), ['stream']);
    const chunksOf = async (sizeBytes: number) => {
      const urls: string[] = [];
      const send: KitOptions['send'] = ({ url }) => {
        urls.push(url);
        return never();
      };
      const kit = startKit({ send, crc32: () => 0, pieceBytes: undefined });
      kit.transfers.add(emptySource(sizeBytes));
      await settle();
      kit.transfers.close();
      return new URL(urls[0]!, 'http://server.test').searchParams.get('chunks');
    };
    assert.deepEqual([await chunksOf(8 * mebibyte), await chunksOf(8 * mebibyte + 1)], [null, '2']);
  });

  it('is as large as what leaves in ten seconds where that is streamed, and no larger', () => {
    const stream = () => never();
    const trip = {
      pieceSize: { bytes: 8, isReduced: false },
      ports: { streamedPieceBytes: 100, stream },
      source: { stream },
    } as unknown as Trip;
    assert.deepEqual([pieceBytesFor(trip, 9.9), pieceBytesFor(trip, 10)], [8, 100]);
    const reduced = { ...trip, pieceSize: { bytes: 8, isReduced: true } };
    const unable = { ...trip, source: {} } as Trip;
    const large = { ...trip, pieceSize: { bytes: 200, isReduced: false } };
    assert.deepEqual([pieceBytesFor(reduced, 10), pieceBytesFor(unable, 10), pieceBytesFor(large, 10)], [8, 8, 200]);
  });

  it('travels beside another where two may', async () => {
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    const kit = startKit({ width: fixedWidth(2), fault: ({ chunk }) => (chunk === 1 ? { is: 'held', until } : null) });
    kit.transfers.add(sourceOf('a', 50));
    await kit.clock.advance(1_000);
    assert.deepEqual(kit.pieces('a'), [0, 1, 2, 3]);
    release();
    await kit.clock.advance(1_000);
    assert.equal(kit.file('file-1').state, 'ready');
  });

  it('travels beside another from the second of four on', async () => {
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    const kit = startKit({ width: fixedWidth(4), fault: ({ chunk }) => (chunk === 1 ? { is: 'held', until } : null) });
    kit.transfers.add(sourceOf('a', 40));
    await kit.clock.advance(1_000);
    assert.deepEqual(kit.pieces('a'), [0, 1, 2]);
    release();
    await kit.clock.advance(1_000);
    assert.deepEqual(kit.pieces('a'), [0, 1, 2, 3]);
  });

  it('that is the whole file goes as a piece, also where larger files go whole', async () => {
    assert.deepEqual(await portOf(10, { mayGoWhole: true }), ['send']);
    assert.deepEqual(await portOf(11, { mayGoWhole: true }), ['stream']);
    assert.deepEqual(await portOf(11, { mayGoWhole: false }), ['send']);
  });
});

describe('a request', () => {
  const answer: WireResponse = { status: 200, text: '', header: () => null };
  /** What is told and how long it waits, when it fails so often before it is answered. */
  async function failing(times: number) {
    const [told, waits]: [boolean[], number[]] = [[], []];
    let left = times;
    const clock = {
      now: () => 0,
      wait: async (ms: number, signal: AbortSignal) => {
        // The watch for silence never ends by itself.
        if (ms === 90_000) return new Promise<void>((_, reject) => signal.addEventListener('abort', reject));
        waits.push(ms);
      },
    };
    const send = async () => {
      left -= 1;
      if (left >= 0) throw new TypeError('cut');
      return answer;
    };
    await exchange({ send, clock, random: () => 0.5 }, wantedOf(new AbortController().signal, told));
    return { told, waits };
  }
  const wantedOf = (signal: AbortSignal, told: boolean[]): Exchange => ({
    request: { method: 'POST', url: '/up', headers: {}, body: null },
    signal,
    onProgress() {},
    onRetrying: (isRetrying) => void told.push(isRetrying),
    isOurs: () => true,
  });

  it('that fails is told from the second failure on, and when it has come through', async () => {
    const waits = [1, 2, 3].map((failures) => backoffMs(failures, () => 0.5));
    assert.deepEqual(await failing(0), { told: [], waits: [] });
    assert.deepEqual(await failing(1), { told: [], waits: waits.slice(0, 1) });
    assert.deepEqual(await failing(2), { told: [true, false], waits: waits.slice(0, 2) });
    assert.deepEqual(await failing(3), { told: [true, true, false], waits });
  });

  it('that was given up before it began is not sent', async () => {
    let sent = 0;
    const send = async () => {
      sent += 1;
      return answer;
    };
    const ports = { send, clock: { now: () => 0, wait: never }, random: () => 0.5 };
    await assert.rejects(exchange(ports, wantedOf(AbortSignal.abort(), [])), Interrupted);
    assert.equal(sent, 0);
  });

  it('is sent again when the answer is not from our server', async () => {
    let sent = 0;
    const send = async () => {
      sent += 1;
      return answer;
    };
    const wait = async (ms: number, signal: AbortSignal) => {
      if (ms === 90_000) await new Promise<void>((_, reject) => signal.addEventListener('abort', reject));
    };
    const wanted = { ...wantedOf(new AbortController().signal, []), isOurs: () => sent > 1 };
    const { verdict } = await exchange({ send, clock: { now: () => 0, wait }, random: () => 0.5 }, wanted);
    assert.deepEqual([sent, verdict.is], [2, 'taken']);
  });

  it('that was given up while it was on its way is not taken as answered', async () => {
    const giveUp = new AbortController();
    const send = async () => {
      giveUp.abort();
      return answer;
    };
    const ports = { send, clock: { now: () => 0, wait: never }, random: () => 0.5 };
    await assert.rejects(exchange(ports, wantedOf(giveUp.signal, [])), Interrupted);
  });
});

describe('what arrived', () => {
  it('differs when it has another size, also where the server does not know the checksum yet', async () => {
    for (const [size, state] of [
      [25, 'ready'],
      [24, 'failed'],
    ] as const) {
      const text = JSON.stringify({ attachment: { id: 'a', size, crc32: '' } });
      const kit = startKit({ fault: () => ({ is: 'answer', status: 200, text }), pieceBytes: 100 });
      const id = kit.transfers.add(sourceOf('a.bin', 25));
      await kit.clock.advance(60_000);
      assert.equal(kit.file(id).state, state);
    }
  });
});

describe('how many pieces travel at once', () => {
  it('begins with two, and grows to what memory permits and not beyond', () => {
    const end = (most: number) => {
      const width = growingWidth(most);
      const first = width.now();
      for (let piece = 0, now = 0; piece < 200; piece += 1) {
        now += 10_000 / width.now();
        width.note(1000, now);
      }
      return [first, width.now()];
    };
    assert.deepEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map(end), [
      ...[
        [1, 1],
        [2, 2],
        [2, 3],
        [2, 4],
        [2, 4],
      ],
      ...[
        [2, 6],
        [2, 6],
        [2, 8],
        [2, 8],
      ],
    ]);
  });
});
