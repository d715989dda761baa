// All migrations, oldest first. A migration that has run anywhere is never changed; the next one fixes it.
import type { Migration } from '../engine/migrate.ts';
import { foundation } from './0001-foundation.ts';
import { messages } from './0002-messages.ts';
import { tracking } from './0003-tracking.ts';
import { preferences } from './0004-preferences.ts';
import { archives } from './0005-archives.ts';
import { languages } from './0006-languages.ts';
import { formattedTextAndTicketAccounts } from './0007-formatted-text-and-ticket-accounts.ts';
import { uploaderReceipts } from './0008-uploader-receipts.ts';
import { blobLeases } from './0009-blob-leases.ts';
import { codeLinks } from './0010-code-links.ts';
import { ticketVisitors } from './0011-ticket-visitors.ts';
import { provenAddresses } from './0012-proven-addresses.ts';
import { deliveredBytesAndBoundTickets } from './0014-delivered-bytes-and-bound-tickets.ts';
import { dropReservesAndUnknownTargets } from './0015-drop-reserves-and-unknown-targets.ts';
import { lastParts } from './0016-last-parts.ts';
import { contactNames } from './0018-contact-names.ts';
import { mailLanguage } from './0019-mail-language.ts';
import { removedFiles } from './0020-removed-files.ts';
import { sends } from './0021-sends.ts';
import { groupVersions } from './0022-group-versions.ts';
import { transfers } from './0024-transfers.ts';
import { eventLists } from './0025-event-lists.ts';
import { mailQueueAndJobFailures } from './0026-mail-queue-and-job-failures.ts';
import { clientSightings } from './0027-client-sightings.ts';
import { userLists } from './0028-user-lists.ts';
import { overview } from './0029-overview.ts';
import { evidence } from './0030-evidence.ts';
import { statements } from './0034-statements.ts';
import { legalHolds } from './0035-legal-holds.ts';
import { systemDrops } from './0041-system-drops.ts';
import { storageDays } from './0042-storage-days.ts';
import { consoleLists } from './0043-console-lists.ts';
import { lighterSends } from './0045-lighter-sends.ts';
import { erasures } from './0048-erasures.ts';
import { pairings } from './0051-pairings.ts';
import { backupRuns } from './0055-backup-runs.ts';
import { oldMailsAndVisits } from './0058-old-mails-and-visits.ts';
import { unsettledRequests } from './0059-unsettled-requests.ts';
import { damagedFiles } from './0060-damaged-files.ts';
import { downloadDays } from './0061-download-days.ts';
import { transferReferences } from './0062-transfer-references.ts';
import { administrators } from './0064-administrators.ts';
import { sealedChecksums } from './0065-sealed-checksums.ts';
import { runningDownloads } from './0066-running-downloads.ts';
import { attemptLimits } from './0068-attempt-limits.ts';
import { consoleViews } from './0069-console-views.ts';

export const migrations: Migration[] = [
  foundation,
  messages,
  tracking,
  preferences,
  archives,
  languages,
  formattedTextAndTicketAccounts,
  uploaderReceipts,
  blobLeases,
  codeLinks,
  ticketVisitors,
  provenAddresses,
  deliveredBytesAndBoundTickets,
  dropReservesAndUnknownTargets,
  lastParts,
  contactNames,
  mailLanguage,
  removedFiles,
  transfers,
  sends,
  groupVersions,
  userLists,
  overview,
  mailQueueAndJobFailures,
  clientSightings,
  eventLists,
  statements,
  legalHolds,
  systemDrops,
  evidence,
  consoleLists,
  lighterSends,
  storageDays,
  erasures,
  pairings,
  backupRuns,
  oldMailsAndVisits,
  unsettledRequests,
  damagedFiles,
  downloadDays,
  transferReferences,
  sealedChecksums,
  administrators,
  runningDownloads,
  attemptLimits,
  consoleViews,
];
