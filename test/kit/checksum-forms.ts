// Searches all rows of all tables for checksums, in any form, which would reveal the content of a small file.
import { sql } from 'kysely';
import type { Db } from '#server/db/schema/schema.ts';
import { crc32Of, sha256Of } from './content.ts';

export function checksumForms(bytes: Buffer): Buffer[] {
  const sha256 = Buffer.from(sha256Of(bytes), 'hex');
  const crc32 = Buffer.from(crc32Of(bytes), 'hex');
  const texts = [sha256, crc32].flatMap((sum) => [
    sum.toString('hex'),
    sum.toString('hex').toUpperCase(),
    sum.toString('base64').replace(/=+$/, ''),
    sum.toString('base64url'),
  ]);
  return [
    sha256,
    crc32,
    Buffer.from(crc32).reverse(),
    ...[...texts, String(crc32.readUInt32BE())].map((text) => Buffer.from(text)),
  ];
}

export function tablesWithChecksum(db: Db, bytes: Buffer): Promise<string[]> {
  const forms = checksumForms(bytes);
  return tablesWith(db, (value) => forms.some((form) => value.includes(form)));
}

export function tablesWithText(db: Db, text: string): Promise<string[]> {
  return tablesWith(db, (value) => value.toString().toLowerCase().includes(text.toLowerCase()));
}

async function tablesWith(db: Db, isWanted: (value: Buffer) => boolean): Promise<string[]> {
  const { rows: tables } = await (db.dialect === 'sqlite'
    ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
    : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`
  ).execute(db.read);
  const found = new Set<string>();
  for (const { name } of tables) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db.read);
    for (const value of rows.flatMap((row) => Object.values(row)))
      if (isWanted(value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value)))) found.add(name);
  }
  return [...found].sort();
}
