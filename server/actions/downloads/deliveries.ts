// The body of a download: one file, or an archive. Grants nothing and reads no content.
import { createHash } from 'node:crypto';
import { type Stretch, stretchSize } from '#contract/stretches.ts';
import { layOutZip } from '#contract/zip.ts';
import { listTicketFiles } from '../../db/downloads/ticket-files.ts';
import { findSubject } from '../../db/messages/messages.ts';
import { listParts } from '../../db/uploads/parts.ts';
import { archiveName } from '../../domain/archives.ts';
import type { RequestProof, Ticket, TicketFile, TicketUse } from '../../domain/downloads.ts';
import type { ByteRange, SealedBlob } from '../../domain/ports.ts';
import { uniqueNames } from '../../lib/unique-names.ts';
import type { Ctx } from '../context.ts';

export interface DeliveredFile {
  attachmentId: string;
  sizeBytes: number;
  dataKey: Buffer;
}

/** Content of a valid ticket. Nothing is granted yet. */
export interface Delivery {
  ticket: Ticket;
  use: TicketUse;
  proof: RequestProof;
  fileName: string;
  sizeBytes: number;
  contentType: string;
  /** Identifies these bytes, without quotes. */
  etag: string;
  /** Null for an archive. */
  sha256: string | null;
  /** In the order of their log rows. */
  files: DeliveredFile[];
  stretches: Stretch[];
}

/** Null if a file has been erased. */
export async function findDelivery(
  ctx: Ctx,
  ticket: Ticket,
  { use, proof }: Pick<Delivery, 'use' | 'proof'>,
): Promise<Delivery | null> {
  const found = await listTicketFiles(ctx.db.read, ticket);
  const files: DeliveredFile[] = [];
  for (const { attachmentId, sizeBytes, dataKey } of found) {
    if (dataKey === null) return null;
    files.push({
      attachmentId,
      sizeBytes,
      dataKey: ctx.keys.files.unwrap(dataKey, attachmentId),
    });
  }
  const [file] = found;
  if (file === undefined) return null;
  const body = ticket.isArchive ? await archiveBody(ctx, ticket, found) : fileBody(file);
  return { ticket, use, proof, ...body, files };
}

type Body = Omit<Delivery, 'ticket' | 'use' | 'proof' | 'files'>;

function fileBody({ fileName, sizeBytes, contentType, sha256 }: TicketFile): Body {
  return { fileName, sizeBytes, contentType, etag: sha256, sha256, stretches: [{ file: 0, sizeBytes }] };
}

/** The same for every request with one ticket. */
async function archiveBody(ctx: Ctx, ticket: Ticket, files: TicketFile[]): Promise<Body> {
  const subject = ticket.messageId === null ? undefined : await findSubject(ctx.db.read, ticket.messageId);
  const names = uniqueNames(files.map(({ fileName }) => fileName));
  const { sizeBytes, stretches } = layOutZip(
    files.map((file, index) => ({
      name: names[index]!,
      sizeBytes: file.sizeBytes,
      crc32: Number.parseInt(file.crc32, 16),
      modifiedAt: file.createdAt,
    })),
  );
  const hash = createHash('sha256');
  for (const stretch of stretches) hash.update('bytes' in stretch ? stretch.bytes : files[stretch.file]!.sha256);
  const etag = hash.digest('hex');
  const fileName = archiveName(subject ?? '');
  return { fileName, sizeBytes, contentType: 'application/zip', etag, sha256: null, stretches };
}

export async function partsOf(ctx: Ctx, file: DeliveredFile): Promise<{ blob: SealedBlob; sizeBytes: number }[]> {
  const parts = await listParts(ctx.db.read, file.attachmentId);
  return parts.map((part) => ({
    blob: { key: part.blobKey, dataKey: file.dataKey, context: `${file.attachmentId}/${part.number}` },
    sizeBytes: part.sizeBytes,
  }));
}

export interface TouchedFile {
  index: number;
  /** Its bytes in the range. */
  bytes: number;
  /** The whole file's place in the body. */
  place: ByteRange;
}

/** Includes empty files at the borders of the range. */
export function filesIn({ stretches }: Delivery, range: ByteRange): TouchedFile[] {
  const touched: TouchedFile[] = [];
  let offset = 0;
  for (const stretch of stretches) {
    const place = { start: offset, end: offset + stretchSize(stretch) };
    offset = place.end;
    const bytes = Math.min(range.end, place.end) - Math.max(range.start, place.start);
    if ('file' in stretch && (bytes > 0 || (bytes === 0 && stretch.sizeBytes === 0)))
      touched.push({ index: stretch.file, bytes, place });
  }
  return touched;
}

/** Where each file begins in the body. */
export function bodyStartsOf({ stretches }: Pick<Delivery, 'stretches'>): number[] {
  const starts: number[] = [];
  let offset = 0;
  for (const stretch of stretches) {
    if ('file' in stretch) starts[stretch.file] = offset;
    offset += stretchSize(stretch);
  }
  return starts;
}
