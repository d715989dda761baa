import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DownloadRecord, type ReachCandidate, reachedIn, summarizeDownloads, summarizeReach } from './exposure.ts';
import { maxListed } from './statements.ts';

const file = (attachmentId: string, removedAt: number | null = null, sizeBytes = 10) => ({
  attachmentId,
  sizeBytes,
  removedAt,
});
const candidate = (more: Partial<ReachCandidate> = {}): ReachCandidate => ({
  id: 'a',
  kind: 'message',
  way: 'own',
  ownerId: 'o',
  address: '',
  open: [{ from: 0, to: 100 }],
  access: [{ from: 0, to: 100 }],
  isOpenNow: false,
  files: [file('f')],
  ...more,
});

describe('what was reachable', () => {
  const within = { from: 10, to: 50 };

  it('is what a person with access could open within the span, with that time', () => {
    const spansOf = (more: Partial<ReachCandidate>) =>
      reachedIn([candidate(more)], within).map(({ from, until }) => [from, until]);
    assert.deepEqual(spansOf({}), [[10, 50]]);
    assert.deepEqual(spansOf({ open: [{ from: 20, to: 30 }] }), [[20, 30]]);
    assert.deepEqual(
      spansOf({
        access: [
          { from: 12, to: 14 },
          { from: 20, to: 30 },
        ],
      }),
      [[12, 30]],
    );
    assert.deepEqual(spansOf({ open: [{ from: 0, to: 10 }] }), []);
    assert.deepEqual(spansOf({ open: [{ from: 50, to: 60 }] }), []);
    assert.deepEqual(spansOf({ open: [{ from: 20, to: 30 }], access: [{ from: 30, to: 40 }] }), []);
  });

  it('has the files that were in it at some moment of the span', () => {
    const files = [file('stays'), file('later', 11), file('at the beginning', 10), file('before', 9)];
    const [reached] = reachedIn([candidate({ files })], within);
    assert.deepEqual(
      reached!.files.map(({ attachmentId }) => attachmentId),
      ['stays', 'later'],
    );
  });

  it('counts a transfer once however it was reached, as open if it is so in one way, and each file once', () => {
    const reached = reachedIn(
      [
        candidate({ way: 'own', isOpenNow: true }),
        candidate({ way: 'received', isOpenNow: false }),
        candidate({ id: 'b', files: [file('f'), file('g', null, 7)], isOpenNow: false }),
      ],
      within,
    );
    const { list, ...counts } = summarizeReach(reached);
    assert.deepEqual(counts, { transfers: 2, files: 2, bytes: 17, closed: 1, open: 1 });
    assert.equal(list.length, 3);
  });

  it('is open when it is so in one of the ways it was reached', () => {
    for (const ways of [
      [true, false],
      [false, true],
      [true, true],
      [false, false],
    ]) {
      const reached = reachedIn(
        ways.map((isOpenNow) => candidate({ id: 'same', isOpenNow })),
        within,
      );
      const { transfers, open, closed } = summarizeReach(reached);
      const isOpen = ways.includes(true);
      assert.deepEqual([transfers, open, closed], [1, isOpen ? 1 : 0, isOpen ? 0 : 1], String(ways));
    }
  });

  it('is listed from the earliest on, by id where that is the same, and no further than the limit', () => {
    const reached = reachedIn(
      [
        candidate({ id: 'late', open: [{ from: 30, to: 40 }] }),
        candidate({ id: 'b', open: [{ from: 20, to: 40 }] }),
        candidate({ id: 'a', open: [{ from: 20, to: 40 }] }),
      ],
      within,
    );
    assert.deepEqual(
      summarizeReach(reached).list.map(({ id }) => id),
      ['a', 'b', 'late'],
    );
    const many = Array.from({ length: maxListed + 1 }, (_, number) => candidate({ id: `${number}` }));
    const summary = summarizeReach(reachedIn(many, within));
    assert.deepEqual([summary.transfers, summary.list.length], [maxListed + 1, maxListed]);
  });
});

describe('what was downloaded', () => {
  const departure = (more: Partial<DownloadRecord>): DownloadRecord => ({
    ownerId: 'o',
    number: 1,
    kind: 'message',
    targetId: 't',
    attachmentId: 'f',
    sha256: '',
    sizeBytes: 10,
    bytes: 10,
    recipient: 'r@example.org',
    isByOwner: false,
    ip: '192.0.2.1',
    at: 1,
    endedAt: null,
    atMostBytes: null,
    totalBytes: more.bytes ?? 10,
    requests: [],
    moreRequests: 0,
    ...more,
  });

  it('is counted by download, file and byte, and listed by address and network, the most first', () => {
    const summary = summarizeDownloads([
      departure({}),
      departure({ attachmentId: 'g', bytes: 5 }),
      departure({ ip: '192.0.2.2', bytes: 30 }),
      departure({ recipient: 'a@example.org', bytes: 15 }),
    ]);
    assert.deepEqual([summary.downloads, summary.files, summary.bytes], [4, 2, 60]);
    assert.deepEqual(summary.to, [
      { address: 'r@example.org', ip: '192.0.2.2', downloads: 1, bytes: 30 },
      { address: 'a@example.org', ip: '192.0.2.1', downloads: 1, bytes: 15 },
      { address: 'r@example.org', ip: '192.0.2.1', downloads: 2, bytes: 15 },
    ]);
  });

  it('is listed no further than the limit', () => {
    const summary = summarizeDownloads(
      Array.from({ length: maxListed + 1 }, (_, number) => departure({ ip: `${number}` })),
    );
    assert.deepEqual(
      [summary.downloads, summary.to.length, summary.list.length],
      [maxListed + 1, maxListed, maxListed],
    );
  });
});
