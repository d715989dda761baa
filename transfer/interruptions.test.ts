import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runPending } from './fake-clock.fixture.ts';
import type { Fault } from './fake-server.fixture.ts';
import { contentOf, type Kit, sourceOf, startKit } from './kit.fixture.ts';

const minute = 60_000;

function assertArrived(kit: Kit, id: string): void {
  const { state, attachmentId, source } = kit.file(id);
  assert.equal(state, 'ready');
  assert.deepEqual(kit.server.finished.get(attachmentId ?? ''), contentOf(source.name, source.sizeBytes));
}

/** Holds the requests with these numbers until `release`. */
function holding(...numbers: number[]) {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  const fault = (_: unknown, number: number): Fault | null => (numbers.includes(number) ? { is: 'held', until } : null);
  return { fault, release: () => release() };
}

describe('pausing', () => {
  it('finishes the running chunk, starts no other, and sends none twice', async () => {
    for (const held of [0, 2]) {
      const { fault, release } = holding(held);
      const kit = startKit({ fault });
      const id = kit.transfers.add(sourceOf('a', 45));
      await kit.clock.advance(1_000);
      kit.transfers.pause();
      assert.equal(kit.file(id).state, 'paused');
      release();
      await kit.clock.advance(1_000);
      assert.deepEqual([kit.file(id).state, kit.file(id).sentBytes], ['paused', (held + 1) * 10]);
      assert.deepEqual(kit.chunks('a'), [0, 1, 2].slice(0, held + 1));
      kit.transfers.resume();
      await kit.clock.advance(1_000);
      assertArrived(kit, id);
      assert.deepEqual(kit.chunks('a'), [0, 1, 2, 3, 4]);
    }
  });

  it('and resuming while a chunk is running sends none twice', async () => {
    const { fault, release } = holding(2);
    const kit = startKit({ fault });
    const id = kit.transfers.add(sourceOf('a', 45));
    await kit.clock.advance(1_000);
    kit.transfers.pause();
    await kit.clock.advance(1_000);
    kit.transfers.resume();
    assert.equal(kit.file(id).state, 'sending');
    release();
    await kit.clock.advance(1_000);
    assertArrived(kit, id);
    assert.deepEqual(kit.chunks('a'), [0, 1, 2, 3, 4]);
  });

  it('sends no chunk twice whose response was lost', async () => {
    const kit = startKit({
      fault(_, number) {
        if (number !== 2) return null;
        kit.transfers.pause();
        return { is: 'cut-after' };
      },
    });
    const id = kit.transfers.add(sourceOf('a', 45));
    await kit.clock.advance(10 * minute);
    assert.equal(kit.file(id).state, 'paused');
    kit.transfers.resume();
    await kit.clock.advance(1_000);
    assertArrived(kit, id);
    assert.deepEqual(kit.chunks('a'), [0, 1, 2, 3, 4]);
  });

  it('one file lets the next one start', async () => {
    const { fault } = holding(0);
    const kit = startKit({ fault, parallelFiles: 1 });
    const held = kit.transfers.add(sourceOf('held', 25));
    const next = kit.transfers.add(sourceOf('next', 25));
    await kit.clock.advance(1_000);
    assert.equal(kit.file(next).state, 'queued');
    kit.transfers.pause(held);
    await kit.clock.advance(1_000);
    assert.equal(kit.file(held).state, 'paused');
    assertArrived(kit, next);
  });

  it('and resuming immediately leaves one upload, not two', async () => {
    const { fault, release } = holding(1);
    const kit = startKit({ fault });
    const id = kit.transfers.add(sourceOf('a', 45));
    await kit.clock.advance(0);
    for (let times = 0; times < 5; times += 1) {
      kit.transfers.pause(id);
      kit.transfers.resume(id);
    }
    release();
    await kit.clock.advance(1_000);
    assertArrived(kit, id);
    assert.deepEqual(kit.chunks('a'), [0, 1, 2, 3, 4]);
    assert.equal(kit.server.finished.size, 1);
  });

  it('does not change ready or refused files', async () => {
    const kit = startKit({ refuse: ({ name }) => (name === 'no' ? 'No.' : null) });
    const ids = ['yes', 'no'].map((name) => kit.transfers.add(sourceOf(name, 5)));
    await kit.clock.advance(0);
    kit.transfers.pause();
    assert.deepEqual(
      ids.map((id) => kit.file(id).state),
      ['ready', 'not-allowed'],
    );
  });
});

describe('removing', () => {
  it('aborts the request and forgets the file', async () => {
    const { fault } = holding(1);
    const kit = startKit({ fault });
    const id = kit.transfers.add(sourceOf('a', 45));
    await kit.clock.advance(0);
    kit.transfers.remove(id);
    await kit.clock.advance(10 * minute);
    assert.deepEqual(kit.transfers.files(), []);
    assert.deepEqual(kit.chunks('a'), [0, 1]);
    assert.deepEqual(kit.events.at(-1), { is: 'removed', id });
    assert.equal(kit.clock.pending(), 0, 'no timer is left behind');
  });
});

describe('offline', () => {
  it('for ten minutes: all files wait, the server is probed, then they continue', async () => {
    let isOffline = false;
    const { fault, release } = holding(2);
    const kit = startKit({
      fault: (received, number) => (isOffline ? { is: 'cut-before' } : fault(received, number)),
      parallelFiles: 1,
    });
    const ids = ['a', 'b'].map((name) => kit.transfers.add(sourceOf(name, 45)));
    await runPending();
    isOffline = true;
    kit.transfers.setOnline(false);
    const before = kit.server.requests.length;
    await kit.clock.advance(10 * minute);
    release();
    assert.deepEqual(
      ids.map((id) => kit.file(id).state),
      ['waiting', 'waiting'],
    );
    const during = kit.server.requests.slice(before);
    assert.equal(during.length, 40);
    assert.ok(during.every(({ url }) => url.pathname === '/probe'));
    isOffline = false;
    kit.transfers.setOnline(true);
    await kit.clock.advance(minute);
    for (const id of ids) assertArrived(kit, id);
    const connection = kit.events.filter(({ is }) => is === 'offline' || is === 'online');
    assert.deepEqual(connection, [{ is: 'offline' }, { is: 'online' }]);
    assert.equal(kit.clock.pending(), 0);
  });

  it('ends automatically when a probe gets a response', async () => {
    const kit = startKit();
    kit.transfers.setOnline(false);
    const id = kit.transfers.add(sourceOf('a', 25));
    assert.equal(kit.file(id).state, 'waiting');
    await kit.clock.advance(14_000);
    assert.equal(kit.server.requests.length, 0);
    await kit.clock.advance(1_000);
    assertArrived(kit, id);
  });

  it('does not resume files that the user has paused', async () => {
    const { fault } = holding(0);
    const kit = startKit({ fault });
    const id = kit.transfers.add(sourceOf('a', 25));
    await runPending();
    kit.transfers.pause(id);
    kit.transfers.setOnline(false);
    kit.transfers.setOnline(true);
    await kit.clock.advance(minute);
    assert.equal(kit.file(id).state, 'paused');
  });
});

describe('resuming after a reload', () => {
  async function interruptedAfter(requests: number) {
    const { fault } = holding(requests);
    const first = startKit({ fault });
    const id = first.transfers.add(sourceOf('a', 95));
    await first.clock.advance(0);
    const saved = first.saved(id);
    first.transfers.close();
    return { saved, server: first.server };
  }

  it('sends only the missing chunks, and the checksum still matches', async () => {
    const { saved, server } = await interruptedAfter(6);
    assert.deepEqual({ nextPiece: saved?.nextPiece, uploadId: saved?.uploadId }, { nextPiece: 6, uploadId: 'u1' });
    const before = server.requests.length;
    const kit = startKit({ server });
    const id = kit.transfers.add(sourceOf('a', 95), JSON.parse(JSON.stringify(saved)));
    assert.equal(kit.file(id).sentBytes, 60);
    await kit.clock.advance(0);
    assertArrived(kit, id);
    assert.deepEqual(
      server.requests.slice(before).map(({ method, chunk }) => [method, chunk]),
      [['GET', null], ...[6, 7, 8, 9].map((chunk) => ['POST', chunk])],
    );
  });

  it('skips a chunk whose response was lost', async () => {
    const { saved, server } = await interruptedAfter(6);
    server.sessions.get('u1')?.parts.set(6, contentOf('a', 95).subarray(60, 70));
    const before = server.requests.length;
    const kit = startKit({ server });
    const id = kit.transfers.add(sourceOf('a', 95), saved);
    await kit.clock.advance(0);
    assertArrived(kit, id);
    assert.deepEqual(
      server.requests.slice(before).map(({ chunk }) => chunk),
      [null, 7, 8, 9],
    );
  });

  it('sends chunks again that the server has lost', async () => {
    const { saved, server } = await interruptedAfter(6);
    server.sessions.get('u1')?.parts.delete(3);
    const kit = startKit({ server });
    const id = kit.transfers.add(sourceOf('a', 95), saved);
    await kit.clock.advance(0);
    assertArrived(kit, id);
    assert.deepEqual(kit.chunks('a').slice(-5), [3, 6, 7, 8, 9]);
  });

  it('starts over when the upload no longer exists', async () => {
    const { saved, server } = await interruptedAfter(6);
    server.sessions.clear();
    const kit = startKit({ server });
    const id = kit.transfers.add(sourceOf('a', 95), saved);
    await kit.clock.advance(0);
    assertArrived(kit, id);
    assert.equal(kit.chunks('a').slice(-10).join(), '0,1,2,3,4,5,6,7,8,9');
  });

  it('requests the attachment when all chunks had arrived', async () => {
    const { saved, server } = await interruptedAfter(9);
    server.sessions.get('u1')?.parts.set(9, contentOf('a', 95).subarray(90));
    const kit = startKit({ server });
    const id = kit.transfers.add(sourceOf('a', 95), { ...saved!, nextPiece: 10 });
    await kit.clock.advance(0);
    assertArrived(kit, id);
    assert.equal(kit.chunks('a').at(-1), 9);
  });

  it('sends a chunk again that the server loses at the very end', async () => {
    const kit = startKit();
    const send = kit.server.send;
    let hasLost = false;
    const lossy = startKit({
      server: kit.server,
      send(request) {
        const isLast = request.url.includes('chunk=4');
        if (isLast && !hasLost) {
          hasLost = true;
          kit.server.sessions.get('u1')?.parts.delete(1);
        }
        return send(request);
      },
    });
    const id = lossy.transfers.add(sourceOf('a', 45));
    await lossy.clock.advance(0);
    assertArrived(lossy, id);
    assert.deepEqual(lossy.chunks('a'), [0, 1, 2, 3, 4, 1]);
  });
});

it('with any sequence of faults and actions, files arrive complete', async () => {
  const anyFault = fc.constantFrom<Fault | null>(
    null,
    null,
    { is: 'cut-before' },
    { is: 'cut-after' },
    { is: 'silence' },
    { is: 'answer', status: 503 },
    { is: 'answer', status: 401 },
    { is: 'answer', status: 507 },
    { is: 'answer', status: 200, text: 'hello' },
  );
  const anyAct = fc.constantFrom('pause', 'resume', 'offline', 'online', 'wait', 'jump');
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyFault, { maxLength: 25 }),
      fc.array(anyAct, { maxLength: 12 }),
      async (faults, acts) => {
        const kit = startKit({ fault: (_, number) => faults[number] ?? null, parallelFiles: 2 });
        const ids = ['a', 'b', 'c'].map((name, index) => kit.transfers.add(sourceOf(name, 15 + index * 20)));
        for (const act of acts) {
          if (act === 'pause') kit.transfers.pause();
          if (act === 'resume') kit.transfers.resume();
          if (act === 'offline') kit.transfers.setOnline(false);
          if (act === 'online') kit.transfers.setOnline(true);
          if (act === 'jump') kit.clock.jump(-minute);
          await kit.clock.advance(700);
        }
        kit.transfers.setOnline(true);
        for (let times = 0; times < faults.length + 2; times += 1) {
          kit.transfers.resume();
          await kit.clock.advance(4 * minute);
        }
        for (const id of ids) assertArrived(kit, id);
        assert.equal(kit.clock.pending(), 0);
      },
    ),
    { numRuns: 60 },
  );
});
