// Scans one stored file and applies the verdict.
import {
  type DueScan,
  findVerdict,
  finishScan,
  saveVerdict,
  sendWaitingMails,
  setScanProgress,
  setScanState,
} from '../../db/scanning/file-scans.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { findUser } from '../../db/users/users.ts';
import type { StoredFile } from '../../domain/attachments.ts';
import { systemCaller } from '../../domain/caller.ts';
import { defaultPolicy } from '../../domain/policy.ts';
import { type ScanState, stateAfter } from '../../domain/scanning.ts';
import { isEncrypted } from '../../lib/archives/encryption.ts';
import { FileRefused, type Scanner, type ScanResult, unscannable } from '../../lib/scanners/scanner.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { readStored, readStoredRange } from '../uploads/sealing.ts';

export interface ScanOptions {
  scanner: Scanner;
  version: string;
  signal: AbortSignal;
}

const progressEveryMs = 2000;

/** Rejects with `ScannerSilent` if there is no verdict. */
export async function scanFile(ctx: Ctx, due: DueScan, options: ScanOptions): Promise<void> {
  const { file } = due;
  const contentHash = ctx.keys.hash('scan', file.sha256);
  const known = await findVerdict(ctx.db.read, contentHash, {
    version: options.version,
    since: due.scan.verdict === '' ? 0 : due.scan.requestedAt,
  });
  const result = known ?? (await judge(ctx, file, options));
  await ctx.db.write(async (tx) => {
    const now = ctx.clock.now();
    if (known === null) await saveVerdict(tx, { contentHash, version: options.version, now, result });
    await applyVerdict(ctx, tx, due, { result, version: options.version });
  });
}

/** Some scanners pass encrypted archives as clean, others refuse them with an error. */
async function judge(ctx: Ctx, file: StoredFile, options: ScanOptions): Promise<ScanResult> {
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
async function askScanner(ctx: Ctx, file: StoredFile, { scanner, signal }: ScanOptions): Promise<ScanResult> {
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
  { result, version }: { result: ScanResult; version: string },
): Promise<void> {
  const policy = (await findUser(tx, file.ownerId))?.policy ?? defaultPolicy(true);
  const state: ScanState = stateAfter(result, policy);
  const quarantineId = state === 'held' ? (scan.quarantineId ?? ctx.random.id()) : null;
  const now = ctx.clock.now();
  if (!(await finishScan(tx, { ...result, attachmentId: file.id, version, now, quarantineId }))) return;
  await setScanState(tx, file.id, state);
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
