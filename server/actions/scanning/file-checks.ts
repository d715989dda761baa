// What senders, recipients and people who hand files in see of the check of a file.
import { findScans } from '../../db/scanning/file-scans.ts';
import type { Query } from '../../db/schema/schema.ts';
import type { HeldFile } from '../../domain/messages.ts';
import type { FileResult } from '../../domain/scanning.ts';

export interface FileCheck extends Pick<FileResult, 'reason' | 'signature'> {
  state: 'waiting' | 'held';
  /** How much of a large file the scanner has; null before its turn. */
  percent: number | null;
  /** Of a held file. */
  verdict: Exclude<FileResult['verdict'], 'clean'> | null;
}

/** Smaller files are scanned within moments. */
const leastBytes = 16 * 1024 * 1024;

/** Of files that are not free. One query, or none. */
export async function findFileChecks(
  db: Query,
  files: readonly Pick<HeldFile, 'attachmentId' | 'sizeBytes' | 'scanState'>[],
): Promise<Map<string, FileCheck>> {
  const checked = files.filter(({ scanState }) => scanState !== 'free');
  const scans = await findScans(
    db,
    checked.map(({ attachmentId }) => attachmentId),
  );
  return new Map(
    checked.map(({ attachmentId, sizeBytes, scanState }) => {
      const { verdict = '', reason = '', signature = '', scannedBytes = 0 } = scans.get(attachmentId) ?? {};
      const isHeld = scanState === 'held';
      const hasBegun = !isHeld && sizeBytes >= leastBytes && scannedBytes > 0;
      return [
        attachmentId,
        {
          state: isHeld ? 'held' : 'waiting',
          percent: hasBegun ? Math.min(99, Math.floor((scannedBytes / sizeBytes) * 100)) : null,
          verdict: isHeld && verdict !== '' && verdict !== 'clean' ? verdict : null,
          reason: isHeld ? reason : '',
          signature: isHeld ? signature : '',
        },
      ];
    }),
  );
}
