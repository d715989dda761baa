// Where the engine begins again, how often, and where it stops: lost uploads, hints about sizes, slow lines.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFakeServer, type Fault } from './fake-server.fixture.ts';
import { confirmJourney, resumeJourney, savedJourney } from './journey.ts';
import { contentOf, type Kit, sourceOf, startKit } from './kit.fixture.ts';
import type { FileSource } from './ports.ts';
import { readHint, readPieceAnswer, readReceived, refusalOf, stateUrlOf, verdictOf } from './wire.ts';

const minute = 60_000;
const kib = 1024;

function assertArrived(kit: Kit, id: string): void {
  const { state, attachmentId, source } = kit.file(id);
  assert.equal(state, 'ready');
  assert.deepEqual(kit.server.finished.get(attachmentId ?? ''), contentOf(source.name, source.sizeBytes));
}

describe('an upload that is lost', () => {
  const lost: Fault = { is: 'answer', status: 404, text: '{"errors":["Gone."],"code":"upload.not_found"}' };

  it('is begun again three times, then fails with what the server said', async () => {
    const kit = startKit({ fault: ({ chunk }) => (chunk === 1 ? lost : null) });
    const id = kit.transfers.add(sourceOf('a', 25));
    await kit.clock.advance(minute);
    assert.deepEqual(kit.pieces('a'), [0, 1, 0, 1, 0, 1, 0, 1]);
    const { state, reason, sentence, refusal } = kit.file(id);
    assert.deepEqual({ state, reason, sentence }, { state: 'failed', reason: 'refused', sentence: 'Gone.' });
    assert.deepEqual(refusal, { status: 404, code: 'upload.not_found' });
    assert.equal(kit.clock.pending(), 0);
  });

  it('arrives when the third time again is the last that was needed', async () => {
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

  it('which never becomes a file is asked about three times, then fails', async () => {
    const kit = startKit({
      fault: ({ chunk }) => (chunk === 2 ? { is: 'answer', status: 200, headers: { 'Upload-Id': 'u1' } } : null),
    });
    const id = kit.transfers.add(sourceOf('a', 25));
    await kit.clock.advance(minute);
    assert.deepEqual(kit.pieces('a'), [0, 1, 2, 2, 2, 2]);
    assert.equal(kit.server.arrivals.filter(({ method }) => method === 'GET').length, 3);
    assert.deepEqual([kit.file(id).state, kit.file(id).reason], ['failed', 'refused']);
  });

  it('that may no longer be asked about is begun again as well', async () => {
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
      assert.deepEqual(kit.pieces('a'), halt ? [] : [0, 1, 2]);
    }
  });

  it('tells that nothing of it has left any more', async () => {
    const kit = startKit({ fault: (_, number) => (number === 2 ? lost : null) });
    const id = kit.transfers.add(sourceOf('a', 25));
    await kit.clock.advance(0);
    const progress = kit.events.flatMap((event) => (event.is === 'progress' ? [event.file.sentBytes] : []));
    assert.deepEqual(progress.slice(0, 7), [5, 10, 10, 15, 20, 20, 22.5]);
    assert.equal(progress[7], 0);
    assertArrived(kit, id);
  });
});

describe('the size of pieces', () => {
  /** Sends a first file whose answer has the hint, and gives the pieces of a second. */
  async function piecesAfter(hintBytes: number, sizeBytes: number) {
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
    return kit.pieces('second');
  }

  it('follows a hint upwards, and downwards as far as 64 KiB', async () => {
    assert.deepEqual(await piecesAfter(100 * kib, 100 * kib), [null]);
    assert.deepEqual(await piecesAfter(100 * kib, 100 * kib + 1), [0, 1]);
    assert.deepEqual(await piecesAfter(1, 64 * kib), [null]);
    assert.deepEqual(await piecesAfter(1, 64 * kib + 1), [0, 1]);
  });

  it('stays reduced whatever the hint says, once something in between has refused larger ones', async () => {
    const server = createFakeServer(({ sizeBytes }) =>
      sizeBytes > 100 * kib ? { is: 'answer', status: 413, text: '<html>413</html>' } : null,
    );
    const kit = startKit({
      server,
      pieceBytes: 128 * kib,
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
    assert.deepEqual(kit.pieces('a'), [null, 0, 1]);
    assert.deepEqual(kit.pieces('b'), [0, 1]);
  });
});

describe('a slow line', () => {
  it('is not given up while something moves every minute and a half, and is when nothing does', async () => {
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

  it('is judged for a whole file by what would be ten seconds in all', async () => {
    const sent = async (bytes: number) => {
      const kit = startKit({
        pieceBytes: 50,
        mayGoWhole: true,
        stream: ({ onProgress, signal }) =>
          new Promise((_, reject) => {
            onProgress(bytes);
            signal.addEventListener('abort', () => reject(new Error('aborted')));
          }),
      });
      const source = { ...sourceOf('a', 100), stream: async function* () {} };
      kit.transfers.add(source);
      await kit.clock.advance(1_000);
      const pieces = kit.pieces('a');
      kit.transfers.close();
      return pieces;
    };
    assert.deepEqual(await sent(10), [], 'a tenth in a second');
    assert.deepEqual(await sent(9), [0, 1]);
  });
});

describe('files beside each other', () => {
  it('are weighed against those that are accepted, not against those that were refused or failed', async () => {
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

  it('are paused and resumed one by one, and what is over stays as it is', async () => {
    const kit = startKit({ fault: () => ({ is: 'silence' }) });
    const [one, other] = ['one', 'other'].map((name) => kit.transfers.add(sourceOf(name, 5)));
    await kit.clock.advance(0);
    kit.transfers.pause(one);
    assert.deepEqual([kit.file(one!).state, kit.file(other!).state], ['paused', 'sending']);
    kit.transfers.pause('nobody');
    kit.transfers.resume('nobody');
    kit.transfers.remove('nobody');
    assert.deepEqual([kit.file(one!).state, kit.file(other!).state], ['paused', 'sending']);
    kit.transfers.resume(one);
    await kit.clock.advance(0);
    assert.deepEqual([kit.file(one!).state, kit.file(other!).state], ['sending', 'sending']);
    assert.equal(kit.events.filter(({ is }) => is === 'resumed').length, 0, 'nothing had stopped as a whole');
    kit.transfers.close();
  });

  it('are told to listeners until they have enough of it', () => {
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

describe('a journey of before', () => {
  const saved = { name: 'a', sizeBytes: 95, modifiedAt: 1, pieceBytes: 10, uploadId: 'u', nextPiece: 6, crc: 5 };

  it('goes on where it was, and from the front when everything had left', () => {
    const { nextPiece, crc, uploadId, isUnconfirmed } = resumeJourney(saved);
    assert.deepEqual(
      { nextPiece, crc, uploadId, isUnconfirmed },
      { nextPiece: 6, crc: 5, uploadId: 'u', isUnconfirmed: true },
    );
    assert.equal(resumeJourney({ ...saved, nextPiece: 9 }).nextPiece, 9);
    const whole = resumeJourney({ ...saved, nextPiece: 10 });
    assert.deepEqual([whole.nextPiece, whole.crc, whole.uploadId], [0, 0, 'u']);
  });

  it('is kept as it was, and not before it has a name at the server', () => {
    const source = sourceOf('a', 95);
    assert.deepEqual(savedJourney(resumeJourney(saved), source), saved);
    assert.equal(savedJourney({ ...resumeJourney(saved), uploadId: null }, source), null);
  });

  it('is believed as far as the server has it', () => {
    const confirmed = (received: number[]) => {
      const journey = resumeJourney(saved);
      confirmJourney(journey, received);
      return [journey.nextPiece, journey.crc, journey.isUnconfirmed];
    };
    assert.deepEqual(confirmed([0, 1, 2, 3, 4, 5]), [6, 5, false]);
    assert.deepEqual(confirmed([0, 1, 2, 3, 4]), [0, 0, false]);
    assert.deepEqual(confirmed([1, 2, 3, 4, 5]), [0, 0, false]);
  });
});

describe('answers', () => {
  const response = (status: number, text = '', headers: Record<string, string> = {}) => ({
    status,
    text,
    header: (name: string) => headers[name] ?? null,
  });

  it('with a hint are read when it is a whole number above nothing', () => {
    const hints = ['1', '8388608', '0', '-1', '1.5', 'much', ''].map((hint) =>
      readHint(response(200, '', { 'upload-chunk-size': hint })),
    );
    assert.deepEqual(hints, [1, 8_388_608, null, null, null, null, null]);
    assert.equal(readHint(response(200)), null);
  });

  it('with the pieces that arrived are read without what is no piece', () => {
    assert.deepEqual(readReceived(response(200, '{"upload":{"received":[0,2,-1,1.5,"3",null]}}')), [0, 2]);
    for (const text of ['', '{}', '{"upload":{}}', '{"upload":{"received":"all"}}', 'null'])
      assert.equal(readReceived(response(200, text)), null, text);
  });

  it('with an attachment are read as far as the server has computed it', () => {
    assert.deepEqual(readPieceAnswer(response(200, '{"attachment":{"id":"a","size":5,"crc32":"00"}}')), {
      uploadId: null,
      attachment: { id: 'a', size: 5, crc32: '00' },
    });
    const early = readPieceAnswer(response(200, '{"attachment":{"id":"a"}}'));
    assert.deepEqual(early, { uploadId: null, attachment: { id: 'a', size: Number.NaN, crc32: '' } });
  });

  it('with a refusal are read in the language of people first, with the code for scripts', () => {
    const text = '{"errors":["No."],"localized_errors":["Nein."],"code":"x.y"}';
    assert.deepEqual(verdictOf(response(422, text)), { is: 'refused', sentence: 'Nein.' });
    assert.deepEqual(refusalOf(response(422, text)), { status: 422, code: 'x.y' });
    assert.deepEqual(verdictOf(response(422, '{"errors":"No.","code":1}')), { is: 'refused', sentence: null });
    assert.deepEqual(refusalOf(response(422, '{"errors":"No.","code":1}')), { status: 422, code: null });
    assert.deepEqual(verdictOf(response(499)), { is: 'broken', sentence: null });
    assert.equal(stateUrlOf('/uploads/{id}', 'a/b'), '/uploads/a%2Fb');
  });
});
