import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { backoffMs } from './backoff.ts';
import type { UploadContext } from './chunk-upload.ts';
import { adaptiveConcurrency, fixedConcurrency } from './concurrency.ts';
import { type Exchange, exchange, Interrupted } from './exchange.ts';
import { runPending } from './fake-clock.fixture.ts';
import { type KitOptions, sourceOf, startKit } from './kit.fixture.ts';
import type { FileSource, WireResponse } from './ports.ts';
import { chunkBytesFor } from './streamed.ts';

const mebibyte = 1024 * 1024;
const never = () => new Promise<never>(() => {});

function emptySource(sizeBytes: number): FileSource {
  return {
    ...sourceOf('empty', 0),
    sizeBytes,
    read: async (start, end) => new Uint8Array(end - start),
    stream: () => (async function* () {})(),
  };
}

/** The ports that the first request uses. */
async function portOf(sizeBytes: number, options: KitOptions): Promise<string[]> {
  const used: string[] = [];
  const port = (name: string) => () => {
    used.push(name);
    return never();
  };
  const kit = startKit({ send: port('send'), stream: port('stream'), crc32: () => 0, ...options });
  kit.transfers.add(emptySource(sizeBytes));
  await runPending();
  kit.transfers.close();
  return used;
}

describe('a chunk', () => {
  it('is streamed when it is larger than a quarter of the streamed chunk size', async () => {
    assert.deepEqual(await portOf(10, { chunkBytes: 10, streamedChunkBytes: 40 }), ['send']);
    assert.deepEqual(await portOf(11, { chunkBytes: 11, streamedChunkBytes: 40 }), ['stream']);
  });

  it('has 8 MiB by default, and 64 MiB when streamed', async () => {
    const quarter = 16 * mebibyte;
    assert.deepEqual(await portOf(quarter, { chunkBytes: quarter }), ['send']);
    assert.deepEqual(await portOf(quarter + 1, { chunkBytes: quarter + 1 }), ['stream']);
    const chunksOf = async (sizeBytes: number) => {
      const urls: string[] = [];
      const send: KitOptions['send'] = ({ url }) => {
        urls.push(url);
        return never();
      };
      const kit = startKit({ send, crc32: () => 0, chunkBytes: undefined });
      kit.transfers.add(emptySource(sizeBytes));
      await runPending();
      kit.transfers.close();
      return new URL(urls[0]!, 'http://server.test').searchParams.get('chunks');
    };
    assert.deepEqual([await chunksOf(8 * mebibyte), await chunksOf(8 * mebibyte + 1)], [null, '2']);
  });

  it('has the streamed size only if it is sent within ten seconds', () => {
    const stream = () => never();
    const context = {
      chunkSize: { bytes: 8, isReduced: false, slowBytes: null, followsConnection: false },
      ports: { streamedChunkBytes: 100, stream },
      source: { stream },
    } as unknown as UploadContext;
    assert.deepEqual([chunkBytesFor(context, 9.9), chunkBytesFor(context, 10)], [8, 100]);
    const reduced = { ...context, chunkSize: { ...context.chunkSize, isReduced: true } };
    const unable = { ...context, source: {} } as UploadContext;
    const large = { ...context, chunkSize: { ...context.chunkSize, bytes: 200 } };
    assert.deepEqual([chunkBytesFor(reduced, 10), chunkBytesFor(unable, 10), chunkBytesFor(large, 10)], [8, 8, 200]);
  });

  it('is sent in parallel with another when two may', async () => {
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    const kit = startKit({
      concurrency: fixedConcurrency(2),
      fault: ({ chunk }) => (chunk === 1 ? { is: 'held', until } : null),
    });
    kit.transfers.add(sourceOf('a', 50));
    await kit.clock.advance(1_000);
    assert.deepEqual(kit.chunks('a'), [0, 1, 2, 3]);
    release();
    await kit.clock.advance(1_000);
    assert.equal(kit.file('file-1').state, 'ready');
  });

  it('is sent in parallel from the second of four on', async () => {
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    const kit = startKit({
      concurrency: fixedConcurrency(4),
      fault: ({ chunk }) => (chunk === 1 ? { is: 'held', until } : null),
    });
    kit.transfers.add(sourceOf('a', 40));
    await kit.clock.advance(1_000);
    assert.deepEqual(kit.chunks('a'), [0, 1, 2]);
    release();
    await kit.clock.advance(1_000);
    assert.deepEqual(kit.chunks('a'), [0, 1, 2, 3]);
  });

  it('that contains the whole file is sent from memory, also where single requests are allowed', async () => {
    assert.deepEqual(await portOf(10, { allowSingleRequest: true }), ['send']);
    assert.deepEqual(await portOf(11, { allowSingleRequest: true }), ['stream']);
    assert.deepEqual(await portOf(11, { allowSingleRequest: false }), ['send']);
  });
});

describe('a request', () => {
  const answer: WireResponse = { status: 200, text: '', header: () => null };
  /** Reports and waits when the request fails this many times. */
  async function failing(times: number) {
    const [reports, waits]: [boolean[], number[]] = [[], []];
    let left = times;
    const clock = {
      now: () => 0,
      wait: async (ms: number, signal: AbortSignal) => {
        // The stall timer never fires.
        if (ms === 90_000) return new Promise<void>((_, reject) => signal.addEventListener('abort', reject));
        waits.push(ms);
      },
    };
    const send = async () => {
      left -= 1;
      if (left >= 0) throw new TypeError('cut');
      return answer;
    };
    await exchange({ send, clock, random: () => 0.5 }, inputOf(new AbortController().signal, reports));
    return { reports, waits };
  }
  const inputOf = (signal: AbortSignal, reports: boolean[]): Exchange => ({
    request: { method: 'POST', url: '/up', headers: {}, body: null },
    signal,
    isPausing: () => false,
    onProgress() {},
    onRetrying: (isRetrying) => void reports.push(isRetrying),
    isOurs: () => true,
  });

  it('reports retrying from the second failure on, and success afterwards', async () => {
    const waits = [1, 2, 3].map((failures) => backoffMs(failures, () => 0.5));
    assert.deepEqual(await failing(0), { reports: [], waits: [] });
    assert.deepEqual(await failing(1), { reports: [], waits: waits.slice(0, 1) });
    assert.deepEqual(await failing(2), { reports: [true, false], waits: waits.slice(0, 2) });
    assert.deepEqual(await failing(3), { reports: [true, true, false], waits });
  });

  it('that was aborted before it started is not sent', async () => {
    let sent = 0;
    const send = async () => {
      sent += 1;
      return answer;
    };
    const ports = { send, clock: { now: () => 0, wait: never }, random: () => 0.5 };
    await assert.rejects(exchange(ports, inputOf(AbortSignal.abort(), [])), Interrupted);
    assert.equal(sent, 0);
  });

  it('is retried when the response is not from a Waybill server', async () => {
    let sent = 0;
    const send = async () => {
      sent += 1;
      return answer;
    };
    const wait = async (ms: number, signal: AbortSignal) => {
      if (ms === 90_000) await new Promise<void>((_, reject) => signal.addEventListener('abort', reject));
    };
    const input = { ...inputOf(new AbortController().signal, []), isOurs: () => sent > 1 };
    const { verdict } = await exchange({ send, clock: { now: () => 0, wait }, random: () => 0.5 }, input);
    assert.deepEqual([sent, verdict.is], [2, 'accepted']);
  });

  it('that was aborted in flight does not count as answered', async () => {
    const controller = new AbortController();
    const send = async () => {
      controller.abort();
      return answer;
    };
    const ports = { send, clock: { now: () => 0, wait: never }, random: () => 0.5 };
    await assert.rejects(exchange(ports, inputOf(controller.signal, [])), Interrupted);
  });
});

describe('the stored file', () => {
  it('differs when its size differs, even without a checksum yet', async () => {
    for (const [size, state] of [
      [25, 'ready'],
      [24, 'failed'],
    ] as const) {
      const text = JSON.stringify({ attachment: { id: 'a', size, crc32: '' } });
      const kit = startKit({ fault: () => ({ is: 'answer', status: 200, text }), chunkBytes: 100 });
      const id = kit.transfers.add(sourceOf('a.bin', 25));
      await kit.clock.advance(60_000);
      assert.equal(kit.file(id).state, state);
    }
  });
});

describe('the limit of parallel chunks', () => {
  it('starts at 2 and grows to what memory permits', () => {
    const end = (most: number) => {
      const concurrency = adaptiveConcurrency(most);
      const first = concurrency.current();
      for (let chunk = 0, now = 0; chunk < 200; chunk += 1) {
        now += 10_000 / concurrency.current();
        concurrency.record(1000, now);
      }
      return [first, concurrency.current()];
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
