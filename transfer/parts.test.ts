import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { crc32 as zlibCrc32 } from 'node:zlib';
import { backoffMs, retryAfterMs } from './backoff.ts';
import { crc32, crc32Text } from './crc32.ts';
import { createRateMeter } from './rate.ts';
import { extensionOf, type Limits, refusalOf } from './rules.ts';
import { chunkRange, createUpload } from './upload.ts';
import { chunkUrl, readChunkAnswer, verdictOf } from './wire.ts';

describe('CRC-32', () => {
  it('agrees with zlib for all lengths and splits', () => {
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
  it('grow, are jittered, and are at most 30 seconds', () => {
    const least = [1, 2, 3, 6, 50].map((failures) => backoffMs(failures, () => 0));
    const most = [1, 2, 3, 6, 50].map((failures) => backoffMs(failures, () => 0.999999));
    assert.deepEqual(least, [500, 1_000, 2_000, 15_000, 15_000]);
    assert.deepEqual(most.map(Math.round), [1_000, 2_000, 4_000, 30_000, 30_000]);
  });

  it('follow Retry-After up to a limit and ignore invalid values', () => {
    assert.equal(retryAfterMs('7'), 7_000);
    assert.equal(retryAfterMs('86400'), 300_000);
    for (const header of [null, '', 'soon', '-1', '1e9']) assert.equal(retryAfterMs(header), null);
  });
});

describe('the speed estimate', () => {
  it('is not given for the first three seconds', () => {
    const meter = createRateMeter();
    meter.note(0, 0);
    meter.note(2_000, 2_000);
    assert.equal(meter.estimate(1_000), null);
    meter.note(3_000, 3_000);
    assert.deepEqual(meter.estimate(1_000), { bytesPerSecond: 1_000, secondsLeft: 1, isSlower: false });
  });

  it('keeps two points, however far apart', () => {
    const meter = createRateMeter();
    meter.note(0, 0);
    meter.note(1_000, 20_000);
    assert.equal(meter.estimate(1_000)?.bytesPerSecond, 50);
  });

  it('drops the oldest of three distant points, and merges close points', () => {
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

  it('accepts two points with the same time', () => {
    const meter = createRateMeter();
    for (const [bytes, at] of [
      [0, 0],
      [1_000, 4_000],
      [2_000, 4_000],
    ] as const)
      meter.note(bytes, at);
    assert.equal(meter.estimate(1_000)?.bytesPerSecond, 500);
  });

  it('reports when it becomes slower', () => {
    const meter = createRateMeter();
    for (let second = 0; second <= 15; second += 1) meter.note(second * 1_000, second * 1_000);
    assert.equal(meter.estimate(60_000)?.isSlower, false);
    for (let second = 16; second <= 40; second += 1) meter.note(15_000 + second, second * 1_000);
    assert.equal(meter.estimate(59_000)?.isSlower, true);
    assert.equal(meter.estimate(59_000)?.isSlower, false);
  });

  it('restarts when the clock or the file goes back', () => {
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

  it('refuse empty files, duplicates, file types, too many files and too many bytes', () => {
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

  it('allow the same name for a different file', () => {
    assert.equal(refusalOf(file('a.txt', 11), [file('a.txt')], limits), null);
    assert.equal(refusalOf(file('b.txt', 90), [file('a.txt')], limits), null);
  });

  it('use the last extension of the file name', () => {
    assert.deepEqual(['a.tar.GZ', 'x.y/README', '.profile', 'a.b\\c.d'].map(extensionOf), ['gz', '', '', 'd']);
  });
});

describe('the upload protocol', () => {
  const response = (status: number, text = '', headers: Record<string, string> = {}) => ({
    status,
    text,
    header: (name: string) => headers[name] ?? null,
  });

  it('puts chunk and upload into the URL and encodes hostile file names', () => {
    assert.equal(chunkUrl('/up', 'a&b=c#d.txt', null, null), '/up?filename=a%26b%3Dc%23d.txt');
    assert.equal(
      chunkUrl('/up?key=1', 'ø\ud800', { number: 3, of: 9 }, 'id'),
      '/up?key=1&filename=%C3%B8%EF%BF%BD&chunks=9&chunk=3&upload_id=id',
    );
  });

  it('does not accept the page of a captive portal as a response', () => {
    assert.equal(readChunkAnswer(response(200, '<html>Sign in to the hotel</html>')), null);
    assert.equal(readChunkAnswer(response(200, '')), null);
    assert.equal(readChunkAnswer(response(200, '{"attachment":{}}')), null);
    assert.deepEqual(readChunkAnswer(response(200, '', { 'upload-id': 'u' })), { uploadId: 'u', attachment: null });
  });

  it('maps each status to a verdict', () => {
    const verdicts = { 200: 'accepted', 401: 'signed-out', 404: 'gone', 413: 'too-large', 422: 'refused', 507: 'full' };
    const more = { 400: 'unexpected', 403: 'refused', 408: 'retry', 409: 'refused', 410: 'refused', 429: 'retry' };
    const servers = { 500: 'retry', 502: 'retry', 503: 'retry', 504: 'retry', 302: 'unexpected', 204: 'unexpected' };
    for (const [status, verdict] of Object.entries({ ...verdicts, ...more, ...servers })) {
      assert.equal(verdictOf(response(Number(status))).is, verdict, status);
    }
  });

  it('distinguishes a rule from a changed session', () => {
    assert.equal(verdictOf(response(403, '{"errors":["Reload."],"code":"request.no_token"}')).is, 'signed-out');
    assert.equal(verdictOf(response(403, '{"errors":["No."],"code":"upload.not_yours"}')).is, 'refused');
  });

  it('distinguishes a size rule from a chunk that is too large', () => {
    const body = (code: string) => JSON.stringify({ errors: ['Too large.'], code });
    assert.equal(verdictOf(response(413, body('upload.piece_too_large'))).is, 'too-large');
    assert.deepEqual(verdictOf(response(413, body('message.too_large'))), { is: 'refused', sentence: 'Too large.' });
    assert.equal(verdictOf(response(413, '<html>nginx</html>')).is, 'too-large');
  });
});

describe('the division into chunks', () => {
  it('covers every byte once, and stays within the number of chunks', () => {
    for (const size of [0, 1, 7, 8, 9, 100]) {
      const upload = createUpload(size, 8);
      const ranges = Array.from({ length: upload.chunkCount }, (_, chunk) => chunkRange(upload, chunk, size));
      assert.equal(
        ranges.reduce((sum, { start, end }) => sum + end - start, 0),
        size,
      );
      assert.ok(ranges.every(({ start }, index) => start === (ranges[index - 1]?.end ?? 0)));
    }
    const huge = createUpload(10 ** 12, 8 * 1024 * 1024);
    assert.ok(huge.chunkCount <= 10_000 && huge.chunkBytes * huge.chunkCount >= 10 ** 12);
  });
});
