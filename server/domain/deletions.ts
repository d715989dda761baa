// What a certificate of deletion rests on: a commitment to the destroyed key, and when backups with a copy of it end.
import { hash } from 'node:crypto';

/**
 * SHA-256 over the data key, the same however the key is wrapped. A copy of the key that turns up later can be compared
 * with it; 32 random bytes cannot be guessed from it.
 */
export function keyCommitment(attachmentId: string, dataKey: Buffer): string {
  return hash('sha256', Buffer.concat([Buffer.from(`waybill data key\n${attachmentId}\n`), dataKey]), 'base64');
}

const dayMs = 86_400_000;

/**
 * When the last backup made before `erasedAt` is removed, if a backup is made every day. Null when Waybill makes no
 * backups itself.
 */
export function backupsUntil(erasedAt: number, keep: { keepDays: number; keepWeeks: number } | null): number | null {
  // The next day's backup removes it (snapshotsToKeep).
  return keep === null ? null : erasedAt + (Math.max(keep.keepDays, 7 * keep.keepWeeks) + 1) * dayMs;
}
