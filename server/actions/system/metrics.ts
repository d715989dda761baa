// Amounts of the whole installation; no names or addresses.

import { countActiveLinks } from '../../db/file-links/file-links.ts';
import { findUnacceptedMails } from '../../db/mail/outbox.ts';
import { findMailQueue, sumKeptBytes } from '../../db/overview/overview.ts';
import { sumStorage } from '../../db/storage/storage.ts';
import { findLastBackupRun } from '../../db/system/backup-runs.ts';
import { findMeta } from '../../db/system/installation.ts';
import { listFutureInstants } from '../../db/system/instants.ts';
import { listHeldJobs } from '../../db/system/jobs.ts';
import type { Ctx } from '../context.ts';
import { findSealingDelay } from '../evidence/sealing-delay.ts';

const hourMs = 3_600_000;

export interface InstallationAmounts {
  activeLinks: number;
  waitingMails: number;
  /** 0 when none waits. */
  oldestMailSeconds: number;
  /** Refused or deferred since the last accepted mail, of an hour. */
  unacceptedMails: number;
  heldJobs: number;
  /** Columns with an impossible future instant. */
  futureInstants: number;
  /** Age of the oldest unsealed event; 0 when none waits. */
  unsealedSeconds: number;
  lastBackupAt: number | null;
  /** Of the public address; null if it has none. */
  certificateEndsAt: number | null;
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
    unacceptedMails: (await findUnacceptedMails(db, now - hourMs)).mailCount,
    heldJobs: (await listHeldJobs(db)).length,
    futureInstants: (await listFutureInstants(db, now)).length,
    unsealedSeconds: (await findSealingDelay(db, now)) / 1000,
    lastBackupAt: (await findLastBackupRun(db, 'backup', { isGood: true }))?.finishedAt ?? null,
    certificateEndsAt: Number(await findMeta(db, 'certificate_end')) || null,
    keptBytes: await sumKeptBytes(db),
    reclaimableBytes: waitingBytes,
    space: isReachable ? await ctx.blobs.space() : null,
  };
}
