// Sends waiting files to the virus scanner and the content rules, several in parallel. The queue is in the database: after a crash
// another process continues it.
import type { Ctx } from '../actions/context.ts';
import { inspectStored } from '../actions/scanning/contents.ts';
import { reportScanner } from '../actions/scanning/quarantine.ts';
import { applyVerdict, policyOfOwner, type ScanOptions, scanFile } from '../actions/scanning/scan.ts';
import { checkFile } from '../actions/storage/checking.ts';
import { findAttachment } from '../db/attachments/attachments.ts';
import {
  countAttempt,
  type DueScan,
  insertLaterScans,
  listDueScans,
  listLongWaiting,
  listNeverQueued,
  listOutdatedScans,
  postponeScan,
  requestRescans,
  retryScans,
  sendWaitingMails,
  setScanState,
} from '../db/scanning/file-scans.ts';
import { systemCaller } from '../domain/caller.ts';
import { blockedByContent, hasContentRules } from '../domain/content-rules.ts';
import type { Policy } from '../domain/policy.ts';
import { BlobDamaged, BlobMissing } from '../domain/ports.ts';
import { withoutScanner } from '../domain/scanning.ts';
import { counted } from '../lib/counted.ts';
import { type Scanner, ScannerSilent, unscannable } from '../lib/scanners/scanner.ts';
import { testScanner } from '../lib/scanners/self-test.ts';
import type { Job } from './job.ts';
import { LeaseLost } from './lease.ts';
import type { OpenedScanner } from './scanner-in-force.ts';

const atOnce = 4;
/** Interval of checks for new signatures while nothing waits. */
const checkEveryMs = 30_000;
const rescannedAtOnce = 500;
const retryMs = 30_000;
const lostRetryMs = 15 * 60_000;
/** A scanner that works is tested again, so that a change of its settings is noticed. */
const testEveryMs = 15 * 60_000;

export function createScanFiles(openedScanner: (ctx: Ctx) => OpenedScanner): Job {
  const stopping = new AbortController();
  const trust = createTrust(openedScanner);
  return {
    name: 'scan-files',
    everyMs: 1000,
    isHarmless: true,
    stop: () => stopping.abort(),
    async run(ctx) {
      const due = await listDueScans(ctx.db.read, ctx.clock.now(), atOnce);
      if (due.length === 0 && !trust.isCheckDue(ctx)) return 'nothing to scan';
      try {
        let trusted = await trust.check(ctx);
        const scanned = await scanDue(ctx, async () => {
          if (trust.isCheckDue(ctx)) trusted = await trust.check(ctx);
          return { ...trusted, signal: stopping.signal };
        });
        return `${counted(scanned, 'file')} scanned`;
      } catch (error) {
        if (!(error instanceof ScannerSilent)) throw error;
        await trust.lose(ctx, error.message);
        await releaseSilent(ctx, openedScanner(ctx).timeoutMs);
        return `the scanner does not answer: ${error.message}`;
      }
    },
  };
}

/** Which scanner, and which version of it, may be believed. */
function createTrust(openedScanner: (ctx: Ctx) => OpenedScanner) {
  let rescans = createRescans();
  let scanner: Scanner | null = null;
  let fault: string | null = null;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let tested: { version: string; at: number } | null = null;

  async function endFault(ctx: Ctx): Promise<void> {
    if (fault !== null) await ctx.db.write((tx) => retryScans(tx, ctx.clock.now()));
    fault = null;
  }

  async function follow(ctx: Ctx): Promise<void> {
    const { scanner: current } = openedScanner(ctx);
    if (current === scanner) return;
    scanner = current;
    tested = null;
    rescans = createRescans();
    await endFault(ctx);
  }

  return {
    isCheckDue(ctx: Ctx): boolean {
      if (openedScanner(ctx).scanner !== scanner) return true;
      return scanner !== null && (fault !== null || ctx.clock.uptime() - checkedAt >= checkEveryMs);
    },
    /** The version whose verdicts count. */
    async check(ctx: Ctx): Promise<Pick<ScanOptions, 'scanner' | 'version'>> {
      checkedAt = ctx.clock.uptime();
      await follow(ctx);
      if (scanner === null) return { scanner, version: withoutScanner };
      const version = await scanner.version();
      const now = ctx.clock.uptime();
      if (tested === null || tested.version !== version || now - tested.at > testEveryMs) {
        await testScanner(scanner);
        tested = { version, at: now };
      }
      await endFault(ctx);
      await reportScanner(ctx, { version, fault });
      if (await rescans.request(ctx, version)) checkedAt = Number.NEGATIVE_INFINITY;
      return { scanner, version };
    },
    async lose(ctx: Ctx, why: string): Promise<void> {
      fault = why;
      tested = null;
      await reportScanner(ctx, { version: '', fault });
    },
  };
}

/** Puts files into the queue that a working scanner has not seen, or not with its signatures. */
function createRescans() {
  let startedAt: number | null = null;
  /** Of files from before the scanner; null at their end. */
  let queuedUpTo: string | null = '';

  /**
   * Files that were scanned with other signatures, or before this process started. Their verdicts stay in force. True
   * if there may be more.
   */
  async function requestOutdated(ctx: Ctx, version: string): Promise<boolean> {
    startedAt ??= ctx.clock.now();
    const ids = await listOutdatedScans(ctx.db.read, { version, before: startedAt, limit: rescannedAtOnce });
    if (ids.length > 0) await ctx.db.write((tx) => requestRescans(tx, ids, ctx.clock.now()));
    return ids.length === rescannedAtOnce;
  }

  /** Files from before the scanner, unless their groups need none. True if there may be more. */
  async function requestNeverQueued(ctx: Ctx): Promise<boolean> {
    if (queuedUpTo === null) return false;
    const files = await listNeverQueued(ctx.db.read, { after: queuedUpTo, limit: rescannedAtOnce });
    const scanned = new Set<string>();
    for (const ownerId of new Set(files.map((file) => file.ownerId)))
      if ((await policyOfOwner(ctx.db.read, ownerId)).virus_scan) scanned.add(ownerId);
    const ids = files.filter(({ ownerId }) => scanned.has(ownerId)).map(({ id }) => id);
    if (ids.length > 0) await ctx.db.write((tx) => insertLaterScans(tx, ids, ctx.clock.now()));
    queuedUpTo = files.length < rescannedAtOnce ? null : files.at(-1)!.id;
    return queuedUpTo !== null;
  }

  return {
    /** True if there may be more. */
    async request(ctx: Ctx, version: string): Promise<boolean> {
      const hasMore = [await requestOutdated(ctx, version), await requestNeverQueued(ctx)];
      return hasMore.includes(true);
    },
  };
}

/**
 * Several in parallel, so that a large file does not hold up others. Returns how many were tried. Rejects with
 * `ScannerSilent` if the scanner does not work.
 */
async function scanDue(ctx: Ctx, optionsNow: () => Promise<ScanOptions>): Promise<number> {
  const running = new Map<string, Promise<void>>();
  let failure: { reason: unknown } | null = null;
  let tried = 0;
  const start = (due: DueScan, options: ScanOptions) =>
    scanFile(ctx, due, options)
      .catch((reason: unknown) => handleFailure(ctx, due, options, reason))
      .catch((reason: unknown) => {
        failure ??= { reason };
      })
      .finally(() => running.delete(due.file.id));
  const startMore = async () => {
    const options = await optionsNow();
    if (options.signal.aborted) return;
    const due = await listDueScans(ctx.db.read, ctx.clock.now(), atOnce + running.size);
    const next = due.filter(({ file }) => !running.has(file.id)).slice(0, atOnce - running.size);
    for (const one of next) running.set(one.file.id, start(one, options));
    tried += next.length;
  };
  for (;;) {
    if (failure === null)
      await startMore().catch((reason: unknown) => {
        failure = { reason };
      });
    if (running.size === 0) break;
    await Promise.race(running.values());
  }
  if (failure !== null) throw (failure as { reason: unknown }).reason;
  return tried;
}

async function handleFailure(ctx: Ctx, due: DueScan, options: ScanOptions, reason: unknown): Promise<void> {
  if (options.signal.aborted || reason instanceof LeaseLost) throw reason;
  const nextAt = ctx.clock.now() + (isLost(reason) ? lostRetryMs : retryMs);
  await ctx.db.write((tx) => postponeScan(tx, due.file.id, nextAt));
  if (isLost(reason)) {
    ctx.log.warn({ file: due.file.id.slice(0, 6), err: String(reason) }, 'a file could not be read for the virus scan');
    if (reason instanceof BlobDamaged) await checkFile(ctx, systemCaller, due.file.id);
  } else if (!(reason instanceof ScannerSilent)) throw reason;
  else {
    if (options.scanner !== null) await testScanner(options.scanner);
    await countSilence(ctx, due, options.version);
  }
}

const mostAttempts = 3;

/** A file that a working scanner gives no verdict on cannot be scanned. */
async function countSilence(ctx: Ctx, due: DueScan, version: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    if ((await countAttempt(tx, due.file.id)) < mostAttempts) return;
    await applyVerdict(ctx, tx, due, { result: unscannable('damaged'), version });
  });
}

const releasedAtOnce = 2000;

/**
 * Groups may let new files through while the scanner is silent, and some do not need it; these files stay in the queue.
 */
async function releaseSilent(ctx: Ctx, silentMs: number): Promise<void> {
  const now = ctx.clock.now();
  for (const { attachmentId, ownerId } of await listLongWaiting(ctx.db.read, now - silentMs, releasedAtOnce)) {
    const policy = await policyOfOwner(ctx.db.read, ownerId);
    if (policy.virus_scan && policy.virus_scan_silent !== 'release') continue;
    if (await isBlocked(ctx, attachmentId, policy)) continue;
    await ctx.db.write(async (tx) => {
      await setScanState(tx, attachmentId, 'free');
      await sendWaitingMails(tx, attachmentId, now);
    });
  }
}

/** The content rules apply without the scanner; a file that cannot be read does not follow them. */
async function isBlocked(ctx: Ctx, attachmentId: string, policy: Policy): Promise<boolean> {
  const file = hasContentRules(policy) ? await findAttachment(ctx.db.read, attachmentId) : null;
  if (file === null) return false;
  try {
    return blockedByContent(await inspectStored(ctx, file), policy) !== null;
  } catch (error) {
    if (isLost(error)) return true;
    throw error;
  }
}

function isLost(error: unknown): boolean {
  return error instanceof BlobMissing || error instanceof BlobDamaged;
}
