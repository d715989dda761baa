// Checksums of files and of their chunks are sealed: in clear, one reveals what was in a small file, also
// years after it was erased (docs/adr/0110). Rows from before are sealed by a job (jobs/seal-checksums.ts).
import { type RawBuilder, sql } from 'kysely';
import type { Sealer } from '../schema/schema.ts';

export interface Checksums {
  /** Hexadecimal; empty while it still has to be computed. */
  sha256: string;
  /** Eight hexadecimal digits. */
  crc32: string;
}

interface ChecksumColumns {
  sha256: string;
  crc32: string;
  checksums_sealed: Buffer | null;
}

export const checksumColumns = ['attachments.sha256', 'attachments.crc32', 'attachments.checksums_sealed'] as const;

/** As long as this name is in `meta`, a process of the version before may read what this one writes. */
export const inClearKey = 'checksums_in_clear';

const crc32Bytes = 4;

export function sealChecksums(keys: Sealer, { sha256, crc32 }: Checksums, place: string): Buffer {
  return keys.seal('checksum', Buffer.from(crc32 + sha256, 'hex'), place);
}

/** Of a row in either form; empty once they were dropped. */
export function openChecksums(keys: Sealer, row: ChecksumColumns, place: string): Checksums {
  if (row.checksums_sealed === null) return { sha256: row.sha256, crc32: row.crc32 };
  const opened = keys.open('checksum', row.checksums_sealed, place);
  return { crc32: opened.toString('hex', 0, crc32Bytes), sha256: opened.toString('hex', crc32Bytes) };
}

/** What a row of `attachments` gets. */
export function checksumsToStore(keys: Sealer, checksums: Checksums, id: string) {
  return {
    sha256: duringUpgrade(checksums.sha256, ''),
    crc32: duringUpgrade(checksums.crc32, ''),
    checksums_sealed: sealChecksums(keys, checksums, id),
  };
}

/** The first value while the version before may still read it, afterwards the other. */
export function duringUpgrade<Value>(
  clear: Value,
  otherwise: Value,
): RawBuilder<Value extends string ? string : Value> {
  return sql`case when exists (select 1 from meta where key = ${sql.lit(inClearKey)}) then ${clear} else ${otherwise} end`;
}
