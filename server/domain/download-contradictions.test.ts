import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ComparedLine, compareLine } from './download-contradictions.ts';

type Request = ComparedLine['requests'][number];
const request = {
  outcome: 'complete',
  rangeStart: 0,
  rangeEnd: 10,
  takenBytes: 10,
  startedAt: 0,
  endedAt: 5,
} as Request;
const line: ComparedLine = {
  ownerId: 'alice',
  number: 1,
  attachmentId: 'file',
  target: { kind: 'link', id: 'link' },
  recipient: '',
  outcome: 'complete',
  grantedAt: 0,
  finishedAt: 5,
  bytes: 10,
  bodyStart: 0,
  sizeBytes: 10,
  ip: '',
  requests: [request],
};
const compared = (more: Partial<ComparedLine>, ...requests: Partial<Request>[]) =>
  compareLine({ ...line, ...more, requests: requests.map((each) => ({ ...request, ...each })) });

test('a line has the distinct bytes of its file from all of its requests', () => {
  assert.equal(compareLine(line), null);
  const parts = [
    { rangeEnd: 6, takenBytes: 6 },
    { rangeStart: 4, takenBytes: 6 },
  ];
  assert.equal(compared({}, ...parts), null);
  assert.equal(compared({ bodyStart: 8, sizeBytes: 2, bytes: 2 }, ...parts), null, 'a file of an archive');
  assert.equal(compared({ bytes: 9, outcome: 'partial' }, ...parts), 'bytes');
  assert.equal(compared({ bytes: 9 }, ...parts), 'outcome');
});

test('a line whose requests still run, or that an earlier version wrote, says what it says', () => {
  assert.equal(
    compared({ bytes: 3, outcome: 'granted', finishedAt: null }, { outcome: 'running', endedAt: null }),
    null,
  );
  assert.equal(compared({ bytes: 3, outcome: 'partial' }), null);
});

test('a refunded line has refunded requests only, no bytes and no end', () => {
  const refunded = { outcome: 'refunded', takenBytes: 0 } as const;
  const none = { outcome: 'refunded', bytes: 0, finishedAt: null } as const;
  assert.equal(compared(none, refunded, refunded), null);
  assert.equal(compared({ ...none, bytes: 1 }, refunded), 'bytes');
  assert.equal(compared(none, refunded, {}), 'outcome');
  assert.equal(compared({ bytes: 0, outcome: 'partial' }, refunded), 'outcome');
});

test('a line ends while one of its requests runs or ends', () => {
  assert.equal(compared({ finishedAt: null }, {}), 'ended_at');
  assert.equal(compared({ finishedAt: 60_005 }, {}), null);
  assert.equal(compared({ finishedAt: 60_006 }, {}), 'ended_at');
});
