// Checks one stored file, by the virus scanner and the content rules, and applies the verdict.

import { saveFindings } from '../../db/scanning/file-contents.ts';
import {
  type DueScan,
  type FileScan,
  findVerdict,
  finishScan,
  saveVerdict,
  sendWaitingMails,
  setScanProgress,
  setScanState,
} from '../../db/scanning/file-scans.ts';
import type { Query, Tx } from '../../db/schema/schema.ts';
import { findUser } from '../../db/users/users.ts';
import type { StoredFile } from '../../domain/attachments.ts';
import { systemCaller } from '../../domain/caller.ts';
import { blockedByContent } from '../../domain/content-rules.ts';
import { defaultPolicy, type Policy } from '../../domain/policy.ts';
import { type FileResult, type ScanState, stateAfter, withoutScanner } from '../../domain/scanning.ts';
import { isEncrypted } from '../../lib/archives/encryption.ts';
import {
  clean,
  FileRefused,
  infected,
  isScanReason,
  type Scanner,
  type ScanResult,
  unscannable,
} from '../../lib/scanners/scanner.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { requestReviewsOfHeld } from '../messages/reviews.ts';
import { readStored, readStoredRange } from '../uploads/sealing.ts';
import { inspectStored } from './contents.ts';

export interface ScanOptions {
  /** Null without one; then only the content rules apply. */
  scanner: Scanner | null;
  version: string;
  signal: AbortSignal;
}

const progressEveryMs = 2000;

/** Rejects with `ScannerSilent` if there is no verdict. */
export async function scanFile(ctx: Ctx, due: DueScan, options: ScanOptions): Promise<void> {
  const { file } = due;
  const policy = await policyOfOwner(ctx.db.read, file.ownerId);
  const findings = await inspectStored(ctx, file);
  const scanner = policy.virus_scan ? options.scanner : null;
  const scanned = scanner === null ? earlierResult(due.scan) : await findResult(ctx, due, { ...options, scanner });
  const result = scanned?.verdict === 'infected' ? scanned : (blockedByContent(findings, policy) ?? scanned ?? clean);
  await ctx.db.write(async (tx) => {
    await saveFindings(tx, file.id, findings, ctx.clock.now());
    await applyVerdict(ctx, tx, due, { result, version: scanner === null ? withoutScanner : options.version });
  });
}

/** What a scanner found stays in force when the file is no longer scanned. */
function earlierResult({ verdict, reason, signature }: FileScan): ScanResult | null {
  if (verdict === 'infected') return infected(signature);
  return verdict === 'unscannable' && isScanReason(reason) ? unscannable(reason) : null;
}

type Scanning = ScanOptions & { scanner: Scanner };

export async function policyOfOwner(db: Query, ownerId: string): Promise<Policy> {
  return (await findUser(db, ownerId))?.policy ?? defaultPolicy(true);
}

/** Of the scanner, or an earlier one on the same content. */
async function findResult(ctx: Ctx, due: DueScan, options: Scanning): Promise<ScanResult> {
  const { file } = due;
  const contentHash = ctx.keys.hash('scan', file.sha256);
  const known = await findVerdict(ctx.db.read, contentHash, {
    version: options.version,
    since: due.scan.verdict === '' ? 0 : due.scan.requestedAt,
  });
  if (known !== null) return known;
  const result = await judge(ctx, file, options);
  const { version } = options;
  await ctx.db.write((tx) => saveVerdict(tx, { contentHash, version, now: ctx.clock.now(), result }));
  return result;
}

/** Some scanners pass encrypted archives as clean, others refuse them with an error. */
async function judge(ctx: Ctx, file: StoredFile, options: Scanning): Promise<ScanResult> {
  const read = (start: number, end: number) => readStoredRange(ctx, file, { start, end });
  try {
    const result = await askScanner(ctx, file, options);
    if (result.verdict !== 'clean') return result;
    return (await isEncrypted(file.sizeBytes, read)) ? unscannable('encrypted') : result;
  } catch (error) {
    if (!(error instanceof FileRefused) || !(await isEncrypted(file.sizeBytes, read))) throw error;
    return unscannable('encrypted');
  }
}

/** Streams the whole file from the store, in constant memory. */
async function askScanner(ctx: Ctx, file: StoredFile, { scanner, signal }: Scanning): Promise<ScanResult> {
  let reportedAt = ctx.clock.uptime();
  return scanner.scan({
    fileName: file.fileName,
    sizeBytes: file.sizeBytes,
    signal,
    read: () => readStored(ctx, file),
    onBytes(sent) {
      if (ctx.clock.uptime() - reportedAt < progressEveryMs) return;
      reportedAt = ctx.clock.uptime();
      ctx.db.write((tx) => setScanProgress(tx, file.id, sent)).catch(() => {});
    },
  });
}

/** Nothing changes if the file does not wait any more. */
export async function applyVerdict(
  ctx: Ctx,
  tx: Tx,
  { file, scan }: DueScan,
  { result, version }: { result: FileResult; version: string },
): Promise<void> {
  const policy = await policyOfOwner(tx, file.ownerId);
  const state: ScanState = stateAfter(result, policy);
  const quarantineId = state === 'held' ? (scan.quarantineId ?? ctx.random.id()) : null;
  const now = ctx.clock.now();
  if (!(await finishScan(tx, { ...result, attachmentId: file.id, version, now, quarantineId }))) return;
  await setScanState(tx, file.id, state);
  if (state === 'held' && scan.verdict === '') await requestReviewsOfHeld(ctx, tx, file.id);
  await sendWaitingMails(tx, file.id, now);
  const isNews = scan.verdict !== result.verdict || scan.signature !== result.signature || file.scanState !== state;
  if (!isNews) return;
  await record(ctx, tx, systemCaller, {
    action: state === 'held' ? 'attachment.quarantined' : 'attachment.scanned',
    object: { kind: 'attachment', id: file.id },
    ownerId: file.ownerId,
    facts: { verdict: result.verdict, reason: result.reason, signature: result.signature },
  });
}
