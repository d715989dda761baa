import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFakeServer, type Fault } from './fake-server.fixture.ts';
import { contentOf, type Kit, sourceOf, startKit } from './kit.fixture.ts';
import type { FileSource } from './ports.ts';
import { confirmUpload, resumeUpload, toSavedUpload } from './upload.ts';
import { readChunkAnswer, readHint, readReceived, refusalOf, stateUrlOf, verdictOf } from './wire.ts';

const minute = 60_000;
const kib = 1024;

function assertArrived(kit: Kit, id: string): void {
  const { state, attachmentId, source } = kit.file(id);
  assert.equal(state, 'ready');
  assert.deepEqual(kit.server.finished.get(attachmentId ?? ''), contentOf(source.name, source.sizeBytes));
}

describe('an upload that is lost', () => {
  const lost: Fault = { is: 'answer', status: 404, text: '{"errors":["Gone."],"code":"upload.not_found"}' };

  it('is restarted three times, then fails with the sentence of the server', async () => {
    const kit = startKit({ fault: ({ chunk }) => (chunk === 1 ? lost : null) });
    const id = kit.transfers.add(sourceOf('a', 25));
    await kit.clock.advance(minute);
    assert.deepEqual(kit.chunks('a'), [0, 1, 0, 1, 0, 1, 0, 1]);
    const { state, reason, sentence, refusal } = kit.file(id);
    assert.deepEqual({ state, reason, sentence }, { state: 'failed', reason: 'refused', sentence: 'Gone.' });
    assert.deepEqual(refusal, { status: 404, code: 'upload.not_found' });
    assert.equal(kit.clock.pending(), 0);
  });

  it('arrives when the third restart succeeds', async () => {
    let times = 0;
    const kit = startKit({
      fault({ chunk }) {
        if (chunk !== 1) return null;
        times += 1;
        return times <= 3 ? lost : null;
      },
    });
    const id = kit.transfers.add(sourceOf('a', 25));
    await kit.clock.advance(minute);
    assertArrived(kit, id);
  });

  it('that never completes is checked three times, then fails', async () => {
    const kit = startKit({
      fault: ({ chunk }) => (chunk === 2 ? { is: 'answer', status: 200, headers: { 'Upload-Id': 'u1' } } : null),
    });
    const id = kit.transfers.add(sourceOf('a', 25));
    await kit.clock.advance(minute);
    assert.deepEqual(kit.chunks('a'), [0, 1, 2, 2, 2, 2]);
    assert.equal(kit.server.requests.filter(({ method }) => method === 'GET').length, 3);
    assert.deepEqual([kit.file(id).state, kit.file(id).reason], ['failed', 'refused']);
  });

  it('whose state may not be read is also restarted', async () => {
    const first = startKit({ fault: ({ chunk }) => (chunk === 1 ? { is: 'silence' } : null) });
    const id = first.transfers.add(sourceOf('a', 25));
    await first.clock.advance(0);
    const saved = first.saved(id);
    first.transfers.close();
    for (const [status, halt] of [
      [403, false],
      [401, true],
    ] as const) {
      const kit = startKit({ fault: ({ method }) => (method === 'GET' ? { is: 'answer', status } : null) });
      const again = kit.transfers.add(sourceOf('a', 25), saved);
      await kit.clock.advance(0);
      assert.equal(kit.file(again).state, halt ? 'paused' : 'ready');
      assert.deepEqual(kit.chunks('a'), halt ? [] : [0, 1, 2]);
    }
  });

  it('reports 0 bytes sent after a restart', async () => {
    const kit = startKit({ fault: (_, number) => (number === 2 ? lost : null) });
    const id = kit.transfers.add(sourceOf('a', 25));
    await kit.clock.advance(0);
    const progress = kit.events.flatMap((event) => (event.is === 'progress' ? [event.file.sentBytes] : []));
    assert.deepEqual(progress.slice(0, 7), [5, 10, 10, 15, 20, 20, 22.5]);
    assert.equal(progress[7], 0);
    assertArrived(kit, id);
  });
});

describe('the chunk size', () => {
  /** Returns the chunks of a second file, after a first one whose response has the hint. */
  async function chunksAfter(hintBytes: number, sizeBytes: number) {
    const server = createFakeServer();
    const kit = startKit({
      server,
      parallelFiles: 1,
      async send(request) {
        const response = await server.send(request);
        return {
          ...response,
          header: (name) => (name === 'upload-chunk-size' ? String(hintBytes) : response.header(name)),
        };
      },
    });
    kit.transfers.add(sourceOf('first', 5));
    const id = kit.transfers.add(sourceOf('second', sizeBytes));
    await kit.clock.advance(minute);
    assertArrived(kit, id);
    return kit.chunks('second');
  }

  it('follows a hint upwards, and downwards to 64 KiB', async () => {
    assert.deepEqual(await chunksAfter(100 * kib, 100 * kib), [null]);
    assert.deepEqual(await chunksAfter(100 * kib, 100 * kib + 1), [0, 1]);
    assert.deepEqual(await chunksAfter(1, 64 * kib), [null]);
    assert.deepEqual(await chunksAfter(1, 64 * kib + 1), [0, 1]);
  });

  it('stays reduced despite hints after a proxy has refused larger chunks', async () => {
    const server = createFakeServer(({ sizeBytes }) =>
      sizeBytes > 100 * kib ? { is: 'answer', status: 413, text: '<html>413</html>' } : null,
    );
    const kit = startKit({
      server,
      chunkBytes: 128 * kib,
      async send(request) {
        const response = await server.send(request);
        return {
          ...response,
          header: (name) => (name === 'upload-chunk-size' ? String(128 * kib) : response.header(name)),
        };
      },
      parallelFiles: 1,
    });
    const ids = ['a', 'b'].map((name) => kit.transfers.add(sourceOf(name, 128 * kib)));
    await kit.clock.advance(minute);
    for (const id of ids) assertArrived(kit, id);
    assert.deepEqual(kit.chunks('a'), [null, 0, 1]);
    assert.deepEqual(kit.chunks('b'), [0, 1]);
  });
});

describe('a slow connection', () => {
  it('is kept while it makes progress every 90 seconds, and retried when it stalls', async () => {
    const server = createFakeServer();
    let [everyMs, begun] = [89_000, 0];
    const kit: Kit = startKit({
      server,
      async send(request) {
        begun += 1;
        for (let sent = 1; sent <= 5; sent += 1) {
          await kit.clock.wait(everyMs, request.signal);
          request.onProgress(sent);
        }
        return server.send(request);
      },
    });
    const id = kit.transfers.add(sourceOf('a', 10));
    await kit.clock.advance(10 * minute);
    assertArrived(kit, id);
    assert.equal(begun, 1);
    [everyMs, begun] = [181_000, 0];
    kit.transfers.add(sourceOf('b', 10));
    await kit.clock.advance(89_999);
    assert.equal(begun, 1);
    await kit.clock.advance(10_000);
    assert.equal(begun, 2);
    kit.transfers.close();
  });

  it('allows a single request if it will take at most ten seconds', async () => {
    const sent = async (bytes: number) => {
      const kit = startKit({
        chunkBytes: 50,
        allowSingleRequest: true,
        stream: ({ onProgress, signal }) =>
          new Promise((_, reject) => {
            onProgress(bytes);
            signal.addEventListener('abort', () => reject(new Error('aborted')));
          }),
      });
      const source = { ...sourceOf('a', 100), stream: async function* () {} };
      kit.transfers.add(source);
      await kit.clock.advance(1_000);
      const chunks = kit.chunks('a');
      kit.transfers.close();
      return chunks;
    };
    assert.deepEqual(await sent(10), [], 'a tenth in a second');
    assert.deepEqual(await sent(9), [0, 1]);
  });
});

describe('several files', () => {
  it('are checked against accepted files, not against refused or failed ones', async () => {
    const seen: string[][] = [];
    const kit = startKit({
      fault: ({ name }) => (name === 'failed' ? { is: 'answer', status: 404 } : null),
      refuse(source: FileSource, accepted: FileSource[]) {
        seen.push(accepted.map(({ name }) => name));
        return source.name === 'refused' ? 'No.' : null;
      },
    });
    for (const name of ['ready', 'refused', 'failed']) kit.transfers.add(sourceOf(name, 5));
    await kit.clock.advance(0);
    kit.transfers.add(sourceOf('last', 5));
    assert.deepEqual(seen, [[], ['ready'], ['ready'], ['ready']]);
  });

  it('are paused and resumed individually, and unknown ids are ignored', async () => {
    const kit = startKit({ fault: () => ({ is: 'silence' }) });
    const [one, other] = ['one', 'other'].map((name) => kit.transfers.add(sourceOf(name, 5)));
    await kit.clock.advance(0);
    kit.transfers.pause(one);
    assert.deepEqual([kit.file(one!).state, kit.file(other!).state], ['paused', 'sending']);
    kit.transfers.pause('unknown');
    kit.transfers.resume('unknown');
    kit.transfers.remove('unknown');
    assert.deepEqual([kit.file(one!).state, kit.file(other!).state], ['paused', 'sending']);
    kit.transfers.resume(one);
    await kit.clock.advance(0);
    assert.deepEqual([kit.file(one!).state, kit.file(other!).state], ['sending', 'sending']);
    assert.equal(kit.events.filter(({ is }) => is === 'resumed').length, 0, 'nothing was halted');
    kit.transfers.close();
  });

  it('are reported to listeners until they unsubscribe', () => {
    const kit = startKit();
    const seen: string[] = [];
    const stop = kit.transfers.listen(({ is }) => seen.push(is));
    kit.transfers.add(sourceOf('a', 5));
    stop();
    kit.transfers.add(sourceOf('b', 5));
    assert.deepEqual(seen, ['state']);
    kit.transfers.close();
    assert.deepEqual(kit.transfers.files(), []);
  });
});

describe('a saved upload', () => {
  const saved = { name: 'a', sizeBytes: 95, modifiedAt: 1, pieceBytes: 10, uploadId: 'u', nextPiece: 6, crc: 5 };

  it('continues where it stopped, and from the beginning when all chunks had been sent', () => {
    const { nextChunk, crc, uploadId, isUnconfirmed } = resumeUpload(saved);
    assert.deepEqual(
      { nextChunk, crc, uploadId, isUnconfirmed },
      { nextChunk: 6, crc: 5, uploadId: 'u', isUnconfirmed: true },
    );
    assert.equal(resumeUpload({ ...saved, nextPiece: 9 }).nextChunk, 9);
    const whole = resumeUpload({ ...saved, nextPiece: 10 });
    assert.deepEqual([whole.nextChunk, whole.crc, whole.uploadId], [0, 0, 'u']);
  });

  it('is saved unchanged, and only once it has an id on the server', () => {
    const source = sourceOf('a', 95);
    assert.deepEqual(toSavedUpload(resumeUpload(saved), source), saved);
    assert.equal(toSavedUpload({ ...resumeUpload(saved), uploadId: null }, source), null);
  });

  it('is used only as far as the server has the chunks', () => {
    const confirmed = (received: number[]) => {
      const upload = resumeUpload(saved);
      confirmUpload(upload, received);
      return [upload.nextChunk, upload.crc, upload.isUnconfirmed];
    };
    assert.deepEqual(confirmed([0, 1, 2, 3, 4, 5]), [6, 5, false]);
    assert.deepEqual(confirmed([0, 1, 2, 3, 4]), [0, 0, false]);
    assert.deepEqual(confirmed([1, 2, 3, 4, 5]), [0, 0, false]);
  });
});

describe('responses', () => {
  const response = (status: number, text = '', headers: Record<string, string> = {}) => ({
    status,
    text,
    header: (name: string) => headers[name] ?? null,
  });

  it('give a hint only if it is a positive integer', () => {
    const hints = ['1', '8388608', '0', '-1', '1.5', 'much', ''].map((hint) =>
      readHint(response(200, '', { 'upload-chunk-size': hint })),
    );
    assert.deepEqual(hints, [1, 8_388_608, null, null, null, null, null]);
    assert.equal(readHint(response(200)), null);
  });

  it('give the received chunks, ignoring invalid numbers', () => {
    assert.deepEqual(readReceived(response(200, '{"upload":{"received":[0,2,-1,1.5,"3",null]}}')), [0, 2]);
    for (const text of ['', '{}', '{"upload":{}}', '{"upload":{"received":"all"}}', 'null'])
      assert.equal(readReceived(response(200, text)), null, text);
  });

  it('give an attachment with the values the server has computed', () => {
    assert.deepEqual(readChunkAnswer(response(200, '{"attachment":{"id":"a","size":5,"crc32":"00"}}')), {
      uploadId: null,
      attachment: { id: 'a', size: 5, crc32: '00' },
    });
    const early = readChunkAnswer(response(200, '{"attachment":{"id":"a"}}'));
    assert.deepEqual(early, { uploadId: null, attachment: { id: 'a', size: Number.NaN, crc32: '' } });
  });

  it('give a refusal in the language of the user first, with the code for scripts', () => {
    const text = '{"errors":["No."],"localized_errors":["Nein."],"code":"x.y"}';
    assert.deepEqual(verdictOf(response(422, text)), { is: 'refused', sentence: 'Nein.' });
    assert.deepEqual(refusalOf(response(422, text)), { status: 422, code: 'x.y' });
    assert.deepEqual(verdictOf(response(422, '{"errors":"No.","code":1}')), { is: 'refused', sentence: null });
    assert.deepEqual(refusalOf(response(422, '{"errors":"No.","code":1}')), { status: 422, code: null });
    assert.deepEqual(verdictOf(response(499)), { is: 'unexpected', sentence: null });
    assert.equal(stateUrlOf('/uploads/{id}', 'a/b'), '/uploads/a%2Fb');
  });
});
