// What the body of a download is made of: one file, or several and the headers of one archive. Grants nothing, reads no
// content.
import { createHash } from 'node:crypto';
import { listTicketFiles, type TicketFileRow } from '../../db/archives.ts';
import { findSubject } from '../../db/messages.ts';
import { listParts } from '../../db/parts.ts';
import type { TicketsTable } from '../../db/schema.ts';
import { archiveName } from '../../domain/archives.ts';
import type { ByteRange, SealedBlob } from '../../domain/ports.ts';
import { cutStretches, type Stretch } from '../../lib/stretches.ts';
import { layOutZip } from '../../lib/zip.ts';
import type { Ctx } from '../context.ts';

/** One stored file of a delivery. */
export interface DeliveredFile {
  attachmentId: string;
  sizeBytes: number;
  dataKey: Buffer;
}

/** What a valid ticket leads to. Nothing is granted yet. */
export interface Delivery {
  ticketHash: Buffer;
  ticket: TicketsTable;
  fileName: string;
  sizeBytes: number;
  contentType: string;
  /** Names these very bytes, without quotes. */
  etag: string;
  /** Null for an archive, whose checksum nobody has computed. */
  sha256: string | null;
  /** In the order of their lines in the log. */
  files: DeliveredFile[];
  /** The body, in order. */
  stretches: Stretch[];
}

/** Null when a file was erased meanwhile. */
export async function describeDelivery(ctx: Ctx, ticket: TicketsTable): Promise<Delivery | null> {
  const rows = await listTicketFiles(ctx.db.read, ticket);
  const files: DeliveredFile[] = [];
  for (const row of rows) {
    if (row.data_key_wrapped === null) return null;
    const dataKey = ctx.keys.files.unwrap({ wrapped: row.data_key_wrapped, keyId: row.key_encryption_key_id }, row.id);
    files.push({ attachmentId: row.id, sizeBytes: row.size_bytes, dataKey });
  }
  const [row] = rows;
  if (row === undefined) return null;
  const body = ticket.is_archive === 1 ? await archiveBody(ctx, ticket, rows) : fileBody(ctx, row);
  return { ticketHash: ticket.id_hash, ticket, ...body, files };
}

type Body = Pick<Delivery, 'fileName' | 'sizeBytes' | 'contentType' | 'etag' | 'sha256' | 'stretches'>;

function fileBody(ctx: Ctx, row: TicketFileRow): Body {
  return {
    fileName: nameOf(ctx, row),
    sizeBytes: row.size_bytes,
    contentType: row.content_type,
    etag: row.sha256,
    sha256: row.sha256,
    stretches: [{ file: 0, sizeBytes: row.size_bytes }],
  };
}

/** The same for every request of one ticket: made of what never changes about its files. */
async function archiveBody(ctx: Ctx, ticket: TicketsTable, rows: TicketFileRow[]): Promise<Body> {
  const subject = ticket.message_id === null ? undefined : await findSubject(ctx.db.read, ticket.message_id);
  const { sizeBytes, stretches } = layOutZip(
    rows.map((row) => ({
      name: nameOf(ctx, row),
      sizeBytes: row.size_bytes,
      crc32: Number.parseInt(row.crc32, 16),
      modifiedAt: row.created_at,
    })),
  );
  const hash = createHash('sha256');
  for (const stretch of stretches) hash.update('bytes' in stretch ? stretch.bytes : rows[stretch.file]!.sha256);
  const etag = hash.digest('hex');
  return {
    fileName: archiveName(subject ?? ''),
    sizeBytes,
    contentType: 'application/zip',
    etag,
    sha256: null,
    stretches,
  };
}

function nameOf(ctx: Ctx, row: TicketFileRow): string {
  return ctx.keys.openText('name', row.name_sealed, row.id);
}

/** Where the bytes of a file lie, in order. */
export async function partsOf(ctx: Ctx, file: DeliveredFile): Promise<{ blob: SealedBlob; sizeBytes: number }[]> {
  const parts = await listParts(ctx.db.read, file.attachmentId);
  return parts.map((part) => ({
    blob: { key: part.blobKey, dataKey: file.dataKey, context: `${file.attachmentId}/${part.number}` },
    sizeBytes: part.sizeBytes,
  }));
}

/** The files a range of the body comes to, by their place, and how many bytes of each lie in it. */
export function filesIn(delivery: Delivery, range: ByteRange): { index: number; bytes: number }[] {
  return [...cutStretches(delivery.stretches, range)].flatMap(({ stretch, start, end }) =>
    'file' in stretch ? [{ index: stretch.file, bytes: end - start }] : [],
  );
}
