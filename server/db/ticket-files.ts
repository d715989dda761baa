// Queries on the files that a ticket leads to.
import type { Ticket, TicketFile } from '../domain/downloads.ts';
import { kept, type Param } from './engine/kept.ts';
import type { AttachmentsTable, Builder, Query, Sealer } from './schema.ts';

const fileColumns = [
  'attachments.id',
  'attachments.name_sealed',
  'attachments.size_bytes',
  'attachments.content_type',
  'attachments.sha256',
  'attachments.crc32',
  'attachments.state',
  'attachments.data_key_wrapped',
  'attachments.key_encryption_key_id',
  'attachments.created_at',
] as const;

const oneFile = kept((db: Builder, param: Param<{ id: string }>) =>
  db.selectFrom('attachments').select(fileColumns).where('id', '=', param('id')),
);

const filesOfArchive = kept((db: Builder, param: Param<{ idHash: Buffer }>) =>
  db
    .selectFrom('ticket_files')
    .innerJoin('attachments', 'attachments.id', 'ticket_files.attachment_id')
    .select(fileColumns)
    .where('ticket_files.id_hash', '=', param('idHash'))
    .orderBy('ticket_files.position'),
);

/** The files a ticket leads to: the one it names, or those of its archive in order. */
export async function listTicketFiles(db: Query, ticket: Ticket): Promise<TicketFile[]> {
  const rows = ticket.isArchive
    ? await filesOfArchive(db, { idHash: ticket.idHash })
    : await oneFile(db, { id: ticket.attachmentId });
  return rows.map((row) => fileOf(db.keys, row));
}

type FileRow = Pick<
  AttachmentsTable,
  | 'id'
  | 'name_sealed'
  | 'size_bytes'
  | 'content_type'
  | 'sha256'
  | 'crc32'
  | 'state'
  | 'data_key_wrapped'
  | 'key_encryption_key_id'
  | 'created_at'
>;

function fileOf(keys: Sealer, row: FileRow): TicketFile {
  const wrapped = row.data_key_wrapped;
  return {
    attachmentId: row.id,
    fileName: keys.openText('name', row.name_sealed, row.id),
    sizeBytes: row.size_bytes,
    contentType: row.content_type,
    sha256: row.sha256,
    crc32: row.crc32,
    state: row.state,
    dataKey: wrapped === null ? null : { wrapped, keyId: row.key_encryption_key_id },
    createdAt: row.created_at,
  };
}
