// The console's overview. Amounts cover the whole installation; people of the caller's rank and above are not named.

import { countRefusedMails } from '../../db/mail/mail-queue.ts';
import {
  countDamaged,
  findMailQueue,
  listQuarterFigures,
  listRunning,
  type QuarterFigures,
  type Running,
  sumKeptBytes,
} from '../../db/overview/overview.ts';
import { countQuarantined } from '../../db/scanning/quarantine.ts';
import { findMeta } from '../../db/system/installation.ts';
import { countUsers, findUser } from '../../db/users/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { quarterMs } from '../../domain/download-sums.ts';
import type { LostPasskeys } from '../../domain/passkeys.ts';
import { holds, requireRight } from '../../domain/roles.ts';
import type { User } from '../../domain/users.ts';
import { addDays, dateOf, zoneClock } from '../../lib/dates.ts';
import type { AlertTopic } from '../../mail/kinds/admin-alert.ts';
import { findMissingBackup, findShownAlerts } from '../alerts/checks.ts';
import { recordListView } from '../audit/views.ts';
import type { Ctx } from '../context.ts';
import { countReviews } from '../messages/reviews.ts';
import { hostOf } from '../passkeys/challenges.ts';
import { findLostPasskeys } from '../passkeys/domain.ts';
import { findScannerOutage } from '../scanning/quarantine.ts';
import { findFullDay } from '../storage/history.ts';
import { type ReadableOfAge, readableByAge } from '../storage/readable.ts';
import { isVisible } from '../users/rights.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const usualDays = 28;
/** The shown days, today, and one more hour for clock changes. */
const shownMs = (usualDays + 1) * dayMs + hourMs;
const maxRunning = 50;
/** A transfer without new bytes for this long does not run. */
const runningMs = 60_000;

export interface DayFigures extends Omit<QuarterFigures, 'quarter'> {
  date: string;
}

export interface RunningTransfer extends Pick<Running, 'bytes' | 'totalBytes' | 'startedAt' | 'activeAt'> {
  /** Accepted by `stopRunning`. */
  id: string;
  kind: 'upload' | 'download';
  owner: Pick<User, 'id' | 'name' | 'email'>;
  /** Empty for uploads, and when unknown. */
  recipient: string;
}

export interface Overview {
  alerts: AlertTopic[];
  /** When it was installed, if a backup is missing. */
  noBackupSince: number | null;
  damagedFiles: number;
  /** In quarantine; zero without the right to see it. */
  heldFiles: number;
  /** Messages that the caller may release or refuse. */
  waitingReviews: number;
  scannerOutage: { detail: string; since: number | null } | null;
  isQuarantined: boolean;
  lostPasskeys: LostPasskeys | null;
  running: RunningTransfer[];
  days: DayFigures[];
  /** Average up to this time of day. */
  usual: Omit<QuarterFigures, 'quarter'>;
  mail: { waiting: number; oldestAt: number | null; refused: number };
  storage: { keptBytes: number; usedBytes: number | null; totalBytes: number | null; fullOn: string | null };
  readable: ReadableOfAge[];
  people: number;
}

export async function getOverview(ctx: Ctx, caller: UserCaller): Promise<Overview> {
  requireRight(caller, 'console.read');
  const db = ctx.db.read;
  const now = ctx.clock.now();
  const [
    alerts,
    noBackupSince,
    quarantine,
    damagedFiles,
    running,
    quarters,
    queue,
    refused,
    storage,
    readable,
    people,
  ] = await Promise.all([
    findShownAlerts(ctx),
    findMissingBackup(ctx),
    findMeta(db, 'quarantine'),
    countDamaged(db),
    findRunning(ctx, caller),
    listQuarterFigures(db, now - shownMs),
    findMailQueue(db),
    countRefusedMails(db, now - dayMs),
    findStorage(ctx),
    readableByAge(ctx),
    countUsers(db),
  ]);
  return {
    // Technical details need the right to read the system.
    alerts: holds(caller, 'system.read') ? alerts : alerts.map(withoutDetails),
    noBackupSince,
    isQuarantined: quarantine !== null,
    lostPasskeys: await findLostPasskeys(db, hostOf(ctx), ctx.settings.current()),
    damagedFiles,
    heldFiles: holds(caller, 'system.read') ? await countQuarantined(db) : 0,
    waitingReviews: await countReviews(ctx, caller),
    scannerOutage: await findScannerOutage(ctx, holds(caller, 'system.read')),
    running,
    ...figuresOf(quarters, now, ctx.settings.surroundings.timeZone),
    mail: { ...queue, refused },
    storage,
    readable,
    people,
  };
}

function withoutDetails(alert: AlertTopic): AlertTopic {
  if ('detail' in alert) return { ...alert, detail: '' };
  return 'serverText' in alert ? { ...alert, serverText: '' } : alert;
}

async function findRunning(ctx: Ctx, caller: UserCaller): Promise<RunningTransfer[]> {
  const found = await listRunning(ctx.db.read, ctx.clock.now() - runningMs, maxRunning);
  const owners = new Map<string, User | undefined>();
  for (const { ownerId } of found) if (!owners.has(ownerId)) owners.set(ownerId, await findUser(ctx.db.read, ownerId));
  const shown = found.flatMap((running) => {
    const owner = owners.get(running.ownerId);
    const isSeen = owner !== undefined && (caller.role === 'auditor' || isVisible(caller, owner));
    return isSeen ? [describe(running, owner)] : [];
  });
  if (shown.some(({ owner }) => owner.id !== caller.userId)) await recordListView(ctx, caller, 'running', {});
  return shown;
}

function describe(running: Running, owner: User): RunningTransfer {
  const { uploadId, download, bytes, totalBytes, startedAt, activeAt } = running;
  const shared = { owner, bytes, totalBytes, startedAt, activeAt };
  return download === null
    ? { id: `upload.${uploadId}`, kind: 'upload', recipient: '', ...shared }
    : { id: `download.${download.number}.${owner.id}`, kind: 'download', recipient: download.recipient, ...shared };
}

async function findStorage(ctx: Ctx): Promise<Overview['storage']> {
  const keptBytes = await sumKeptBytes(ctx.db.read);
  const space = (await ctx.blobs.state()) === 'unreachable' ? null : await ctx.blobs.space();
  if (space === null) return { keptBytes, usedBytes: null, totalBytes: null, fullOn: null };
  return { keptBytes, ...space, fullOn: await findFullDay(ctx, space) };
}

/** Days and times are in the installation's time zone. */
function figuresOf(quarters: QuarterFigures[], now: number, zone: string): Pick<Overview, 'days' | 'usual'> {
  const today = dateOf(now, zone);
  const dates = Array.from({ length: usualDays + 1 }, (_, at) => addDays(today, at - usualDays));
  const days = new Map(dates.map((date) => [date, { date, messages: 0, downloads: 0, bytes: 0 }]));
  const sums = { messages: 0, downloads: 0, bytes: 0 };
  const clockAt = zoneClock(zone, now - shownMs, now);
  const timeOfDay = clockAt(now) % dayMs;
  for (const { quarter, messages, downloads, bytes } of quarters) {
    const shown = clockAt(quarter * quarterMs);
    const day = days.get(dateOf(shown, 'UTC'));
    if (day === undefined) continue;
    addTo(day, { messages, downloads, bytes });
    if (day.date !== today && shown % dayMs <= timeOfDay) addTo(sums, { messages, downloads, bytes });
  }
  const average = (sum: number) => Math.round(sum / usualDays);
  return {
    days: [...days.values()],
    usual: {
      messages: average(sums.messages),
      downloads: average(sums.downloads),
      bytes: average(sums.bytes),
    },
  };
}

type Amounts = Omit<QuarterFigures, 'quarter'>;

function addTo(sum: Amounts, more: Amounts): void {
  sum.messages += more.messages;
  sum.downloads += more.downloads;
  sum.bytes += more.bytes;
}
