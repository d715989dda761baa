import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settle } from './fake-clock.fixture.ts';
import { createFakeServer, type Fault } from './fake-server.fixture.ts';
import { contentOf, type Kit, sourceOf, startKit } from './kit.fixture.ts';
import { isOver } from './states.ts';
import { fixedWidth, growingWidth } from './width.ts';

const big = sourceOf('big', 95);

async function finish({ transfers, clock }: Kit): Promise<void> {
  for (let minutes = 0; minutes < 60 && !transfers.files().every(({ state }) => isOver(state)); minutes += 1)
    await clock.advance(60_000);
}

/** The same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

describe('pieces of one file at the same time', () => {
  it('arrive whole, as many at once as asked for and never more', async () => {
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    const kit = startKit({ width: fixedWidth(4), fault: ({ chunk }) => (chunk === 0 ? null : { is: 'held', until }) });
    kit.transfers.add(big);
    await kit.clock.advance(1_000);
    assert.deepEqual(kit.pieces('big'), [0, 1, 2, 3, 4]);
    release();
    await finish(kit);
    assert.equal(kit.file('file-1').state, 'ready');
    assert.deepEqual(kit.server.finished.get('attachment-u1'), contentOf('big', 95));
    assert.equal(kit.server.mostAtOnce(), 4);
  });

  it('the first names the upload and the last closes it, each alone', async () => {
    const kit = startKit({ width: fixedWidth(8) });
    kit.transfers.add(big);
    await finish(kit);
    const pieces = kit.pieces('big');
    assert.equal(pieces[0], 0);
    assert.equal(pieces.at(-1), 9);
    assert.equal(pieces.length, 10);
    const named = kit.server.arrivals.slice(1).map(({ url }) => url.searchParams.get('upload_id'));
    assert.deepEqual(new Set(named), new Set(['u1']));
  });

  it('whatever is cut, lost or silent, the file is whole in the end', async () => {
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
      const kit = startKit({ width: fixedWidth(1 + (seed % 6)), fault });
      kit.transfers.add(big);
      await finish(kit);
      assert.equal(kit.file('file-1').state, 'ready', `seed ${seed}`);
      const id = kit.file('file-1').attachmentId!;
      assert.deepEqual(kit.server.finished.get(id), contentOf('big', 95), `seed ${seed}`);
    }
  });

  it('go on after a pause at any moment, and send nothing twice that the server has answered', async () => {
    for (let held = 1; held < 9; held += 1) {
      let isHeld = true;
      const kit = startKit({
        width: fixedWidth(3),
        fault: ({ chunk }) => (chunk === held && isHeld ? { is: 'silence' } : null),
      });
      const id = kit.transfers.add(big);
      await kit.clock.advance(1_000);
      kit.transfers.pause(id);
      isHeld = false;
      kit.transfers.resume(id);
      await finish(kit);
      assert.deepEqual(kit.server.finished.get('attachment-u1'), contentOf('big', 95), `held ${held}`);
      const twice = kit.pieces('big').filter((piece, at, all) => all.indexOf(piece) !== at);
      assert.deepEqual(twice, [held], `held ${held}`);
    }
  });

  it('continue from what another visit kept, also when later pieces came before earlier ones', async () => {
    const first = startKit({ width: fixedWidth(4), fault: ({ chunk }) => (chunk === 2 ? { is: 'silence' } : null) });
    const id = first.transfers.add(big);
    await first.clock.advance(1_000);
    const saved = first.saved(id)!;
    first.transfers.close();
    assert.equal(saved.nextPiece, 2);
    const before = first.server.arrivals.length;
    const second = startKit({ width: fixedWidth(4), server: createFakeServer() });
    second.server.sessions.set('u1', first.server.sessions.get('u1')!);
    second.transfers.add(big, saved);
    await finish(second);
    assert.ok(before > 4);
    assert.deepEqual(second.pieces('big'), [2, 9]);
    assert.deepEqual(second.server.finished.get('attachment-u1'), contentOf('big', 95));
  });

  it('one refused by a rule ends the file once, with the sentence, and the rest is not sent', async () => {
    const text = '{"errors":["Not this one."],"code":"attachment.not_permitted"}';
    const kit = startKit({
      width: fixedWidth(3),
      fault: ({ chunk }) => (chunk === 4 ? { is: 'answer', status: 422, text } : null),
    });
    kit.transfers.add(big);
    await finish(kit);
    assert.equal(kit.file('file-1').state, 'not-allowed');
    assert.equal(kit.file('file-1').sentence, 'Not this one.');
    assert.ok(!kit.pieces('big').includes(9));
    assert.equal(kit.path('file-1').filter((state) => state === 'not-allowed').length, 1);
  });

  it('one refused while the next is being read from the disk ends the file as well', async () => {
    const { promise: reading, resolve: isRefused } = Promise.withResolvers<void>();
    const text = '{"errors":["Not this one."],"code":"attachment.not_permitted"}';
    const kit = startKit({
      width: fixedWidth(3),
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
          await settle();
        }
        return big.read(start, end);
      },
    };
    kit.transfers.add(source);
    await finish(kit);
    assert.equal(kit.file('file-1').state, 'not-allowed');
    assert.equal(kit.file('file-1').sentence, 'Not this one.');
  });

  it('a file that changes under way fails instead of arriving mixed', async () => {
    const source = {
      ...big,
      read: async (start: number, end: number) => (start < 50 ? big.read(start, end) : new Uint8Array(1)),
    };
    const kit = startKit({ width: fixedWidth(3) });
    kit.transfers.add(source);
    await finish(kit);
    assert.equal(kit.file('file-1').reason, 'unreadable');
    assert.equal(kit.server.finished.size, 0);
  });
});

describe('how many at once', () => {
  /** Arrivals of pieces at a rate that depends on the width. */
  const run = (most: number, bytesPerSecond: (width: number) => number) => {
    const width = growingWidth(most);
    for (let piece = 0, now = 0; piece < 400; piece += 1) {
      now += 1_000_000 / bytesPerSecond(width.now());
      width.note(1_000, now);
    }
    return width.now();
  };

  it('grows to the most where every further connection brings more', () => {
    assert.equal(
      run(8, (width) => width * 1_000),
      8,
    );
    assert.equal(
      run(5, (width) => width * 1_000),
      4,
    );
  });

  it('stays at two where more bring nothing', () => {
    assert.equal(
      run(8, () => 50_000),
      2,
    );
  });

  it('stops where the gain ends', () => {
    assert.equal(
      run(8, (width) => Math.min(width, 4) * 1_000),
      4,
    );
  });
});
