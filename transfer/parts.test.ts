import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { crc32 as zlibCrc32 } from 'node:zlib';
import { askedWaitMs, backoffMs } from './backoff.ts';
import { crc32, crc32Text } from './crc32.ts';
import { beginJourney, pieceRange } from './journey.ts';
import { createRateMeter } from './rate.ts';
import { extensionOf, type Limits, refusalOf } from './rules.ts';
import { pieceUrl, readPieceAnswer, verdictOf } from './wire.ts';

describe('CRC-32', () => {
  it('agrees with zlib whatever the lengths and the cuts', () => {
    assert.equal(crc32(0, new Uint8Array()), 0);
    assert.equal(crc32Text(crc32(0, new TextEncoder().encode('123456789'))), 'cbf43926');
    for (let length = 0; length < 70; length += 1) {
      const bytes = randomBytes(length);
      const cut = Math.floor(length / 3);
      assert.equal(crc32(crc32(0, bytes.subarray(0, cut)), bytes.subarray(cut)), zlibCrc32(bytes), `${length} bytes`);
    }
  });
});

describe('waits between attempts', () => {
  it('grow, are jittered, and end at half a minute', () => {
    const least = [1, 2, 3, 6, 50].map((failures) => backoffMs(failures, () => 0));
    const most = [1, 2, 3, 6, 50].map((failures) => backoffMs(failures, () => 0.999999));
    assert.deepEqual(least, [500, 1_000, 2_000, 15_000, 15_000]);
    assert.deepEqual(most.map(Math.round), [1_000, 2_000, 4_000, 30_000, 30_000]);
  });

  it('follow the server within reason and ignore what is no number', () => {
    assert.equal(askedWaitMs('7'), 7_000);
    assert.equal(askedWaitMs('86400'), 300_000);
    for (const header of [null, '', 'soon', '-1', '1e9']) assert.equal(askedWaitMs(header), null);
  });
});

describe('the rate', () => {
  it('says nothing for three seconds', () => {
    const meter = createRateMeter();
    meter.note(0, 0);
    meter.note(2_000, 2_000);
    assert.equal(meter.estimate(1_000), null);
    meter.note(3_000, 3_000);
    assert.deepEqual(meter.estimate(1_000), { bytesPerSecond: 1_000, secondsLeft: 1, isSlower: false });
  });

  it('keeps two points however far apart they are', () => {
    const meter = createRateMeter();
    meter.note(0, 0);
    meter.note(1_000, 20_000);
    assert.equal(meter.estimate(1_000)?.bytesPerSecond, 50);
  });

  it('forgets the older of three points that are far apart, and takes points close together for one', () => {
    const apart = createRateMeter();
    apart.note(0, 0);
    apart.note(1_000, 20_000);
    apart.note(1_100, 40_000);
    assert.equal(apart.estimate(1_000)?.bytesPerSecond, 5);
    const close = createRateMeter();
    close.note(0, 0);
    close.note(100, 100);
    close.note(1_000, 200);
    close.note(15_850, 15_050);
    assert.equal(close.estimate(1_000)?.bytesPerSecond, 1_000);
  });

  it('takes two notes of the same moment for what they are', () => {
    const meter = createRateMeter();
    for (const [bytes, at] of [
      [0, 0],
      [1_000, 4_000],
      [2_000, 4_000],
    ] as const)
      meter.note(bytes, at);
    assert.equal(meter.estimate(1_000)?.bytesPerSecond, 500);
  });

  it('admits when it becomes slower', () => {
    const meter = createRateMeter();
    for (let second = 0; second <= 15; second += 1) meter.note(second * 1_000, second * 1_000);
    assert.equal(meter.estimate(60_000)?.isSlower, false);
    for (let second = 16; second <= 40; second += 1) meter.note(15_000 + second, second * 1_000);
    assert.equal(meter.estimate(59_000)?.isSlower, true);
    assert.equal(meter.estimate(59_000)?.isSlower, false);
  });

  it('begins anew when the clock or the file goes back', () => {
    const meter = createRateMeter();
    meter.note(0, 0);
    meter.note(5_000, 5_000);
    meter.note(6_000, 1_000);
    assert.equal(meter.estimate(1), null);
    meter.note(9_000, 5_000);
    assert.equal(meter.estimate(750)?.secondsLeft, 1);
    meter.note(0, 6_000);
    assert.equal(meter.estimate(1), null);
  });
});

describe('rules', () => {
  const limits: Limits = { maxTotalBytes: 100, maxFiles: 2, permittedExtensions: [], blockedExtensions: ['exe'] };
  const file = (name: string, sizeBytes = 10) => ({ name, sizeBytes, modifiedAt: 1 });

  it('refuse empty files, doubles, types, too many and too much', () => {
    assert.deepEqual(refusalOf(file('a.txt', 0), [], limits), { is: 'empty' });
    assert.deepEqual(refusalOf(file('a.txt'), [file('a.txt')], limits), { is: 'duplicate' });
    assert.deepEqual(refusalOf(file('Setup.EXE'), [], limits), { is: 'type-blocked', extension: 'exe' });
    assert.deepEqual(refusalOf(file('setup.exe. .'), [], limits), { is: 'type-blocked', extension: 'exe' });
    assert.deepEqual(refusalOf(file('c'), [file('a'), file('b')], limits), { is: 'too-many', maxFiles: 2 });
    assert.deepEqual(refusalOf(file('b', 91), [file('a')], limits), {
      is: 'too-much',
      totalBytes: 101,
      maxTotalBytes: 100,
    });
    const only = { ...limits, permittedExtensions: ['pdf'] };
    assert.equal(refusalOf(file('README'), [], only)?.is, 'type-not-permitted');
    assert.equal(refusalOf(file('a.pdf'), [], only), null);
  });

  it('let the same name through when it is another file', () => {
    assert.equal(refusalOf(file('a.txt', 11), [file('a.txt')], limits), null);
    assert.equal(refusalOf(file('b.txt', 90), [file('a.txt')], limits), null);
  });

  it('know the last extension of the last part', () => {
    assert.deepEqual(['a.tar.GZ', 'x.y/README', '.profile', 'a.b\\c.d'].map(extensionOf), ['gz', '', '', 'd']);
  });
});

describe('the wire', () => {
  const response = (status: number, text = '', headers: Record<string, string> = {}) => ({
    status,
    text,
    header: (name: string) => headers[name] ?? null,
  });

  it('names pieces and uploads in the address, and hostile names stay one value', () => {
    assert.equal(pieceUrl('/up', 'a&b=c#d.txt', null, null), '/up?filename=a%26b%3Dc%23d.txt');
    assert.equal(
      pieceUrl('/up?key=1', 'ø\ud800', { number: 3, of: 9 }, 'id'),
      '/up?key=1&filename=%C3%B8%EF%BF%BD&chunks=9&chunk=3&upload_id=id',
    );
  });

  it('does not take the page of another network for an answer', () => {
    assert.equal(readPieceAnswer(response(200, '<html>Sign in to the hotel</html>')), null);
    assert.equal(readPieceAnswer(response(200, '')), null);
    assert.equal(readPieceAnswer(response(200, '{"attachment":{}}')), null);
    assert.deepEqual(readPieceAnswer(response(200, '', { 'upload-id': 'u' })), { uploadId: 'u', attachment: null });
  });

  it('knows what each status asks for', () => {
    const verdicts = { 200: 'taken', 401: 'signed-out', 404: 'gone', 413: 'too-large', 422: 'refused', 507: 'full' };
    const more = { 400: 'broken', 403: 'refused', 408: 'later', 409: 'refused', 410: 'refused', 429: 'later' };
    const servers = { 500: 'later', 502: 'later', 503: 'later', 504: 'later', 302: 'broken', 204: 'broken' };
    for (const [status, verdict] of Object.entries({ ...verdicts, ...more, ...servers })) {
      assert.equal(verdictOf(response(Number(status))).is, verdict, status);
    }
  });

  it('tells a rule from a session that is not the one of the request', () => {
    assert.equal(verdictOf(response(403, '{"errors":["Reload."],"code":"request.no_token"}')).is, 'signed-out');
    assert.equal(verdictOf(response(403, '{"errors":["No."],"code":"upload.not_yours"}')).is, 'refused');
  });

  it('tells a rule on size from a piece that did not fit', () => {
    const body = (code: string) => JSON.stringify({ errors: ['Too large.'], code });
    assert.equal(verdictOf(response(413, body('upload.piece_too_large'))).is, 'too-large');
    assert.deepEqual(verdictOf(response(413, body('message.too_large'))), { is: 'refused', sentence: 'Too large.' });
    assert.equal(verdictOf(response(413, '<html>nginx</html>')).is, 'too-large');
  });
});

describe('the plan of pieces', () => {
  it('covers every byte once, and stays within the number of pieces', () => {
    for (const size of [0, 1, 7, 8, 9, 100]) {
      const journey = beginJourney(size, 8);
      const ranges = Array.from({ length: journey.pieceCount }, (_, piece) => pieceRange(journey, piece, size));
      assert.equal(
        ranges.reduce((sum, { start, end }) => sum + end - start, 0),
        size,
      );
      assert.ok(ranges.every(({ start }, index) => start === (ranges[index - 1]?.end ?? 0)));
    }
    const huge = beginJourney(10 ** 12, 8 * 1024 * 1024);
    assert.ok(huge.pieceCount <= 10_000 && huge.pieceBytes * huge.pieceCount >= 10 ** 12);
  });
});
