// Fresh databases: SQLite, and PostgreSQL when `WAYBILL_TEST_SERVERS` names a JSON file with `postgresUrl`.
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Dialect } from '#server/db/engine/db.ts';

export interface TestDatabase {
  url: string;
  /** Copies it as administrators do. No connection may be open. */
  copy(): Promise<TestDatabase>;
  drop(): Promise<void>;
}

export interface TestDialect {
  dialect: Dialect;
  create(): Promise<TestDatabase>;
}

export function testDialects(): TestDialect[] {
  const dialects: TestDialect[] = [{ dialect: 'sqlite', create: createSqliteFile }];
  const serversFile = process.env.WAYBILL_TEST_SERVERS;
  if (serversFile) {
    const { postgresUrl } = JSON.parse(readFileSync(serversFile, 'utf8')) as { postgresUrl?: string };
    if (postgresUrl) dialects.push({ dialect: 'postgres', create: () => createPostgresDatabase(postgresUrl) });
  }
  return dialects;
}

async function createSqliteFile(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-test-'));
  const path = join(folder, 'test.db');
  return {
    url: `sqlite:${path}`,
    async copy() {
      const copied = await createSqliteFile();
      copyFileSync(path, copied.url.slice('sqlite:'.length));
      return copied;
    },
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function createPostgresDatabase(serverUrl: string, source = ''): Promise<TestDatabase> {
  const name = `waybill_test_${randomBytes(6).toString('hex')}`;
  await onServer(serverUrl, `create database ${name} ${source}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    copy: () => createPostgresDatabase(serverUrl, `template ${name}`),
    drop: () => onServer(serverUrl, `drop database ${name} with (force)`),
  };
}

async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
