// The files of a ticket, with files of other tickets beside them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import { listTicketFiles } from './ticket-files.ts';
import { findTicket } from './tickets.ts';

const idHash = Buffer.from('ticket');
const other = Buffer.from('other');

describe('A ticket leads', () => {
  // SQLite finds files of a ticket by position, so rows inserted in order would hide a missing `order by`.
  const rows = useRows({ isReversed: true });
  const list = async (is_archive: 0 | 1) => {
    rows.put('tickets', { id_hash: other, attachment_id: 'b' }, { id_hash: idHash, attachment_id: 'a', is_archive });
    const ticket = await findTicket(rows.db, idHash);
    assert.ok(ticket);
    return (await listTicketFiles(rows.db, ticket)).map(({ fileName }) => fileName);
  };
  const file = (id: string) => ({ id, name_sealed: rows.db.keys.sealText('name', id, id) });

  test('to the file it names', async () => {
    const one: Among<'attachments'> = { table: 'attachments', right: file('a'), wrong: { id: 'b' } };
    await rows.finds(one, () => list(0), ['a']);
  });

  test('to the files of its archive in their order', async () => {
    rows.put('attachments', ...['a', 'b', 'c'].map(file));
    const place = (attachment_id: string, position: number) => ({ id_hash: idHash, attachment_id, position });
    rows.put('ticket_files', place('a', 2), { ...place('a', 0), id_hash: other }, place('c', 0), place('b', 1));
    assert.deepEqual(await list(1), ['c', 'b', 'a']);
  });
});
