import type { HeldFile } from '../../domain/messages.ts';
import type { AttachmentsTable, Sealer } from '../schema/schema.ts';
import { defineTable } from '../table.ts';
import { checksumColumns, openChecksums } from './checksums.ts';

const files = defineTable<AttachmentsTable>()(({ plain, flags, as, sealedText }) => ({
  ...plain('size_bytes', 'content_type', 'state', 'scan_state'),
  ...flags('is_from_outside'),
  attachmentId: as('id'),
  fileName: sealedText('name_sealed', 'name', 'id'),
}));

export const heldFileColumns = [...files.select('attachments'), ...checksumColumns] as const;

type HeldFileRow = Parameters<typeof files.read>[0] & Parameters<typeof openChecksums>[1];

export function heldFileOf(keys: Sealer, row: HeldFileRow): HeldFile {
  return { ...files.read(row, keys), ...openChecksums(keys, row, row.id) };
}

export function openFileName(keys: Sealer, row: { id: string; name_sealed: Buffer }): string {
  return keys.openText('name', row.name_sealed, row.id);
}
