// Backs up the running service: a snapshot of the database, then its files. jobs/sweep-blobs.ts removes nothing from
// the store meanwhile. Everything is encrypted; the master key is not included.

import type { Ctx } from '../actions/context.ts';
import { checkpointPath, EvidenceFault, readTile } from '../actions/evidence/log.ts';
import { type BackupFolder, openBackupFolder, snapshotIdOf } from '../blobs/backup-folder.ts';
import { copyBlob } from '../blobs/copying.ts';
import { openVault } from '../blobs/encrypted.ts';
import { migrationsName } from '../db/across/whole-database.ts';
import { type Snapshot, withSnapshot } from '../db/engine/snapshot.ts';
import type { SqlValue } from '../db/engine/values.ts';
import { findInstallationId, findMeta } from '../db/system/installation.ts';
import { snapshotsToKeep } from '../domain/backups.ts';
import { BlobMissing, type BlobStore } from '../domain/ports.ts';
import { createBackground } from '../lib/background.ts';
import { OperatorProblem } from '../lib/operator-problem.ts';
import { listTiles, tilePath } from '../lib/tlog/tiles.ts';
import { type Contents, identify, type SavedTable, writeManifest } from './backup-manifest.ts';
import { keyCheck, type MasterSeal, proofOf } from './keys.ts';
import { readTable, saveTable, type TableVault } from './saved-tables.ts';

/** Holds the files of the evidence log, which are outside the database. */
export const evidenceTable = 'evidence files';

export interface BackupSource {
  ctx: Ctx;
  master: MasterSeal;
  /** Encrypted, as stored. */
  store: BlobStore;
  databaseUrl: string;
}

export interface BackupOptions {
  dir: string;
  minFreeBytes: number;
  keep: { keepDays: number; keepWeeks: number };
  /** False: the database only. */
  hasFiles: boolean;
  /** True: it stays until an operator removes it. */
  isKept?: boolean;
}

/** Too old, or replaced by a newer one of the same day or week. */
export interface RemovedSnapshot {
  id: string;
  isOld: boolean;
}

export interface BackupOutcome {
  id: string;
  files: number;
  /** Stored size of all files of the snapshot. */
  fileBytes: number;
  /** Copied by this run. */
  newFiles: number;
  /** Files that are missing in the store. */
  missingFiles: number;
  tableBytes: number;
  removedSnapshots: RemovedSnapshot[];
  warnings: string[];
}

const copiesAtOnce = 4;
const dayMs = 86_400_000;

/** The caller MUST hold the lease of the job. */
export async function makeBackup(source: BackupSource, options: BackupOptions): Promise<BackupOutcome> {
  const { ctx, master } = source;
  if ((await findMeta(ctx.db.read, keyCheck)) !== proofOf(master))
    throw new OperatorProblem(
      'The master key was changed on another machine. Copy the key file from there (WAYBILL_MASTER_KEY_FILE), then try again.',
    );
  const folder = await openBackupFolder(options.dir, options.minFreeBytes);
  const installation = await claimFolder(ctx, folder, options.dir);
  await folder.removeUnfinished();
  const madeAt = ctx.clock.now();
  const id = snapshotIdOf(madeAt);
  const vault = openVault(await folder.openTables(id));
  const tables: TableVault = { vault, dataKey: ctx.random.bytes(32), snapshotId: id };
  try {
    const warnings: string[] = [];
    const saved = await saveDatabase(source, tables);
    saved.tables.push(...(await saveEvidence(ctx, tables, saved.tables, warnings)));
    const copied = options.hasFiles ? await copyFiles(source, folder, tables, { saved: saved.tables, madeAt }) : null;
    const { version } = ctx.settings.surroundings;
    const contents: Contents = {
      dataKey: tables.dataKey.toString('base64'),
      ...saved,
      files: copied === null ? null : { count: copied.files, bytes: copied.bytes, missing: copied.missing },
    };
    await folder.finish(
      id,
      writeManifest(
        { id, installation, madeAt, version, contents, ...(options.isKept === true ? { isKept: true } : {}) },
        master,
      ),
    );
    return {
      id,
      files: copied?.files ?? 0,
      fileBytes: copied?.bytes ?? 0,
      newFiles: copied?.added ?? 0,
      missingFiles: copied?.missing ?? 0,
      tableBytes: saved.tables.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      removedSnapshots: await removeOld(folder, options.keep, madeAt),
      warnings,
    };
  } finally {
    await vault.close();
  }
}

/** Refuses the folder of another installation. */
async function claimFolder(ctx: Ctx, folder: BackupFolder, dir: string): Promise<string> {
  const installation = await findInstallationId(ctx.db.read);
  const mark = await folder.files.readMark();
  if (mark === null) await folder.files.writeMark(installation);
  else if (mark !== installation)
    throw new OperatorProblem(`The folder ${dir} has the backups of another installation. Choose a folder of its own.`);
  return installation;
}

async function saveDatabase(
  { ctx, databaseUrl }: BackupSource,
  tables: TableVault,
): Promise<Pick<Contents, 'migrations' | 'tables'>> {
  return withSnapshot(databaseUrl, async (snapshot) => {
    const saved: SavedTable[] = [];
    const migrations: string[] = [];
    for (const table of snapshot.tables) {
      if (table.name === migrationsName) migrations.push(...(await namesOf(snapshot)));
      else saved.push(await saveTable(tables, { ...table, batches: snapshot.rows(table) }, ctx.random));
    }
    return { migrations, tables: saved };
  });
}

async function namesOf(snapshot: Snapshot): Promise<string[]> {
  const names: string[] = [];
  for await (const batch of snapshot.rows({ name: migrationsName, columns: ['name'] }))
    names.push(...batch.map(([name]) => String(name)));
  return names;
}

/** Saves the evidence log up to its size in the snapshot. */
async function saveEvidence(
  ctx: Ctx,
  tables: TableVault,
  saved: readonly SavedTable[],
  warnings: string[],
): Promise<SavedTable[]> {
  const log = saved.find(({ name }) => name === 'evidence_log');
  if (log === undefined || log.rows === 0) return [];
  const head = await firstRow(tables, log);
  const size = Number(head.size);
  async function* files(): AsyncGenerator<SqlValue[][]> {
    for (const tile of listTiles(size)) yield [[tilePath(tile), (await readTile(ctx, tile))!]];
    if (size > 0) yield [[checkpointPath, Buffer.from(String(head.note))]];
  }
  try {
    const columns = ['path', 'bytes'];
    return [await saveTable(tables, { name: evidenceTable, columns, batches: files() }, ctx.random)];
  } catch (error) {
    if (!(error instanceof EvidenceFault)) throw error;
    warnings.push(`The log of evidence was not saved: ${error.message}`);
    return [];
  }
}

async function firstRow(tables: TableVault, table: SavedTable): Promise<Record<string, SqlValue>> {
  for await (const row of readTable(tables, table))
    return Object.fromEntries(table.columns.map((column, index) => [column, row[index]!]));
  throw new OperatorProblem(`The table ${table.name} is empty.`);
}

interface CopiedFiles {
  files: number;
  bytes: number;
  added: number;
  missing: number;
}

/** Copies the files of the saved database, so that a restored one references no file that was not copied. */
async function copyFiles(
  { ctx, store }: BackupSource,
  folder: BackupFolder,
  tables: TableVault,
  { saved, madeAt }: { saved: readonly SavedTable[]; madeAt: number },
): Promise<CopiedFiles> {
  const copied: CopiedFiles = { files: 0, bytes: 0, added: 0, missing: 0 };
  const background = createBackground(copiesAtOnce);
  async function copy(key: string): Promise<void> {
    try {
      const { storedBytes, wasThere } = await copyBlob({ from: store, to: folder.files }, key);
      await folder.noteUse(key, madeAt);
      copied.files += 1;
      copied.bytes += storedBytes;
      if (!wasThere) copied.added += 1;
    } catch (error) {
      if (!(error instanceof BlobMissing)) throw error;
      copied.missing += 1;
      ctx.log.warn({ blob: key.slice(0, 6) }, 'a file is not in the store and could not be backed up');
    }
  }
  for await (const key of blobKeysOf(tables, saved)) await background.start(() => copy(key));
  await background.finish();
  return copied;
}

export async function* blobKeysOf(tables: TableVault, saved: readonly SavedTable[]): AsyncGenerator<string> {
  const parts = saved.find(({ name }) => name === 'parts')!;
  const column = parts.columns.indexOf('blob_key');
  for await (const row of readTable(tables, parts)) yield String(row[column]);
}

/** Removes old snapshots, and files that no other snapshot needs. */
async function removeOld(folder: BackupFolder, keep: BackupOptions['keep'], now: number): Promise<RemovedSnapshot[]> {
  const all = await Promise.all((await folder.listIds()).map(async (id) => identify(await folder.readManifest(id))));
  const scheduled = all.filter(({ isKept }) => !isKept);
  const kept = snapshotsToKeep(scheduled, keep, now);
  const removed = scheduled.filter(({ madeAt }) => !kept.has(madeAt));
  for (const { id } of removed) await folder.remove(id);
  const left = all.filter((one) => !removed.includes(one)).map(({ madeAt }) => madeAt);
  if (removed.length > 0) await folder.removeFilesUnusedSince(Math.min(...left));
  const oldBefore = now - Math.max(keep.keepDays, 7 * keep.keepWeeks) * dayMs;
  return removed.map(({ id, madeAt }) => ({ id, isOld: madeAt < oldBefore }));
}
