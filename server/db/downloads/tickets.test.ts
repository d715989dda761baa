import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import { ownUse, type Ticket } from '../../domain/downloads.ts';
import { deleteExpiredTickets } from './ticket-expiry.ts';
import {
  allowServing,
  countUnsettled,
  findLatestTicket,
  findVisitorDownloads,
  finishServing,
  listInterrupted,
  resetTicket,
  retiredBytes,
  retireTicket,
  startTicket,
} from './tickets.ts';

const idHash = Buffer.from('ticket');
const other = Buffer.from('other');

const ticket: Ticket = {
  idHash,
  attachmentId: 'file',
  isArchive: false,
  ownerId: 'alice',
  linkId: 'link',
  messageId: null,
  recipient: '',
  kind: 'visitor',
  identity: '',
  accountId: null,
  visitorHash: null,
  network: '',
  passwordVersion: 1,
  issuedAt: 0,
  expiresAt: 200,
  servedBytes: 0,
  unsettled: 0,
};

const nameOf = (found: Ticket | undefined) => found && Buffer.from(found.idHash).toString();

describe('Bytes are granted', () => {
  const rows = useRows();
  const served: Among<'tickets'> = {
    table: 'tickets',
    right: {
      id_hash: idHash,
      attachment_id: 'file',
      owner_id: 'alice',
      link_id: 'link',
      kind: 'visitor',
      expires_at: 101,
      download_number: 7,
      password_version: 1,
    },
    wrong: {
      id_hash: other,
      attachment_id: 'gone',
      owner_id: 'bob',
      link_id: 'ended',
      expires_at: 100,
      download_number: 8,
      password_version: 0,
      served_bytes: 91,
      account_id: 'bob',
    },
  };
  const link = { id: 'link', state: 'active', expires_at: 101, password_version: 1, password_hash: 'secret' } as const;
  const serve = (isHome: boolean) =>
    allowServing(rows.db, ticket, { bytes: 10, mostBytes: 100, use: { ...ownUse, isHome } }, 100);
  const prepare = () => {
    rows.put('users', { id: 'alice', state: 'active' });
    rows.put('attachments', { id: 'file', state: 'ready' });
    rows.put('file_links', link, { ...link, id: 'ended', state: 'deleted' });
    rows.put('downloads', { owner_id: 'alice', number: 8, delivered: 'all' });
  };

  test('under a ticket that has not expired, of a file that is there, with the password of now', async () => {
    prepare();
    await rows.changes(served, () => serve(true), { served_bytes: 10, unsettled: 1 });
    await rows.finds(served, () => serve(true), { begun: { number: 7, grantedAt: 100 } });
  });

  test('in other hands only where nothing but the address is needed', async () => {
    prepare();
    rows.put('tickets', served.right);
    assert.equal(await serve(false), null);
    rows.put('file_links', { ...link, password_hash: null });
    assert.deepEqual(await serve(false), { begun: { number: 7, grantedAt: 100 } });
  });
});

describe('Among other tickets', () => {
  const rows = useRows();
  const begun: Among<'tickets'> = {
    table: 'tickets',
    right: { id_hash: idHash, download_number: 7, served_bytes: 0 },
    wrong: { id_hash: other, download_number: [8, null], served_bytes: 1 },
  };

  test('the start of one is taken back while nothing was delivered under it', async () => {
    await rows.changes(begun, (tx) => resetTicket(tx, idHash, 7), { download_number: null });
    await rows.finds(begun, (tx) => resetTicket(tx, idHash, 7), true);
  });

  test('one gets its number, and back what was not sent', async () => {
    const { id_hash } = begun.wrong;
    const running = {
      table: begun.table,
      right: { ...begun.right, served_bytes: 9, unsettled: 2 },
      wrong: { id_hash },
    };
    await rows.changes(running, (tx) => startTicket(tx, idHash, 5), { download_number: 5 });
    await rows.changes(running, (tx) => finishServing(tx, idHash, 4), { served_bytes: 5, unsettled: 1 });
    await rows.finds(running, (db) => countUnsettled(db, idHash), 2);
  });

  test('one is ended whose place another takes, unless it has served since', async () => {
    const earlier = { ticket, downloadNumber: 7, servedBytes: 0, isRunning: false };
    await rows.changes(begun, (tx) => retireTicket(tx, earlier), { served_bytes: retiredBytes });
    await rows.finds(begun, (tx) => retireTicket(tx, earlier), true);
  });

  test('as many are deleted as are asked for, and none that has not expired', async () => {
    const ending = (name: string, expires_at: number) => ({ id_hash: Buffer.from(name), expires_at });
    rows.put('tickets', ending('now', 10), ending('a', 9), ending('b', 9), ending('c', 9));
    assert.equal(await deleteExpiredTickets(rows.db, 10, 2), 2);
    assert.equal(rows.all('tickets').length, 2);
    assert.equal(await deleteExpiredTickets(rows.db, 10, 2), 1);
    assert.deepEqual(
      rows.all('tickets').map((row) => row.id_hash.toString()),
      ['now'],
    );
  });
});

describe('A download continues', () => {
  const rows = useRows();
  const latest: Among<'tickets'> = {
    table: 'tickets',
    right: {
      id_hash: idHash,
      message_id: 'message',
      attachment_id: 'file',
      is_archive: 0,
      owner_id: 'alice',
      recipient: 'bob@example.org',
      kind: 'visitor',
      issued_at: 11,
      download_number: 7,
      served_bytes: 99,
    },
    wrong: {
      message_id: ['another', null],
      attachment_id: 'another',
      is_archive: 1,
      recipient: '',
      kind: 'owner',
      issued_at: 10,
      download_number: 8,
      served_bytes: 100,
    },
  };
  const wanted = { messageId: 'message', attachmentId: 'file', recipient: 'bob@example.org', kind: 'visitor' } as const;
  const find = async () => nameOf(await findLatestTicket(rows.db, wanted, { issuedAfter: 10, servedBelowBytes: 100 }));
  const holder = { messageId: 'message', linkId: null, recipient: '', visitorHash: other } as const;
  const list = async () =>
    (await listInterrupted(rows.db, { ...holder, kind: 'visitor', issuedAfter: 10 })).map((one) => nameOf(one.ticket));

  test('under a ticket of the same person for this one file, which is new enough and not used up', async () => {
    rows.put('downloads', { owner_id: 'alice', number: 8, delivered: 'all' });
    await rows.finds(latest, find, 'ticket');
  });

  test('under the newest of several', async () => {
    rows.put('downloads');
    const issued = (issued_at: number) => ({ ...latest.right, id_hash: Buffer.from(`at ${issued_at}`), issued_at });
    rows.put('tickets', issued(12), issued(14), issued(13));
    assert.equal(await find(), 'at 14');
  });

  test('under a ticket that was begun in the same browser', async () => {
    rows.put('downloads', { owner_id: 'alice', number: 8, delivered: 'all' });
    const { message_id, kind, issued_at } = latest.wrong;
    const wrong = { message_id, kind, issued_at, download_number: [8, null], visitor_hash: [idHash, null] };
    await rows.finds({ ...latest, right: { ...latest.right, visitor_hash: other }, wrong }, list, ['ticket']);
  });

  test('under one of two hundred at most, of which the newest is the first', async () => {
    rows.put('downloads');
    const issued = (at: number) => ({
      ...latest.right,
      id_hash: Buffer.from(`${at}`),
      visitor_hash: other,
      issued_at: at,
    });
    rows.put('tickets', ...Array.from({ length: 201 }, (_, index) => issued(((index * 7) % 201) + 100)));
    assert.deepEqual(
      await list(),
      Array.from({ length: 200 }, (_, index) => `${300 - index}`),
    );
  });
});

describe('What a browser has downloaded', () => {
  const rows = useRows();
  const visited: Among<'tickets'> = {
    table: 'tickets',
    right: { id_hash: idHash, message_id: 'message', owner_id: 'alice', visitor_hash: other, download_number: 7 },
    wrong: { message_id: 'another', owner_id: 'bob', visitor_hash: [idHash, null], download_number: [6, 8, null] },
  };
  const line: Among<'downloads'> = {
    table: 'downloads',
    right: { owner_id: 'alice', number: 7, attachment_id: 'file', outcome: 'complete', granted_at: 5 },
    wrong: { owner_id: 'bob', number: [6, 8], outcome: ['granted', 'partial', 'cut', 'refunded'] },
  };
  const find = async () => [...(await findVisitorDownloads(rows.db, 'message', other))];

  test('is what came whole under tickets of this browser for this message', async () => {
    rows.put('downloads', line.right);
    await rows.finds(visited, find, [['file', 5]]);
    rows.put('tickets', visited.right);
    await rows.finds(line, find, [['file', 5]]);
  });
});
