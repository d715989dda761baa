import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { InFlight } from '../../lib/rate-limit.ts';
import { createLimits } from './limits.ts';
import { createMeters } from './meters.ts';

describe('limits in memory', () => {
  const limits = createLimits({ apiRatePerMinute: 6000, meters: createMeters() });

  test('of uploads, downloads and streams, this many run in parallel', () => {
    const admitted = (limit: InFlight) => {
      let count = 0;
      while (limit.enter('a') !== null) count++;
      return count;
    };
    assert.deepEqual(
      {
        uploadsByKey: admitted(limits.uploadsByKey),
        uploadsByAddress: admitted(limits.uploadsByAddress),
        uploadsFromOutside: admitted(limits.uploadsFromOutside),
        downloadsByLink: admitted(limits.downloadsByLink),
        downloadsByAddress: admitted(limits.downloadsByAddress),
        eventStreams: admitted(limits.eventStreams),
      },
      {
        uploadsByKey: 128,
        uploadsByAddress: 256,
        uploadsFromOutside: 8,
        downloadsByLink: 1000,
        downloadsByAddress: 256,
        eventStreams: 6,
      },
    );
  });

  test('20 unknown keys a minute are checked, then none for 5 minutes', () => {
    for (let count = 0; count < 20; count++) assert.equal(limits.wrongKeys.hit('a', 59_999).ok, true);
    assert.deepEqual(limits.wrongKeys.hit('a', 59_999), { ok: false, retryAfterSeconds: 300 });
    assert.equal(limits.wrongKeys.hit('a', 59_999 + 299_999).ok, false);
    for (let count = 0; count < 20; count++) limits.wrongKeys.hit('b', 0);
    assert.equal(limits.wrongKeys.hit('b', 60_000).ok, true, 'a minute later the old ones do not count');
  });

  test('an untrusted proxy causes one warning an hour', () => {
    assert.equal(limits.proxyWarnings.hit('a', 0).ok, true);
    assert.equal(limits.proxyWarnings.hit('a', 3_599_999).ok, false);
    assert.equal(limits.proxyWarnings.hit('a', 3_600_000).ok, true);
  });

  test('calls may come in bursts of a sixth of a minute’s limit, at least 1,000, at most the whole minute’s', () => {
    for (const [perMinute, burst] of [
      [6000, 1000],
      [12_000, 2000],
      [3000, 1000],
      [60, 60],
    ] as const) {
      const bucket = createLimits({ apiRatePerMinute: perMinute, meters: createMeters() }).apiCalls!;
      let count = 0;
      while (bucket.take('a', 0).ok) count++;
      assert.equal(count, burst, `${perMinute} a minute`);
    }
    assert.equal(createLimits({ apiRatePerMinute: 0, meters: createMeters() }).apiCalls, null);
  });

  test('a network may start 2,000 downloads in a burst, and per minute a tenth of the calls of a key', () => {
    const bucket = limits.downloadRequests!;
    const takenAt = (now: number) => {
      let count = 0;
      while (bucket.take('a', now).ok) count++;
      return count;
    };
    assert.equal(takenAt(0), 2000);
    assert.equal(takenAt(60_000), 600);
    assert.equal(createLimits({ apiRatePerMinute: 0, meters: createMeters() }).downloadRequests, null);
  });
});
