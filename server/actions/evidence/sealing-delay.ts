// How long events have waited to be sealed. Sealing that has stopped leaves no other trace: the log stays consistent.
import { findOldestUnsealed } from '../../db/evidence/evidence.ts';
import type { LockedDb } from '../../db/schema/schema.ts';

/** Sealing runs every few seconds; a longer delay is a fault. */
export const maxSealingDelayMs = 5 * 60_000;

/** Age of the oldest unsealed event; 0 when none waits. */
export async function findSealingDelay(db: LockedDb['read'], now: number): Promise<number> {
  const oldestAt = await findOldestUnsealed(db);
  return oldestAt === null ? 0 : Math.max(0, now - oldestAt);
}

/** Null while sealing keeps up. */
export async function findSealingFault(db: LockedDb['read'], now: number): Promise<string | null> {
  const delayMs = await findSealingDelay(db, now);
  if (delayMs <= maxSealingDelayMs) return null;
  return `Events have waited for ${words(delayMs)} to be added to the log of evidence.`;
}

function words(delayMs: number): string {
  const minutes = Math.floor(delayMs / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  return minutes < 2 * 24 * 60 ? `${Math.floor(minutes / 60)} hours` : `${Math.floor(minutes / (24 * 60))} days`;
}
