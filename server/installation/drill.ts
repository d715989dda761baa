// Restore test: restores a backup into a scratch folder inside the data folder, reads every file back, and checks the
// evidence log. The folder is removed afterwards.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ctx } from '../actions/context.ts';
import { verifyLog } from '../actions/evidence/verify.ts';
import { checkFile } from '../actions/storage/checking.ts';
import { openVault } from '../blobs/encrypted.ts';
import { openEvidenceFiles } from '../blobs/open.ts';
import type { Config } from '../config.ts';
import { lockFile } from '../db/engine/file-lock.ts';
import { openDatabase } from '../db/open.ts';
import type { LockedDb } from '../db/schema/schema.ts';
import { countFinishedFiles, listFileIdsAfter } from '../db/storage/storage.ts';
import { unlock } from '../db/unlock.ts';
import { systemCaller } from '../domain/caller.ts';
import type { Clock, Log, Random } from '../domain/ports.ts';
import { createFolder } from '../lib/folders.ts';
import { evidenceTable } from './backup.ts';
import { openKeys, openMasters } from './keys.ts';
import { type OpenedBackup, openBackup, restoreDatabase, restoreEvidence } from './restore.ts';
import { openSettings, surroundingsOf } from './settings.ts';

export interface DrillOptions {
  dir: string;
  snapshotId: string | null;
  /** Share of the files to read, from 0 to 1. */
  sample: number;
}

export interface DrillOutcome {
  snapshotId: string;
  madeAt: number;
  rows: number;
  filesRead: number;
  filesTotal: number;
  /** Sentences; empty when the backup is good. */
  faults: string[];
}

export interface DrillTools {
  config: Config;
  log: Log;
  random: Random;
  clock: Clock;
}

const batchSize = 100;
const faultsMax = 20;

/** Null while another restore test uses the scratch folder. */
export async function drillBackup(tools: DrillTools, options: DrillOptions): Promise<DrillOutcome | null> {
  const { dataDir } = tools.config;
  await createFolder(dataDir);
  using lock = lockFile(join(dataDir, 'drill.lock'));
  return lock === null ? null : await drillIn(join(dataDir, 'drill'), tools, options);
}

async function drillIn(scratch: string, tools: DrillTools, options: DrillOptions): Promise<DrillOutcome> {
  const { config, random } = tools;
  const backup = await openBackup(options, await openMasters(config, random), tools.clock.now());
  // Left by a restore test that was killed.
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  try {
    const db = await openDatabase(`sqlite:${join(scratch, 'waybill.db')}`);
    try {
      const rows = await restoreDatabase(backup, db, async () => {});
      const ctx = await openScratch(tools, backup, { db, scratch });
      const { filesRead, filesTotal, faults } = await readFiles(ctx, backup, options.sample);
      const evidence = backup.manifest.contents.tables.some(({ name }) => name === evidenceTable);
      const { fault } = evidence ? await verifyLog(ctx) : { fault: null };
      if (fault !== null) faults.push(`The log of evidence does not fit: ${fault}`);
      await ctx.blobs.close();
      const { id: snapshotId, madeAt } = backup.manifest;
      return { snapshotId, madeAt, rows, filesRead, filesTotal, faults };
    } finally {
      await db.close();
    }
  } finally {
    await backup.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The restored database with the files of the backup. */
async function openScratch(
  { config, log, random, clock }: DrillTools,
  backup: OpenedBackup,
  { db: locked, scratch }: { db: LockedDb; scratch: string },
): Promise<Ctx> {
  const { keys } = await openKeys(config, locked, { random, clock });
  const evidence = await openEvidenceFiles({ kind: 'file', dir: join(scratch, 'evidence') });
  await restoreEvidence(backup, evidence);
  return {
    db: unlock(locked, keys),
    blobs: openVault(backup.folder.files),
    clock,
    random,
    settings: await openSettings(locked, surroundingsOf(config)),
    log,
    keys,
    evidence,
  };
}

async function readFiles(
  ctx: Ctx,
  backup: OpenedBackup,
  sample: number,
): Promise<Pick<DrillOutcome, 'filesRead' | 'filesTotal' | 'faults'>> {
  const filesTotal = await countFinishedFiles(ctx.db.read);
  const { files } = backup.manifest.contents;
  if (files === null) return { filesRead: 0, filesTotal, faults: [] };
  const faults: string[] = [];
  let filesRead = 0;
  let bad = 0;
  for (let after = ''; ; ) {
    const batch = await listFileIdsAfter(ctx.db.read, after, batchSize);
    for (const id of batch) {
      // A sample of few files has at least one.
      const isDrawn = sample >= 1 || ctx.random.bytes(4).readUInt32BE() < sample * 2 ** 32;
      const isLast = filesRead === 0 && batch.length < batchSize && id === batch.at(-1);
      if (!isDrawn && !isLast) continue;
      const verdict = await checkFile(ctx, systemCaller, id);
      filesRead += 1;
      if (verdict !== 'damaged' && verdict !== 'missing') continue;
      bad += 1;
      if (bad <= faultsMax) faults.push(`The file ${id} is ${verdict}.`);
    }
    if (batch.length < batchSize) break;
    after = batch.at(-1)!;
  }
  if (bad > faultsMax) faults.push(`${bad - faultsMax} more files are damaged or missing.`);
  return { filesRead, filesTotal, faults };
}
