// Deletes expired rows.
import { viewWindowMs } from '../actions/audit/views.ts';
import { idempotencyLifetimeMs } from '../actions/idempotency.ts';
import { usedChallengeMs } from '../actions/passkeys/challenges.ts';
import { confirmationLifetimeMs } from '../actions/transfers/hand-over-confirmations.ts';
import { deleteExpiredTickets, deleteSurplusTickets } from '../db/downloads/ticket-expiry.ts';
import { deleteOldViews } from '../db/events/console-views.ts';
import { deleteOldOneTimeLinks } from '../db/file-links/one-time-links.ts';
import { deleteOldDropKeys } from '../db/filedrops/filedrops.ts';
import { deleteOldAssertions } from '../db/identity/saml-states.ts';
import { deleteOldSignInTests } from '../db/identity/sign-in-tests.ts';
import { deleteFinishedMails } from '../db/mail/outbox.ts';
import { deleteOldVisits } from '../db/messages/message-tracking.ts';
import { deleteOldSends } from '../db/messages/sends.ts';
import { deleteOldChallenges } from '../db/passkeys/passkeys.ts';
import { deleteOldRememberedBrowsers } from '../db/passkeys/second-steps.ts';
import { deleteOldUploaderReceipts } from '../db/receipts/uploader-receipts.ts';
import { deleteOldFindings } from '../db/scanning/file-contents.ts';
import { deleteOldVerdicts } from '../db/scanning/file-scans.ts';
import { deleteOldAttempts } from '../db/sessions/attempts.ts';
import { deleteOldCodes } from '../db/sessions/codes.ts';
import { deleteOldPairings } from '../db/sessions/pairings.ts';
import { deleteOldSessions } from '../db/sessions/sessions.ts';
import { deleteOldSignInNetworks } from '../db/sessions/sign-in-networks.ts';
import { deleteOldLeases } from '../db/storage/blob-leases.ts';
import { listStaleReservations, releaseReservation } from '../db/storage/stored-bytes.ts';
import { deleteOldSightings } from '../db/system/client-sightings.ts';
import { deleteOldAnswers } from '../db/system/idempotency.ts';
import { deleteOldConfirmations } from '../db/transfers/hand-over-confirmations.ts';
import { deleteClosedUploads } from '../db/uploads/uploads.ts';
import { knownNetworkMs } from '../domain/attempt-limits.ts';
import { maxReplayDays } from '../domain/sends.ts';
import { counted } from '../lib/counted.ts';
import type { Job } from './job.ts';

const batchSize = 1000;
const dayMs = 24 * 3_600_000;
/** After the message has ended. */
const keptDays = 180;

export const tidy: Job = {
  name: 'tidy',
  everyMs: 5 * 60_000,
  async run(ctx) {
    const now = ctx.clock.now();
    await ctx.db.write((tx) => deleteOldVerdicts(tx, now - 90 * dayMs));
    await ctx.db.write((tx) => deleteOldFindings(tx, now - 2 * maxReplayDays * dayMs));
    const tickets = await ctx.db.write((tx) => deleteExpiredTickets(tx, now - dayMs, batchSize));
    // Not per ticket, because many downloads make the table large.
    while (await ctx.db.write((tx) => deleteSurplusTickets(tx)));
    const old = { before: now - keptDays * dayMs, now, limit: batchSize };
    const mails = await ctx.db.write((tx) => deleteFinishedMails(tx, old));
    const visits = await ctx.db.write((tx) => deleteOldVisits(tx, old));
    const uploads = await ctx.db.write((tx) => deleteClosedUploads(tx, now - dayMs, batchSize));
    await ctx.db.write(async (tx) => {
      await deleteOldAttempts(tx, now);
      await deleteOldSignInNetworks(tx, now - knownNetworkMs);
      await deleteOldCodes(tx, now);
      await deleteOldPairings(tx, now);
      await deleteOldSessions(tx, now);
      await deleteOldChallenges(tx, now - usedChallengeMs);
      await deleteOldAssertions(tx, now);
      await deleteOldSignInTests(tx, now);
      await deleteOldRememberedBrowsers(tx, now);
      await deleteOldOneTimeLinks(tx, now);
      await deleteOldDropKeys(tx, now);
      await deleteOldUploaderReceipts(tx, now);
      await deleteOldLeases(tx, now - dayMs);
      await deleteOldSightings(tx, new Date(now - 90 * dayMs).toISOString().slice(0, 10));
      await deleteOldSends(tx, now - maxReplayDays * dayMs);
      await deleteOldAnswers(tx, now - idempotencyLifetimeMs);
      await deleteOldViews(tx, now - viewWindowMs);
      await deleteOldConfirmations(tx, now - 2 * confirmationLifetimeMs);
    });
    const stale = await listStaleReservations(ctx.db.read, now, batchSize);
    for (const id of stale) await ctx.db.write((tx) => releaseReservation(tx, id));
    return [
      counted(tickets, 'ticket'),
      counted(mails, 'mail'),
      `visits of ${counted(visits, 'message')}`,
      counted(uploads, 'upload'),
      counted(stale.length, 'reservation'),
    ].join(', ');
  },
};
