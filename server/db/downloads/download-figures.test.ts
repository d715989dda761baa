// Sums over the download log, with boundary cases beside the selected rows.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import { quarterMs } from '../../domain/download-sums.ts';
import type { Query } from '../schema/schema.ts';
import {
  countPerQuarter,
  countSlice,
  findInstantAfter,
  findLinkDownloads,
  findNumberAfter,
  type LogFilter,
  listLogNumbers,
  listLogNumbersAfter,
  listSlicePeople,
  sumSlice,
  sumSliceByFile,
} from './download-figures.ts';

const whole: LogFilter = {
  ownerId: 'alice',
  from: 5,
  to: 9,
  attachmentId: null,
  recipient: null,
  messageId: null,
  linkId: null,
  countryCode: null,
  platform: null,
};
const line: Among<'downloads'> = {
  table: 'downloads',
  right: {
    owner_id: 'alice',
    number: 3,
    granted_at: 8,
    outcome: 'complete',
    attachment_id: 'file',
    recipient: 'b@one',
    message_id: 'message',
    link_id: 'link',
    country_code: 'CH',
    platform: 'phone',
  },
  wrong: { owner_id: 'bob', outcome: 'refunded', granted_at: [4, 9] },
};
const made = (number: number, granted_at: number) => ({ ...line.right, number, granted_at });

describe('Lines of the download log', () => {
  const rows = useRows();
  const count = (filter: Partial<LogFilter>, afterNumber = 0, toNumber: number | null = null) => {
    const slice = { ...whole, ...filter, afterNumber, toNumber };
    return (db: Query) => countSlice(db, slice);
  };

  test('are those of an owner within a time, but for downloads that were given back', async () => {
    await rows.finds(line, count({}), 1);
    await rows.finds(line, (db) => sumSlice(db, { ...whole, afterNumber: 0, toNumber: null }, 0), [
      { day: 0, countryCode: 'CH', platform: 'phone', downloads: 1, bytes: 0, located: 0, latitude: 0, longitude: 0 },
    ]);
    const byFile = [{ attachmentId: 'file', downloads: 1, bytes: 0 }];
    await rows.finds(line, (db) => sumSliceByFile(db, { ...whole, afterNumber: 0, toNumber: null }), byFile);
  });

  test('are those with what was filtered by', async () => {
    await rows.finds({ ...line, wrong: { attachment_id: 'other' } }, count({ attachmentId: 'file' }), 1);
    await rows.finds({ ...line, wrong: { recipient: ['', 'b@two'] } }, count({ recipient: '@one' }), 1);
    const unknown = { ...line, right: { ...line.right, recipient: '' }, wrong: { recipient: 'b@one' } };
    await rows.finds(unknown, count({ recipient: '' }), 1);
    await rows.finds({ ...line, wrong: { message_id: ['other', null] } }, count({ messageId: 'message' }), 1);
    await rows.finds({ ...line, wrong: { link_id: ['other', null] } }, count({ linkId: 'link' }), 1);
    await rows.finds({ ...line, wrong: { country_code: 'DE' } }, count({ countryCode: 'CH' }), 1);
    await rows.finds({ ...line, wrong: { platform: 'tablet' } }, count({ platform: 'phone' }), 1);
  });

  test('of a message or link are cut by number', async () => {
    await rows.finds({ ...line, wrong: { number: [2, 4] } }, count({ linkId: 'link' }, 2, 3), 1);
    await rows.finds({ ...line, wrong: { number: 2 } }, count({ linkId: 'link' }, 2), 1);
  });

  test('count different known addresses', async () => {
    const people = (db: Query) => listSlicePeople(db, { ...whole, afterNumber: 0, toNumber: null });
    await rows.finds({ ...line, wrong: { ...line.wrong, recipient: '' } }, people, ['b@one']);
  });

  test('of a link are counted, and for each quarter of an hour since an instant', async () => {
    const ofLink: Among<'downloads'> = { ...line, wrong: { outcome: 'refunded', link_id: ['other', null] } };
    const all = async (db: Query) => [...(await findLinkDownloads(db, ['link', 'next']))];
    await rows.finds(ofLink, all, [['link', { count: 1, lastAt: 8 }]]);
    const quarters = (db: Query) => countPerQuarter(db, 'link', 8);
    await rows.finds({ ...ofLink, wrong: { ...ofLink.wrong, granted_at: 7 } }, quarters, [
      { quarter: 0, downloads: 1 },
    ]);
  });
});

describe('Pages of the download log', () => {
  const rows = useRows({ isReversed: true });
  // Inserted in an order that no query asks for.
  before(async () => {
    await sql`create index backwards on downloads (owner_id, granted_at, number desc)`.execute(rows.db);
    await sql`create index quarters on downloads (link_id, granted_at / ${sql.lit(quarterMs)} desc)`.execute(rows.db);
  });
  const narrow = { ...whole, linkId: 'link' };
  const put = () => rows.put('downloads', made(2, 8), made(4, 6), made(1, 7), made(3, 6), made(5, 5));

  test('go by time and number, or by number within a message or link', async () => {
    put();
    const page = { offset: 1, limit: 3 };
    assert.deepEqual(await listLogNumbers(rows.db, whole, 'asc', page), [3, 4, 1]);
    assert.deepEqual(await listLogNumbers(rows.db, whole, 'desc', page), [1, 4, 3]);
    assert.deepEqual(await listLogNumbers(rows.db, narrow, 'asc', page), [2, 3, 4]);
    assert.deepEqual(await listLogNumbers(rows.db, narrow, 'desc', page), [4, 3, 2]);
  });

  test('continue after a download', async () => {
    put();
    const after = async (filter: LogFilter, number: number) => {
      const found = await listLogNumbersAfter(rows.db, filter, { grantedAt: 6, number }, 2);
      return found.map((one) => one.number);
    };
    assert.deepEqual(await after(whole, 3), [4, 1]);
    assert.deepEqual(await after(whole, 2), [3, 4]);
    assert.deepEqual(await after(narrow, 2), [3, 4]);
  });

  test('are split at the instant or number of a later download', async () => {
    put();
    assert.equal(await findInstantAfter(rows.db, whole, 3), 7);
    assert.equal(await findInstantAfter(rows.db, whole, 5), null);
    assert.equal(await findNumberAfter(rows.db, narrow, 2, 1), 4);
    assert.equal(await findNumberAfter(rows.db, narrow, 2, 3), null);
  });

  test('are split among downloads of the owner within the span, or of the message or link', async () => {
    const { outcome: _, ...wrong } = line.wrong;
    await rows.finds({ ...line, wrong }, (db) => findInstantAfter(db, whole, 0), 8);
    const ofLink = { ...line, wrong: { number: 2, link_id: ['other', null] } };
    await rows.finds(ofLink, (db) => findNumberAfter(db, narrow, 2, 0), 3);
    const ofMessage = { ...line, wrong: { number: 2, message_id: ['other', null] } };
    await rows.finds(ofMessage, (db) => findNumberAfter(db, { ...whole, messageId: 'message' }, 2, 0), 3);
  });

  test('of a link have the quarters of an hour in order', async () => {
    rows.put('downloads', made(1, 2 * quarterMs), made(2, quarterMs), made(3, 10 * quarterMs), made(4, quarterMs));
    assert.deepEqual(await countPerQuarter(rows.db, 'link', 5), [
      { quarter: 1, downloads: 2 },
      { quarter: 2, downloads: 1 },
      { quarter: 10, downloads: 1 },
    ]);
  });
});
