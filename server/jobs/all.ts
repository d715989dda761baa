// All background jobs.
import { checkCertificate } from './check-certificate.ts';
import { createCheckDamaged } from './check-damaged.ts';
import { consumeEvents } from './consume-events.ts';
import { cosignLog } from './cosign-log.ts';
import { eraseFiles } from './erase-files.ts';
import { expire } from './expire.ts';
import { finishLeaving } from './finish-leaving.ts';
import { abandonUploads, finishUploads } from './finish-uploads.ts';
import type { Job } from './job.ts';
import { nameTransfers } from './name-transfers.ts';
import { notifyExpiringSoon } from './notify-expiring.ts';
import { purgeInactiveUsers } from './purge-inactive-users.ts';
import { runTasks } from './run-tasks.ts';
import { sealOldChecksums } from './seal-checksums.ts';
import { sumDownloads } from './sum-downloads.ts';
import { removeErased, sweepOrphans } from './sweep-blobs.ts';
import { syncDirectories } from './sync-directories.ts';
import { tidy } from './tidy.ts';
import { watchHealth } from './watch-health.ts';

export const allJobs: readonly Job[] = [
  notifyExpiringSoon,
  expire,
  eraseFiles,
  removeErased,
  sweepOrphans,
  finishUploads,
  abandonUploads,
  tidy,
  ...consumeEvents,
  cosignLog,
  purgeInactiveUsers,
  watchHealth,
  runTasks,
  finishLeaving,
  checkCertificate,
  createCheckDamaged(),
  sumDownloads,
  sealOldChecksums,
  nameTransfers,
  syncDirectories,
];
