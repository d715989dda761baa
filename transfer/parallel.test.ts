import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { adaptiveConcurrency, fixedConcurrency } from './concurrency.ts';
import { runPending } from './fake-clock.fixture.ts';
import { createFakeServer, type Fault } from './fake-server.fixture.ts';
import { contentOf, type Kit, sourceOf, startKit } from './kit.fixture.ts';
import { isOver } from './states.ts';

const big = sourceOf('big', 95);

async function finish({ transfers, clock }: Kit): Promise<void> {
  for (let minutes = 0; minutes < 60 && !transfers.files().every(({ state }) => isOver(state)); minutes += 1)
    await clock.advance(60_000);
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

describe('parallel chunks of one file', () => {
  it('arrive complete, with exactly the requested concurrency', async () => {
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    const kit = startKit({
      concurrency: fixedConcurrency(4),
      fault: ({ chunk }) => (chunk === 0 ? null : { is: 'held', until }),
    });
    kit.transfers.add(big);
    await kit.clock.advance(1_000);
    assert.deepEqual(kit.chunks('big'), [0, 1, 2, 3, 4]);
    release();
    await finish(kit);
    assert.equal(kit.file('file-1').state, 'ready');
    assert.deepEqual(kit.server.finished.get('attachment-u1'), contentOf('big', 95));
    assert.equal(kit.server.maxConcurrent(), 4);
  });

  it('the first chunk opens the upload and the last closes it, each sent alone', async () => {
    const kit = startKit({ concurrency: fixedConcurrency(8) });
    kit.transfers.add(big);
    await finish(kit);
    const chunks = kit.chunks('big');
    assert.equal(chunks[0], 0);
    assert.equal(chunks.at(-1), 9);
    assert.equal(chunks.length, 10);
    const named = kit.server.requests.slice(1).map(({ url }) => url.searchParams.get('upload_id'));
    assert.deepEqual(new Set(named), new Set(['u1']));
  });

  it('the file arrives complete despite cut, lost and stalled requests', async () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = seeded(seed);
      const faults: (Fault | null)[] = [
        { is: 'cut-before' },
        { is: 'cut-after' },
        { is: 'silence' },
        { is: 'answer', status: 503 },
        { is: 'answer', status: 429, headers: { 'Retry-After': '3' } },
      ];
      let left = 12;
      const fault = () => {
        if (left === 0 || random() < 0.5) return null;
        left -= 1;
        return faults[Math.floor(random() * faults.length)]!;
      };
      const kit = startKit({ concurrency: fixedConcurrency(1 + (seed % 6)), fault });
      kit.transfers.add(big);
      await finish(kit);
      assert.equal(kit.file('file-1').state, 'ready', `seed ${seed}`);
      const id = kit.file('file-1').attachmentId!;
      assert.deepEqual(kit.server.finished.get(id), contentOf('big', 95), `seed ${seed}`);
    }
  });

  it('continue after a pause at any time, and send no acknowledged chunk twice', async () => {
    for (let held = 1; held < 9; held += 1) {
      let isHeld = true;
      const kit = startKit({
        concurrency: fixedConcurrency(3),
        fault: ({ chunk }) => (chunk === held && isHeld ? { is: 'silence' } : null),
      });
      const id = kit.transfers.add(big);
      await kit.clock.advance(1_000);
      kit.transfers.pause(id);
      isHeld = false;
      kit.transfers.resume(id);
      await finish(kit);
      assert.deepEqual(kit.server.finished.get('attachment-u1'), contentOf('big', 95), `held ${held}`);
      const twice = kit.chunks('big').filter((chunk, at, all) => all.indexOf(chunk) !== at);
      assert.deepEqual(twice, [held], `held ${held}`);
    }
  });

  it('continue a saved upload, also when later chunks arrived before earlier ones', async () => {
    const first = startKit({
      concurrency: fixedConcurrency(4),
      fault: ({ chunk }) => (chunk === 2 ? { is: 'silence' } : null),
    });
    const id = first.transfers.add(big);
    await first.clock.advance(1_000);
    const saved = first.saved(id)!;
    first.transfers.close();
    assert.equal(saved.nextPiece, 2);
    const before = first.server.requests.length;
    const second = startKit({ concurrency: fixedConcurrency(4), server: createFakeServer() });
    second.server.sessions.set('u1', first.server.sessions.get('u1')!);
    second.transfers.add(big, saved);
    await finish(second);
    assert.ok(before > 4);
    assert.deepEqual(second.chunks('big'), [2, 9]);
    assert.deepEqual(second.server.finished.get('attachment-u1'), contentOf('big', 95));
  });

  it('a chunk refused by a rule ends the file once, with the sentence, and the rest is not sent', async () => {
    const text = '{"errors":["Not this one."],"code":"attachment.not_permitted"}';
    const kit = startKit({
      concurrency: fixedConcurrency(3),
      fault: ({ chunk }) => (chunk === 4 ? { is: 'answer', status: 422, text } : null),
    });
    kit.transfers.add(big);
    await finish(kit);
    assert.equal(kit.file('file-1').state, 'not-allowed');
    assert.equal(kit.file('file-1').sentence, 'Not this one.');
    assert.ok(!kit.chunks('big').includes(9));
    assert.equal(kit.path('file-1').filter((state) => state === 'not-allowed').length, 1);
  });

  it('a chunk refused while the next one is read from disk also ends the file', async () => {
    const { promise: reading, resolve: isRefused } = Promise.withResolvers<void>();
    const text = '{"errors":["Not this one."],"code":"attachment.not_permitted"}';
    const kit = startKit({
      concurrency: fixedConcurrency(3),
      fault({ chunk }) {
        if (chunk !== 1) return null;
        isRefused();
        return { is: 'answer', status: 422, text };
      },
    });
    const source = {
      ...big,
      async read(start: number, end: number) {
        if (start === 20) {
          await reading;
          await runPending();
        }
        return big.read(start, end);
      },
    };
    kit.transfers.add(source);
    await finish(kit);
    assert.equal(kit.file('file-1').state, 'not-allowed');
    assert.equal(kit.file('file-1').sentence, 'Not this one.');
  });

  it('a file that changes during the upload fails instead of arriving mixed', async () => {
    const source = {
      ...big,
      read: async (start: number, end: number) => (start < 50 ? big.read(start, end) : new Uint8Array(1)),
    };
    const kit = startKit({ concurrency: fixedConcurrency(3) });
    kit.transfers.add(source);
    await finish(kit);
    assert.equal(kit.file('file-1').reason, 'unreadable');
    assert.equal(kit.server.finished.size, 0);
  });
});

describe('the adaptive concurrency', () => {
  /** Records chunks at a rate that depends on the concurrency. */
  const run = (most: number, bytesPerSecond: (concurrency: number) => number) => {
    const concurrency = adaptiveConcurrency(most);
    for (let chunk = 0, now = 0; chunk < 400; chunk += 1) {
      now += 1_000_000 / bytesPerSecond(concurrency.current());
      concurrency.record(1_000, now);
    }
    return concurrency.current();
  };

  it('grows to the limit while every further connection increases throughput', () => {
    assert.equal(
      run(8, (concurrency) => concurrency * 1_000),
      8,
    );
    assert.equal(
      run(5, (concurrency) => concurrency * 1_000),
      4,
    );
  });

  it('stays at 2 when more connections do not help', () => {
    assert.equal(
      run(8, () => 50_000),
      2,
    );
  });

  it('stops where throughput stops growing', () => {
    assert.equal(
      run(8, (concurrency) => Math.min(concurrency, 4) * 1_000),
      4,
    );
  });
});
