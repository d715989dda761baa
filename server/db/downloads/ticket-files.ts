// Queries on the files of a ticket.
import type { Ticket, TicketFile } from '../../domain/downloads.ts';
import { heldFileColumns, heldFileOf } from '../attachments/held-files.ts';
import { type Param, prepared } from '../engine/prepared.ts';
import type { Builder, Query } from '../schema/schema.ts';
import { wrappedKeyOf } from '../system/wrapped-keys.ts';

const fileColumns = [
  ...heldFileColumns,
  'attachments.data_key_wrapped',
  'attachments.key_encryption_key_id',
  'attachments.created_at',
] as const;

const oneFile = prepared((db: Builder, param: Param<{ id: string }>) =>
  db.selectFrom('attachments').select(fileColumns).where('id', '=', param('id')),
);

const filesOfArchive = prepared((db: Builder, param: Param<{ idHash: Buffer }>) =>
  db
    .selectFrom('ticket_files')
    .innerJoin('attachments', 'attachments.id', 'ticket_files.attachment_id')
    .select(fileColumns)
    .where('ticket_files.id_hash', '=', param('idHash'))
    .orderBy('ticket_files.position'),
);

/** The file of the ticket, or those of its archive in order. */
export async function listTicketFiles(db: Query, ticket: Ticket): Promise<TicketFile[]> {
  const rows = ticket.isArchive
    ? await filesOfArchive(db, { idHash: ticket.idHash })
    : await oneFile(db, { id: ticket.attachmentId });
  return rows.map((row) => ({
    ...heldFileOf(db.keys, row),
    dataKey: wrappedKeyOf(row),
    createdAt: row.created_at,
  }));
}
