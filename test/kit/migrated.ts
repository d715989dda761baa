// Databases with all tables and nothing in them, made once and copied from then on: running every migration anew for each
// of hundreds of services would take longer than their tests. From nothing start the programs of `test/faults/`, on both
// databases; what migrations do has tests of its own.
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { repositoryRoot } from '#scripts/source-files.ts';
import { migrateDatabase, openDatabase } from '#server/db/open.ts';

let sqliteFile: Promise<string> | null = null;
let postgresSource: Promise<string> | null = null;

/** Puts the database file of an installation into its data folder. */
export async function copyMigratedFile(folder: string): Promise<void> {
  sqliteFile ??= makeSqliteFile();
  await copyFile(await sqliteFile, join(folder, 'waybill.db'));
}

async function makeSqliteFile(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-migrated-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'waybill.db');
  await migrateAt(`sqlite:${path}`);
  return path;
}

/** Says in CREATE DATABASE what to copy. Processes beside this one, and later runs of the same migrations, share it. */
export function migratedSource(serverUrl: string): Promise<string> {
  postgresSource ??= makeTemplate(serverUrl);
  return postgresSource;
}

/** Any number will do as long as nobody else uses it. */
const makersLock = 7_292_245_777;

async function makeTemplate(serverUrl: string): Promise<string> {
  const name = `waybill_migrated_${hashOfMigrations()}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`select pg_advisory_lock(${makersLock})`);
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      // Under its name only when it is whole: whoever made it before may have been killed.
      await client.query(`drop database if exists ${name}_begun with (force)`);
      await client.query(`create database ${name}_begun`);
      await migrateAt(Object.assign(new URL(serverUrl), { pathname: `/${name}_begun` }).href);
      await client.query(`alter database ${name}_begun rename to ${name}`);
    }
    const { rows } = await client.query('show server_version_num');
    // Where nothing waits for the disk, copying files takes half of the work of writing every page to the log.
    const canCopyFiles = Number(rows[0].server_version_num) >= 150_000;
    return `template ${name}${canCopyFiles ? ' strategy file_copy' : ''}`;
  } finally {
    await client.end();
  }
}

async function migrateAt(url: string): Promise<void> {
  const db = await openDatabase(url, { silenceMs: 0 });
  try {
    await migrateDatabase(db);
    await db.scrub?.();
  } finally {
    await db.close();
  }
}

function hashOfMigrations(): string {
  const folder = join(repositoryRoot, 'server', 'db', 'migrations');
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).sort()) hash.update(`${name}\0`).update(readFileSync(join(folder, name)));
  return hash.digest('hex').slice(0, 16);
}
