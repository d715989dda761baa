import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { distinctBytes, listedRequests, maxListedRequests, requestedOf } from './download-requests.ts';
import type { DownloadRequest } from './downloads.ts';

const request = (rangeStart: number, rangeEnd: number, more: Partial<DownloadRequest> = {}): DownloadRequest => ({
  ownerId: 'alice',
  number: 1,
  request: 1,
  files: 1,
  startedAt: 0,
  endedAt: 1,
  outcome: 'complete',
  rangeStart,
  rangeEnd,
  takenBytes: rangeEnd - rangeStart,
  atMostBytes: null,
  progressAt: null,
  servedBy: '',
  ip: '192.0.2.1',
  agent: '',
  apiKeyId: '',
  proofKind: '',
  proofId: '',
  ...more,
});

describe('Requests for bytes of a file', () => {
  const file = { bodyStart: 100, sizeBytes: 50 };

  test('have distinct bytes and all bytes of the file, without those of others in an archive', () => {
    const { bytes, totalBytes, atMostBytes, requests } = requestedOf(file, [request(0, 120), request(110, 200)]);
    assert.deepEqual([bytes, totalBytes, atMostBytes], [50, 60, null]);
    assert.deepEqual(
      requests.map((one) => one.bytes),
      [20, 40],
    );
    assert.equal(distinctBytes(requests), 50);
    assert.equal(distinctBytes(requests.slice(1)), 40);
  });

  test('that did not reach it are left out; an empty file is reached at its place', () => {
    const reaching = (from: number, to: number, place = file) =>
      requestedOf(place, [request(from, to)]).requests.length;
    assert.deepEqual([reaching(0, 100), reaching(0, 101), reaching(149, 150), reaching(150, 160)], [0, 1, 1, 0]);
    const empty = { bodyStart: 100, sizeBytes: 0 };
    assert.deepEqual([reaching(0, 99, empty), reaching(0, 100, empty), reaching(101, 110, empty)], [0, 1, 0]);
  });

  test('that crashed may have handed over more', () => {
    const crashed = request(100, 150, { outcome: 'crashed', takenBytes: 10, atMostBytes: 50 });
    const { bytes, atMostBytes, requests } = requestedOf(file, [crashed]);
    assert.deepEqual([bytes, atMostBytes, requests[0]!.atMostBytes], [10, 50, 50]);
    assert.equal(requestedOf(file, [crashed, request(100, 150)]).atMostBytes, null, 'another one handed over all');
  });

  test('are listed up to a limit, and counted beyond', () => {
    const many = Array.from({ length: maxListedRequests + 2 }, (_, index) => request(100 + (index % 50), 150));
    for (const found of [requestedOf(file, many), requestedOf(file, many, Number.POSITIVE_INFINITY)]) {
      const { requests, more_requests } = listedRequests(found);
      assert.deepEqual([requests.length, more_requests, found.bytes], [maxListedRequests, 2, 50]);
    }
  });
});
