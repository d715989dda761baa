// Queries on the files of tickets for archives.
import type { Query, TicketsTable, Tx } from './schema.ts';

/** So many rows a statement, within what every engine takes. */
const batchSize = 500;

/** The files of an archive, in its order. */
export async function insertTicketFiles(tx: Tx, idHash: Buffer, attachmentIds: string[]): Promise<void> {
  const rows = attachmentIds.map((id, position) => ({ id_hash: idHash, position, attachment_id: id }));
  for (let start = 0; start < rows.length; start += batchSize) {
    await tx
      .insertInto('ticket_files')
      .values(rows.slice(start, start + batchSize))
      .execute();
  }
}

/** The files a ticket leads to: the one it names, or those of its archive in order. */
export function listTicketFiles(db: Query, ticket: TicketsTable) {
  if (ticket.is_archive === 0)
    return db.selectFrom('attachments').selectAll().where('id', '=', ticket.attachment_id).execute();
  return db
    .selectFrom('ticket_files')
    .innerJoin('attachments', 'attachments.id', 'ticket_files.attachment_id')
    .selectAll('attachments')
    .where('ticket_files.id_hash', '=', ticket.id_hash)
    .orderBy('ticket_files.position')
    .execute();
}

export type TicketFileRow = Awaited<ReturnType<typeof listTicketFiles>>[number];
