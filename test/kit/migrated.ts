// Empty migrated databases, created once and then copied, because migrating one for each service would take longer than
// its tests.
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

export async function copyMigratedFile(folder: string): Promise<void> {
  sqliteFile ??= createSqliteFile();
  await copyFile(await sqliteFile, join(folder, 'waybill.db'));
}

async function createSqliteFile(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-migrated-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'waybill.db');
  await migrateAt(`sqlite:${path}`);
  return path;
}

/** The end of a CREATE DATABASE statement that copies a migrated database, shared by processes and later runs. */
export function migratedSource(serverUrl: string): Promise<string> {
  postgresSource ??= createTemplate(serverUrl);
  return postgresSource;
}

const templateLock = 7_292_245_777;

async function createTemplate(serverUrl: string): Promise<string> {
  const name = `waybill_migrated_${hashOfMigrations()}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`select pg_advisory_lock(${templateLock})`);
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      // Renamed when complete, because a process may be killed before.
      await client.query(`drop database if exists ${name}_begun with (force)`);
      await client.query(`create database ${name}_begun`);
      await migrateAt(Object.assign(new URL(serverUrl), { pathname: `/${name}_begun` }).href);
      await client.query(`alter database ${name}_begun rename to ${name}`);
    }
    const { rows } = await client.query('show server_version_num');
    // Copying files without fsync is twice as fast as writing every page to the log.
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
