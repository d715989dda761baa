// Statements about the download log, with boundary cases beside the selected rows.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { DownloadsTable, Query } from '../schema/schema.ts';
import {
  type DownloadScope,
  endWaiting,
  findLastDownloads,
  joinDelivered,
  listDownloadsByNumber,
  listNewestOfLink,
  logProgress,
  nameHosts,
  readDownloadPages,
  refundLines,
  takeDownloadNumbers,
} from './downloads.ts';

const line: Partial<DownloadsTable> = {
  owner_id: 'alice',
  number: 7,
  attachment_id: 'file',
  message_id: 'message',
  link_id: 'link',
  recipient: 'bob@example.org',
  outcome: 'granted',
  granted_at: 10,
};
const among = (right: Partial<DownloadsTable>, wrong: Among<'downloads'>['wrong']): Among<'downloads'> => ({
  table: 'downloads',
  right: { ...line, ...right },
  wrong,
});

const numbers = (found: { number: number }[]) => found.map(({ number }) => number);
const read = (scope: Omit<DownloadScope, 'ownerId'>) => async (db: Query) => {
  const pages: number[][] = [];
  for await (const page of readDownloadPages(db, { ownerId: 'alice', ...scope })) pages.push(numbers(page));
  return pages;
};
const file = ({ keys }: Query) => ({ id: 'file', name_sealed: keys.sealText('name', 'plan.pdf', 'file') });

describe('Lines of a ticket', () => {
  const rows = useRows();
  const lines = { ownerId: 'alice', first: 6, count: 2 };
  const others = { owner_id: 'bob', number: [5, 8] };

  test('get numbers of their owner', async () => {
    const user: Among<'users'> = {
      table: 'users',
      right: { id: 'alice', download_number: 5 },
      wrong: { id: 'bob' },
    };
    const take = (tx: Parameters<typeof takeDownloadNumbers>[0]) =>
      takeDownloadNumbers(tx, 'alice', 2).catch(() => null);
    await rows.changes(user, take, { download_number: 7 });
    await rows.finds(user, take, 6);
  });

  test('are no downloads when nothing was delivered', async () => {
    await rows.changes(among({}, others), (tx) => refundLines(tx, lines), { outcome: 'refunded' });
  });

  test('get the name of a machine where they have none', async () => {
    const nameless = among({}, { ...others, remote_host: 'known.example.org' });
    await rows.changes(nameless, (tx) => nameHosts(tx, lines, 'host.example.org'), { remote_host: 'host.example.org' });
  });

  test('end while they wait', async () => {
    const waiting = among({}, { ...others, outcome: ['complete', 'partial', 'cut', 'refunded'] });
    await rows.changes(waiting, (tx) => endWaiting(tx, lines, 'cut', 9), { outcome: 'cut', finished_at: 9 });
  });

  test('have on the first what was delivered', async () => {
    const first = among({ number: 6, delivered: '0-3' }, { owner_id: 'bob', number: [5, 7] });
    const join = (start: number, end: number) => (tx: Parameters<typeof joinDelivered>[0]) =>
      joinDelivered(tx, lines, { start, end }, 10);
    await rows.changes(first, join(3, 5), { delivered: '0-5' });
    await rows.changes(first, join(3, 10), { delivered: 'all' });
    await rows.changes(first, join(0, 10), { delivered: 'all' });
    const whole = among({ number: 6, delivered: 'all' }, {});
    await rows.changes(whole, join(3, 5), {});
    assert.deepEqual(await join(3, 5)(rows.db), [{ start: 0, end: 10 }], 'what was whole stays whole');
  });

  test('have each what was delivered of its file', async () => {
    const one = among({ sent_bytes: 2, duration_ms: 3 }, { owner_id: 'bob', number: 8 });
    const progress = { deliveredBytes: 9, durationMs: 4, sizeBytes: 9, outcome: 'cut', now: 5, isWhole: true } as const;
    const log = (deliveredBytes: number) => (tx: Parameters<typeof logProgress>[0]) =>
      logProgress(tx, { ownerId: 'alice', number: 7 }, { ...progress, deliveredBytes });
    const becomes = { sent_bytes: 9, duration_ms: 7, finished_at: 5, delivered: 'all' };
    await rows.changes(one, log(9), { ...becomes, outcome: 'complete' });
    await rows.changes(one, log(8), { ...becomes, sent_bytes: 8, outcome: 'cut' });
    await rows.finds(one, log(9), { isComplete: true });
  });
});

describe('The log', () => {
  const rows = useRows();
  before(() => rows.put('attachments', file(rows.db)));

  test('has the downloads of one owner that were not refunded, optionally of one link or message', async () => {
    const wrong: Among<'downloads'>['wrong'] = { owner_id: 'bob', outcome: 'refunded' };
    await rows.finds(among({}, wrong), read({}), [[7]]);
    await rows.finds(among({}, { ...wrong, link_id: ['other', null] }), read({ linkId: 'link' }), [[7]]);
    await rows.finds(among({}, { ...wrong, message_id: ['other', null] }), read({ messageId: 'message' }), [[7]]);
    await rows.finds(among({}, { ...wrong, granted_at: 9 }), read({ grantedAfter: 10 }), [[7]]);
  });

  test('leaves out what a clock that was wrong has put between', async () => {
    const at = (number: number, granted_at: number, owner_id = 'alice') => ({ ...line, number, granted_at, owner_id });
    rows.put('downloads', at(1, 9), at(2, 10), at(3, 8), at(4, 11), at(1, 10, 'bob'));
    assert.deepEqual(await read({ grantedAfter: 10 })(rows.db), [[2, 4]]);
  });

  test('has downloads of one owner by number', async () => {
    const one = among({}, { owner_id: 'bob', number: 8 });
    await rows.finds(one, async (db) => numbers(await listDownloadsByNumber(db, 'alice', [7])), [7]);
  });

  test('has the newest downloads of a link, newest first', async () => {
    const list = async (db: Query) => numbers(await listNewestOfLink(db, 'alice', 'link', 3));
    await rows.finds(among({}, { owner_id: 'bob', link_id: ['other', null], outcome: 'refunded' }), list, [7]);
    rows.put('downloads', ...[2, 4, 1, 3].map((number) => ({ ...line, number })));
    assert.deepEqual(await list(rows.db), [4, 3, 2]);
  });

  test('reports when a person last downloaded each file of a message completely', async () => {
    const wrong: Among<'downloads'>['wrong'] = { message_id: 'other', recipient: '', outcome: ['granted', 'cut'] };
    const whole = among({ outcome: 'complete' }, wrong);
    const find = async (db: Query) => [...(await findLastDownloads(db, 'message', 'bob@example.org'))];
    await rows.finds(whole, find, [['file', 10]]);
  });
});

describe('The whole log', () => {
  // SQLite finds downloads by owner and number, so rows inserted in order would hide a missing `order by`.
  const rows = useRows({ isReversed: true });
  before(() => rows.put('attachments', file(rows.db)));

  test('comes in pages of a hundred, oldest first', async () => {
    const count = 101;
    rows.put(
      'downloads',
      ...Array.from({ length: count }, (_, index) => ({ ...line, number: ((index * 7) % count) + 1 })),
    );
    const [first, second] = await read({})(rows.db);
    assert.deepEqual(
      first,
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
    assert.deepEqual(second, [101]);
  });
});
