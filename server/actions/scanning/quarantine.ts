// The quarantine and the state of the virus scanner, for administrators.
import { findFileNames } from '../../db/attachments/attachments.ts';
import { findLinksOfAttachments } from '../../db/file-links/file-links.ts';
import { findMessagesOfAttachments } from '../../db/messages/message-files.ts';
import { countWaitingScans, findNewestVerdict, sendWaitingMails, setScanState } from '../../db/scanning/file-scans.ts';
import { endQuarantine, findQuarantined, listQuarantined, listUnscannable } from '../../db/scanning/quarantine.ts';
import { findMeta, setMeta } from '../../db/system/installation.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { notFound } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import { hasScanner, scannerInForce } from '../../domain/scanner-settings.ts';
import { scannerPlace } from '../../lib/scanners/address.ts';
import { signaturesAt } from '../../lib/scanners/clamd.ts';
import { requirePassword } from '../account/security.ts';
import { eraseHeldFile } from '../attachments/attachments.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { referencesOf } from '../transfers/references.ts';
import { requireReason } from '../users/access.ts';
import { describeScannerSettings } from './scanner-settings.ts';

const mostListed = 500;

export async function listQuarantine(ctx: Ctx, caller: UserCaller) {
  requireRight(caller, 'system.read');
  const { read } = ctx.db;
  const held = await listQuarantined(read, mostListed);
  const ids = held.map(({ attachmentId }) => attachmentId);
  const [names, links, messages] = await Promise.all([
    findFileNames(read, ids),
    findLinksOfAttachments(read, ids),
    findMessagesOfAttachments(read, ids),
  ]);
  const transfersOf = (id: string) => [...(messages.get(id) ?? []), ...(links.get(id) ?? [])].map((use) => use.id);
  const references = await referencesOf(ctx, ids.flatMap(transfersOf));
  return held.map(({ attachmentId, quarantineId, isFromOutside, ownerEmail, ...file }) => ({
    ...file,
    id: quarantineId,
    fileName: names.get(attachmentId) ?? '',
    uploader: isFromOutside ? '' : ownerEmail,
    transfers: transfersOf(attachmentId).flatMap((id) => references.get(id) ?? []),
  }));
}

/** The file may be downloaded in spite of its verdict, also after later scans. */
export async function releaseQuarantined(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  input: { reason: string; password: string },
): Promise<void> {
  requireRight(caller, 'system.change');
  const reason = requireReason(input.reason);
  await requirePassword(ctx, caller, input.password, 'password');
  await ctx.db.write(async (tx) => {
    const held = await findQuarantined(tx, id);
    const now = ctx.clock.now();
    if (held === null || !(await endQuarantine(tx, id, { by: caller.userId, now }))) throw notFound('attachment');
    await setScanState(tx, held.attachmentId, 'free');
    await sendWaitingMails(tx, held.attachmentId, now);
    await record(ctx, tx, caller, {
      action: 'attachment.released',
      object: { kind: 'attachment', id: held.attachmentId },
      ownerId: held.ownerId,
      facts: { reason },
    });
  });
}

export async function deleteQuarantined(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  requireRight(caller, 'system.change');
  await ctx.db.write(async (tx) => {
    const held = await findQuarantined(tx, id);
    if (held === null || !(await eraseHeldFile(ctx, tx, caller, held.attachmentId))) throw notFound('attachment');
  });
}

interface Status {
  version: string;
  fault: string | null;
  since: number | null;
  /** The end of the last outage and its cause. */
  lastFault?: { words: string; endedAt: number } | null;
}

const statusKey = 'scanner_status';

async function findStatus(ctx: Ctx): Promise<Status> {
  const text = await findMeta(ctx.db.read, statusKey);
  return text === null ? { version: '', fault: null, since: null } : (JSON.parse(text) as Status);
}

/** Null while the scanner works, and without one. `detail` needs the right to read the system. */
export async function findScannerOutage(
  ctx: Ctx,
  mayRead: boolean,
): Promise<{ detail: string; since: number | null } | null> {
  if (!hasScanner(ctx.settings)) return null;
  const { fault, since } = await findStatus(ctx);
  return fault === null ? null : { detail: mayRead ? fault : '', since };
}

/** Logs the beginning and the end of an outage once for all processes. */
export async function reportScanner(ctx: Ctx, { version, fault }: Omit<Status, 'since'>): Promise<void> {
  const before = await findStatus(ctx);
  const hasChanged = (before.fault === null) !== (fault === null);
  if (!hasChanged && (fault !== null || before.version === version)) return;
  const status: Status = {
    version: version || before.version,
    fault,
    since: hasChanged || before.since === null ? ctx.clock.now() : before.since,
    lastFault:
      hasChanged && before.fault !== null
        ? { words: before.fault, endedAt: ctx.clock.now() }
        : (before.lastFault ?? null),
  };
  await ctx.db.write((tx) => setMeta(tx, statusKey, JSON.stringify(status)));
  if (!hasChanged) return;
  if (fault === null) ctx.log.info({ check: 'scanner' }, 'the virus scanner works again');
  else ctx.log.error({ check: 'scanner' }, `The virus scanner does not work, so new files wait: ${fault}`);
}

const mostUnscannable = 200;

export async function getScannerStatus(ctx: Ctx, caller: UserCaller) {
  requireRight(caller, 'system.read');
  const { read } = ctx.db;
  const unscannable = await listUnscannable(read, mostUnscannable);
  const names = await findFileNames(
    read,
    unscannable.map(({ attachmentId }) => attachmentId),
  );
  const { setup } = scannerInForce(ctx.settings);
  const { lastFault = null, ...status } = await findStatus(ctx);
  return {
    place: setup === null ? null : scannerPlace(setup.address),
    ...status,
    lastFault,
    signaturesAt: signaturesAt(status.version),
    checkedAt: await findNewestVerdict(read),
    settings: describeScannerSettings(ctx),
    waiting: await countWaitingScans(read),
    notScanned: unscannable.map(({ attachmentId, ...file }) => ({ ...file, fileName: names.get(attachmentId) ?? '' })),
  };
}
