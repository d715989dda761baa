import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runPending } from './fake-clock.fixture.ts';
import type { Fault } from './fake-server.fixture.ts';
import { contentOf, type Kit, sourceOf, startKit } from './kit.fixture.ts';

const minute = 60_000;

function assertArrived(kit: Kit, id: string): void {
  const { state, attachmentId, source } = kit.file(id);
  assert.equal(state, 'ready');
  assert.deepEqual(kit.server.finished.get(attachmentId ?? ''), contentOf(source.name, source.sizeBytes));
}

/** Applies a fault to the requests with these numbers. */
function at(numbers: number[], fault: Fault) {
  return (_: unknown, number: number) => (numbers.includes(number) ? fault : null);
}

describe('refusals', () => {
  it('a file that breaks a rule is never sent', async () => {
    const kit = startKit({ refuse: (source) => (source.name.endsWith('.exe') ? 'No .exe files.' : null) });
    const id = kit.transfers.add(sourceOf('setup.exe', 5));
    await kit.clock.advance(minute);
    assert.deepEqual([kit.file(id).state, kit.file(id).sentence], ['not-allowed', 'No .exe files.']);
    assert.equal(kit.server.requests.length, 0);
    assert.equal(kit.transfers.totals().fileCount, 0);
  });

  it('a refusal by the server ends that file only, with its sentence', async () => {
    const text = '{"errors":["Your group cannot send .bin files."]}';
    const kit = startKit({ fault: ({ name }) => (name === 'a.bin' ? { is: 'answer', status: 422, text } : null) });
    const refused = kit.transfers.add(sourceOf('a.bin', 25));
    const other = kit.transfers.add(sourceOf('b.txt', 25));
    await kit.clock.advance(minute);
    assert.deepEqual(
      [kit.file(refused).state, kit.file(refused).sentence],
      ['not-allowed', 'Your group cannot send .bin files.'],
    );
    assert.equal(kit.chunks('a.bin').length, 1);
    assertArrived(kit, other);
  });

  it('an upload URL that does not exist fails immediately and can be retried manually', async () => {
    const kit = startKit({ fault: at([0], { is: 'answer', status: 404 }) });
    const id = kit.transfers.add(sourceOf('a', 25));
    await kit.clock.advance(minute);
    assert.deepEqual(kit.path(id), ['queued', 'checking', 'sending', 'failed']);
    kit.transfers.resume();
    assert.equal(kit.file(id).state, 'failed', 'resuming everything does not retry it');
    kit.transfers.resume(id);
    await kit.clock.advance(minute);
    assertArrived(kit, id);
  });

  it('a file that can no longer be read fails, and the next one continues', async () => {
    const kit = startKit({ parallelFiles: 1 });
    const gone = { ...sourceOf('gone', 25), read: () => Promise.reject(new Error('NotReadableError')) };
    const short = { ...sourceOf('short', 25), read: async () => new Uint8Array(3) };
    const ids = [gone, short, sourceOf('fine', 25)].map((source) => kit.transfers.add(source));
    await kit.clock.advance(minute);
    assert.deepEqual(
      ids.map((id) => [kit.file(id).state, kit.file(id).reason]),
      [
        ['failed', 'unreadable'],
        ['failed', 'unreadable'],
        ['ready', null],
      ],
    );
  });
});

describe('a normal upload', () => {
  it('a small file is sent in one request without chunks', async () => {
    const kit = startKit();
    const id = kit.transfers.add(sourceOf('small.txt', 10));
    await runPending();
    assertArrived(kit, id);
    assert.equal(kit.server.requests.length, 1);
    assert.equal(kit.server.requests[0]?.url.search, '?filename=small.txt');
  });

  it('chunks are sent in order with the upload id of the first response', async () => {
    const kit = startKit({ firstUploadId: 'new' });
    const id = kit.transfers.add(sourceOf('large.bin', 45));
    await runPending();
    await kit.clock.advance(0);
    assertArrived(kit, id);
    assert.deepEqual(kit.chunks('large.bin'), [0, 1, 2, 3, 4]);
    assert.deepEqual(
      kit.server.requests.map(({ url }) => url.searchParams.get('upload_id')),
      ['new', 'u1', 'u1', 'u1', 'u1'],
    );
    assert.deepEqual(kit.path(id), ['queued', 'checking', 'sending', 'finishing', 'ready']);
  });

  it('three files are uploaded at a time, the others wait', async () => {
    const kit = startKit();
    for (let number = 0; number < 8; number += 1) kit.transfers.add(sourceOf(`f${number}`, 25));
    await kit.clock.advance(minute);
    assert.equal(kit.server.maxConcurrent(), 3);
    assert.equal(kit.transfers.totals().readyCount, 8);
    assert.equal(kit.transfers.totals().sentBytes, 200);
  });

  it('the next file uses the chunk size that the server suggests', async () => {
    const hint = { 'Upload-Chunk-Size': String(64 * 1024), 'Upload-Id': 'u9' };
    const kit = startKit({ parallelFiles: 1, fault: at([0], { is: 'answer', status: 200, headers: hint }) });
    kit.server.sessions.set('u9', { name: 'a', chunks: 2, parts: new Map([[0, contentOf('a', 20).subarray(0, 10)]]) });
    const first = kit.transfers.add(sourceOf('a', 20));
    const second = kit.transfers.add(sourceOf('b', 70_000));
    await kit.clock.advance(minute);
    assertArrived(kit, first);
    assertArrived(kit, second);
    assert.deepEqual(kit.chunks('b'), [0, 1]);
  });

  it('a file is ready while the server is still computing its checksum', async () => {
    const text = '{"attachment":{"id":"x","size":25,"crc32":""}}';
    const kit = startKit({ fault: at([2], { is: 'answer', status: 200, text }) });
    const id = kit.transfers.add(sourceOf('a', 25));
    await kit.clock.advance(minute);
    assert.deepEqual([kit.file(id).state, kit.file(id).attachmentId], ['ready', 'x']);
  });
});

describe('lost connections', () => {
  const chunks = [0, 1, 2, 3, 4];
  for (const fault of ['cut-before', 'cut-after', 'silence'] as const) {
    for (const chunk of chunks) {
      it(`${fault} at chunk ${chunk} loses nothing`, async () => {
        const kit = startKit({ fault: at([chunk], { is: fault }) });
        const id = kit.transfers.add(sourceOf('a', 45));
        await kit.clock.advance(2 * minute);
        assertArrived(kit, id);
        assert.deepEqual(kit.chunks('a'), [...chunks.slice(0, chunk), chunk, ...chunks.slice(chunk)]);
        assert.equal(kit.server.finished.size, 1);
      });
    }
  }

  it('a single failure is not reported as retrying, a second one is', async () => {
    const once = startKit({ fault: at([1], { is: 'cut-before' }) });
    const quiet = once.transfers.add(sourceOf('a', 25));
    await once.clock.advance(minute);
    assert.equal(once.path(quiet).includes('retrying'), false);
    const twice = startKit({ fault: at([1, 2], { is: 'cut-before' }) });
    const reported = twice.transfers.add(sourceOf('a', 25));
    await twice.clock.advance(minute);
    assert.deepEqual(twice.path(reported), [
      'queued',
      'checking',
      'sending',
      'retrying',
      'sending',
      'finishing',
      'ready',
    ]);
  });

  it('retries for hours, at least every 30 seconds', async () => {
    let isDown = true;
    const kit = startKit({ fault: () => (isDown ? { is: 'cut-before' } : null) });
    const id = kit.transfers.add(sourceOf('a', 25));
    await kit.clock.advance(120 * minute);
    assert.equal(kit.file(id).state, 'retrying');
    assert.ok(kit.server.requests.length >= 120 * 2);
    isDown = false;
    await kit.clock.advance(30_000);
    assertArrived(kit, id);
  });

  for (const status of [408, 425, 429, 500, 502, 503, 504, 599]) {
    it(`${status} is retried`, async () => {
      const kit = startKit({ fault: at([0, 3], { is: 'answer', status }) });
      const id = kit.transfers.add(sourceOf('a', 25));
      await kit.clock.advance(minute);
      assertArrived(kit, id);
    });
  }

  it('waits for the Retry-After of a busy server', async () => {
    const fault: Fault = { is: 'answer', status: 429, headers: { 'Retry-After': '20' } };
    const kit = startKit({ fault: at([0], fault) });
    const id = kit.transfers.add(sourceOf('a', 5));
    await kit.clock.advance(19_000);
    assert.equal(kit.server.requests.length, 1);
    await kit.clock.advance(1_000);
    assertArrived(kit, id);
  });

  it('the sign-in page of a captive portal does not count as a response', async () => {
    const portal: Fault = { is: 'answer', status: 200, text: '<html>Welcome to the hotel</html>' };
    const kit = startKit({ fault: at([1, 2], portal) });
    const id = kit.transfers.add(sourceOf('a', 25));
    await kit.clock.advance(minute);
    assertArrived(kit, id);
  });

  it('a clock that jumps neither aborts nor repeats a request', async () => {
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const kit = startKit({ fault: at([1], { is: 'held', until }) });
    const id = kit.transfers.add(sourceOf('a', 25));
    await kit.clock.advance(1_000);
    kit.clock.jump(5 * 60 * minute);
    await kit.clock.advance(1_000);
    kit.clock.jump(-9 * 60 * minute);
    await kit.clock.advance(1_000);
    release();
    await kit.clock.advance(1_000);
    assertArrived(kit, id);
    assert.deepEqual(kit.chunks('a'), [0, 1, 2]);
  });

  it('responses that arrive out of order are matched to their files', async () => {
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const kit = startKit({
      fault: ({ name, chunk }) => (name === 'slow' && chunk === 0 ? { is: 'held', until } : null),
    });
    const slow = kit.transfers.add(sourceOf('slow', 25));
    const quick = kit.transfers.add(sourceOf('quick one', 35));
    await kit.clock.advance(1_000);
    assertArrived(kit, quick);
    assert.equal(kit.file(slow).state, 'sending');
    release();
    await kit.clock.advance(1_000);
    assertArrived(kit, slow);
  });
});

describe('chunks that are too large', () => {
  const kib = 1024;
  const limited = (limit: number) => ({
    chunkBytes: 512 * kib,
    fault: ({ sizeBytes }: { sizeBytes: number }): Fault | null =>
      sizeBytes > limit ? { is: 'answer', status: 413, text: '<html>413</html>' } : null,
  });

  it('are halved, also for later files', async () => {
    const kit = startKit({ ...limited(200 * kib), parallelFiles: 1 });
    const first = kit.transfers.add(sourceOf('a', 600 * kib));
    const second = kit.transfers.add(sourceOf('b', 300 * kib));
    await kit.clock.advance(minute);
    assertArrived(kit, first);
    assertArrived(kit, second);
    assert.deepEqual(kit.chunks('a'), [0, 0, 0, 1, 2, 3, 4]);
    assert.deepEqual(kit.chunks('b'), [0, 1, 2]);
    assert.equal(kit.path(first).includes('failed'), false);
  });

  it('are halved once for files that are uploaded simultaneously', async () => {
    const kit = startKit(limited(256 * kib));
    const ids = ['a', 'b', 'c'].map((name) => kit.transfers.add(sourceOf(name, 600 * kib)));
    await kit.clock.advance(minute);
    for (const id of ids) assertArrived(kit, id);
    assert.deepEqual(kit.chunks('c'), [0, 0, 1, 2]);
  });

  it('end with the refusal when even the smallest size is refused', async () => {
    const kit = startKit(limited(0));
    const id = kit.transfers.add(sourceOf('a', 600 * kib));
    await kit.clock.advance(minute);
    assert.equal(kit.file(id).state, 'not-allowed');
    assert.equal(kit.chunks('a').length, 4);
  });

  it('are not halved when a rule of the server refuses the file', async () => {
    const text = '{"errors":["A message can hold 5 GB."],"code":"message.too_large"}';
    const kit = startKit({ fault: at([0], { is: 'answer', status: 413, text }) });
    const id = kit.transfers.add(sourceOf('a', 25));
    await kit.clock.advance(minute);
    assert.deepEqual([kit.file(id).state, kit.file(id).sentence], ['not-allowed', 'A message can hold 5 GB.']);
    assert.equal(kit.server.requests.length, 1);
  });
});

describe('when the user has to act first', () => {
  for (const [status, reason] of [
    [401, 'signed-out'],
    [507, 'full'],
  ] as const) {
    it(`${status} stops everything, and resuming sends nothing twice`, async () => {
      const kit = startKit({ fault: at([4], { is: 'answer', status }), parallelFiles: 2 });
      const ids = ['a', 'b', 'c', 'd'].map((name) => kit.transfers.add(sourceOf(name, 45)));
      await kit.clock.advance(10 * minute);
      assert.deepEqual(
        ids.map((id) => kit.file(id).state),
        ['paused', 'paused', 'paused', 'paused'],
      );
      assert.deepEqual(
        kit.events.filter(({ is }) => is === 'halted'),
        [{ is: 'halted', reason, sentence: null }],
      );
      const late = kit.transfers.add(sourceOf('e', 5));
      const before = kit.server.requests.length;
      await kit.clock.advance(minute);
      assert.equal(kit.server.requests.length, before);
      kit.transfers.resume();
      await kit.clock.advance(minute);
      for (const id of [...ids, late]) assertArrived(kit, id);
      assert.ok(kit.chunks('a').length <= 6);
    });
  }
});

describe('a stored file that differs', () => {
  it('is sent again once', async () => {
    const kit = startKit({ fault: at([1], { is: 'corrupt' }) });
    const id = kit.transfers.add(sourceOf('a', 25));
    await kit.clock.advance(minute);
    assertArrived(kit, id);
    assert.deepEqual(kit.chunks('a'), [0, 1, 2, 0, 1, 2]);
  });

  it('fails the second time', async () => {
    const kit = startKit({ fault: ({ chunk }) => (chunk === 1 ? { is: 'corrupt' } : null) });
    const id = kit.transfers.add(sourceOf('a', 25));
    await kit.clock.advance(minute);
    assert.deepEqual([kit.file(id).state, kit.file(id).reason], ['failed', 'differs']);
    assert.equal(kit.chunks('a').length, 6);
  });
});
