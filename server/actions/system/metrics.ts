// Amounts of the whole installation; no names or addresses.

import { countActiveLinks } from '../../db/file-links/file-links.ts';
import { findMailQueue, sumKeptBytes } from '../../db/overview/overview.ts';
import { sumStorage } from '../../db/storage/storage.ts';
import { findLastBackupRun } from '../../db/system/backup-runs.ts';
import { listFutureInstants } from '../../db/system/instants.ts';
import { listHeldJobs } from '../../db/system/jobs.ts';
import type { Ctx } from '../context.ts';
import { findSealingDelay } from '../evidence/sealing-delay.ts';

export interface InstallationAmounts {
  activeLinks: number;
  waitingMails: number;
  /** 0 when none waits. */
  oldestMailSeconds: number;
  heldJobs: number;
  /** Columns with an impossible future instant. */
  futureInstants: number;
  /** Age of the oldest unsealed event; 0 when none waits. */
  unsealedSeconds: number;
  lastBackupAt: number | null;
  keptBytes: number;
  /** Of unshared files. */
  reclaimableBytes: number;
  /** Null for buckets. */
  space: { usedBytes: number; totalBytes: number } | null;
}

export async function findInstallationAmounts(ctx: Ctx): Promise<InstallationAmounts> {
  const db = ctx.db.read;
  const now = ctx.clock.now();
  const { waiting, oldestAt } = await findMailQueue(db);
  const { waitingBytes } = await sumStorage(db);
  const isReachable = (await ctx.blobs.state()) !== 'unreachable';
  return {
    activeLinks: await countActiveLinks(db, now),
    waitingMails: waiting,
    oldestMailSeconds: oldestAt === null ? 0 : Math.max(0, now - oldestAt) / 1000,
    heldJobs: (await listHeldJobs(db)).length,
    futureInstants: (await listFutureInstants(db, now)).length,
    unsealedSeconds: (await findSealingDelay(db, now)) / 1000,
    lastBackupAt: (await findLastBackupRun(db, 'backup', { isGood: true }))?.finishedAt ?? null,
    keptBytes: await sumKeptBytes(db),
    reclaimableBytes: waitingBytes,
    space: isReachable ? await ctx.blobs.space() : null,
  };
}
