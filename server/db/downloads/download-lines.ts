// The properties of a download that statements and receipts read.
import type { DownloadsTable } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

export const downloadLines = defineTable<DownloadsTable>()(({ plain, as }) => ({
  ...plain('owner_id', 'number', 'attachment_id', 'recipient'),
  bytes: as('sent_bytes'),
  ip: as('remote_ip'),
  at: as('granted_at'),
  endedAt: as('finished_at'),
}));
