// What messages and tickets read of a file that they lead to.
import type { HeldFile } from '../../domain/messages.ts';
import type { AttachmentsTable, Sealer } from '../schema/schema.ts';
import { checksumColumns, openChecksums } from './checksums.ts';

export const heldFileColumns = [
  'attachments.id',
  'attachments.name_sealed',
  'attachments.size_bytes',
  'attachments.content_type',
  ...checksumColumns,
  'attachments.state',
] as const;

type HeldFileRow = Pick<
  AttachmentsTable,
  'id' | 'name_sealed' | 'size_bytes' | 'content_type' | 'sha256' | 'crc32' | 'checksums_sealed' | 'state'
>;

export function heldFileOf(keys: Sealer, row: HeldFileRow): HeldFile {
  return {
    attachmentId: row.id,
    fileName: openFileName(keys, row),
    sizeBytes: row.size_bytes,
    contentType: row.content_type,
    ...openChecksums(keys, row, row.id),
    state: row.state,
  };
}

export function openFileName(keys: Sealer, row: { id: string; name_sealed: Buffer }): string {
  return keys.openText('name', row.name_sealed, row.id);
}
