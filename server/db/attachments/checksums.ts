// Checksums of files and of their chunks are sealed, because in clear they reveal the content of a small file
// (docs/adr/0110). A job seals those of earlier versions (jobs/seal-checksums.ts).
import type { Sealer } from '../schema/schema.ts';

export interface Checksums {
  /** Hexadecimal; empty while it is being computed. */
  sha256: string;
  crc32: string;
}

interface ChecksumColumns {
  sha256: string;
  crc32: string;
  checksums_sealed: Buffer | null;
}

export const checksumColumns = ['attachments.sha256', 'attachments.crc32', 'attachments.checksums_sealed'] as const;

const crc32Bytes = 4;

export function sealChecksums(keys: Sealer, { sha256, crc32 }: Checksums, place: string): Buffer {
  return keys.seal('checksum', Buffer.from(crc32 + sha256, 'hex'), place);
}

/** Reads a row in either form; the values are empty once they were deleted. */
export function openChecksums(keys: Sealer, row: ChecksumColumns, place: string): Checksums {
  if (row.checksums_sealed === null) return { sha256: row.sha256, crc32: row.crc32 };
  const opened = keys.open('checksum', row.checksums_sealed, place);
  return { crc32: opened.toString('hex', 0, crc32Bytes), sha256: opened.toString('hex', crc32Bytes) };
}

export function checksumsToStore(keys: Sealer, checksums: Checksums, id: string) {
  return { sha256: '', crc32: '', checksums_sealed: sealChecksums(keys, checksums, id) };
}
