// Restores a backup into an empty installation: files first, then the database in one transaction, so that an
// interrupted restore leaves nothing usable and can be repeated. The result is in quarantine.

import { type BackupFolder, isBackupFolder, openBackupFolder, snapshotIdOf } from '../blobs/backup-folder.ts';
import { copyBlob } from '../blobs/copying.ts';
import { openVault } from '../blobs/encrypted.ts';
import { openBlobStore, openEvidenceFiles } from '../blobs/open.ts';
import type { Config } from '../config.ts';
import { createSchema, fillDatabase, findNonEmpty, NewerSchema } from '../db/across/whole-database.ts';
import { openDatabase } from '../db/open.ts';
import type { LockedDb } from '../db/schema/schema.ts';
import { endWhatWasOpen } from '../db/system/restoring.ts';
import { BlobMissing, type BlobStore, type EvidenceFiles, type NamedFile, type Random } from '../domain/ports.ts';
import { createBackground } from '../lib/background.ts';
import { createFolder } from '../lib/folders.ts';
import { OperatorProblem } from '../lib/operator-problem.ts';
import { blobKeysOf, evidenceTable } from './backup.ts';
import { type Manifest, readManifest } from './backup-manifest.ts';
import { type MasterSeal, openMasters } from './keys.ts';
import { databaseUrl, evidenceOf, storeOf } from './open.ts';
import { beginQuarantine } from './quarantine.ts';
import { readTable, type TableVault } from './saved-tables.ts';

export interface OpenedBackup {
  folder: BackupFolder;
  manifest: Manifest;
  tables: TableVault;
  close(): Promise<void>;
}

/** Clocks of two machines differ by less. */
const clockMarginMs = 3_600_000;

/** Without an id, opens the newest snapshot that is not from the future: a clock that was ahead wrote those. */
export async function openBackup(
  { dir, snapshotId }: { dir: string; snapshotId: string | null },
  masters: readonly MasterSeal[],
  now: number,
): Promise<OpenedBackup> {
  if (!(await isBackupFolder(dir))) throw new OperatorProblem(`There is no backup in ${dir}.`);
  const folder = await openBackupFolder(dir, 0);
  const ids = await folder.listIds();
  const latest = snapshotIdOf(now + clockMarginMs);
  const id = snapshotId ?? ids.findLast((one) => one <= latest) ?? ids.at(-1);
  if (id === undefined) throw new OperatorProblem(`There is no finished backup in ${dir}.`);
  if (!ids.includes(id))
    throw new OperatorProblem(`There is no snapshot ${id} in ${dir}; there are: ${ids.join(', ')}`);
  const manifest = readManifest(await folder.readManifest(id), masters);
  const vault = openVault(await folder.openTables(id));
  const tables = { vault, dataKey: Buffer.from(manifest.contents.dataKey, 'base64'), snapshotId: id };
  return { folder, manifest, tables, close: () => vault.close() };
}

export interface RestoreOptions {
  dir: string;
  snapshotId: string | null;
  /** False: the store has the files already. */
  hasFiles: boolean;
  random: Random;
  now: number;
}

export interface RestoreOutcome {
  manifest: Manifest;
  files: number;
  missingFiles: number;
  rows: number;
  heldMails: number;
}

export async function restoreBackup(config: Config, options: RestoreOptions): Promise<RestoreOutcome> {
  const backup = await openBackup(options, await openMasters(config, options.random), options.now);
  try {
    const { manifest } = backup;
    if (options.hasFiles && manifest.contents.files === null)
      throw new OperatorProblem(
        `The snapshot ${manifest.id} has no files, only the database. Choose another with --snapshot, or run it with --no-files ` +
          'if the store has the files already.',
      );
    await createFolder(config.dataDir);
    await assertEmptyDatabase(databaseUrl(config));
    const { files, missingFiles } = options.hasFiles
      ? await restoreFiles(config, backup)
      : { files: 0, missingFiles: 0 };
    const evidence = await openEvidenceFiles(evidenceOf(config));
    await restoreEvidence(backup, evidence).finally(() => evidence.close());
    const db = await openDatabase(databaseUrl(config), { silenceMs: 0 });
    let heldMails = 0;
    const rows = await restoreDatabase(backup, db, async (tx) => {
      heldMails = await endWhatWasOpen(tx, options.now);
      await beginQuarantine(tx, 'restored');
    }).finally(() => db.close());
    return { manifest, files, missingFiles, rows, heldMails };
  } finally {
    await backup.close();
  }
}

async function assertEmptyDatabase(url: string): Promise<void> {
  const table = await findNonEmpty(url);
  if (table === null) return;
  throw new OperatorProblem(
    `The database is not empty (it has rows in ${table}), and a restore never overwrites. Restore into a new place: ` +
      'another WAYBILL_DATA_DIR, or an empty database in WAYBILL_DATABASE_URL.',
  );
}

const copiesAtOnce = 4;

async function restoreFiles(
  config: Config,
  { folder, manifest, tables }: OpenedBackup,
): Promise<{ files: number; missingFiles: number }> {
  const store = await openBlobStore(storeOf(config));
  try {
    await assertEmptyStore(store, folder.files);
    const background = createBackground(copiesAtOnce);
    let files = 0;
    let missingFiles = 0;
    const copy = async (key: string) => {
      try {
        await copyBlob({ from: folder.files, to: store }, key);
        files += 1;
      } catch (error) {
        // Missing since the backup; the manifest counts it.
        if (!(error instanceof BlobMissing)) throw error;
        missingFiles += 1;
      }
    };
    for await (const key of blobKeysOf(tables, manifest.contents.tables)) await background.start(() => copy(key));
    await background.finish();
    return { files, missingFiles };
  } finally {
    await store.close();
  }
}

/** An interrupted run may have copied files of this backup. */
async function assertEmptyStore(store: BlobStore, saved: BlobStore): Promise<void> {
  const isOwned = (await store.readMark()) !== null;
  for await (const { key, storedBytes } of store.list()) {
    if (!isOwned && (await saved.stat(key))?.storedBytes === storedBytes) continue;
    throw new OperatorProblem(
      'The store is not empty, and a restore never overwrites. Give it an empty folder (WAYBILL_STORAGE_DIR), bucket or ' +
        'prefix. If the store has the files of this installation already, run it with --no-files.',
    );
  }
}

export async function restoreEvidence({ manifest, tables }: OpenedBackup, files: EvidenceFiles): Promise<void> {
  const saved = manifest.contents.tables.find(({ name }) => name === evidenceTable);
  if (saved === undefined) return;
  for await (const [path, bytes] of readTable(tables, saved)) {
    const file: NamedFile = { path: String(path), bytes: bytes as Buffer };
    await files.put([file]);
  }
}

/** Creates the tables of the backup's version and fills them; returns the number of rows. */
export async function restoreDatabase(
  { manifest, tables }: OpenedBackup,
  db: LockedDb,
  finish: Parameters<typeof fillDatabase>[2],
): Promise<number> {
  const saved = manifest.contents.tables.filter(({ name }) => name !== evidenceTable);
  try {
    await createSchema(db, manifest.contents.migrations);
  } catch (error) {
    throw error instanceof NewerSchema ? new OperatorProblem(error.message) : error;
  }
  const contents = saved.map((table) => ({ ...table, rows: () => readTable(tables, table) }));
  await fillDatabase(db, contents, finish);
  return saved.reduce((sum, { rows }) => sum + rows, 0);
}
