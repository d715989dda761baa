// What API tests run on: SQLite or PostgreSQL, with files on disk or in S3. Each start gets its own database, folder and
// bucket.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import pg from 'pg';
import { copyMigratedFile, migratedSource } from './migrated.ts';
import { findTestServers } from './servers/addresses.ts';

export interface Engine {
  name: string;
  create(start?: Start): Promise<{ environment: Record<string, string>; drop(): Promise<void> }>;
}

/** The initial database: absent or empty, or migrated. */
type Start = 'empty' | 'migrated';

/** The same engine, and the settings of what it has created, with which another process can be started. */
export function watchEngine(engine: Engine): { engine: Engine; settings: () => Record<string, string> } {
  let environment: Record<string, string> = {};
  const create = async () => {
    const made = await engine.create('migrated');
    environment = made.environment;
    return made;
  };
  return { engine: { ...engine, create }, settings: () => environment };
}

export const sqliteAndDisk: Engine = {
  name: 'SQLite and disk',
  async create(start = 'empty') {
    const folder = await mkdtemp(join(tmpdir(), 'waybill-app-'));
    if (start === 'migrated') await copyMigratedFile(folder);
    return { environment: { WAYBILL_DATA_DIR: folder }, drop: () => rm(folder, { recursive: true, force: true }) };
  },
};

export const postgresAndDisk: Engine = {
  name: 'PostgreSQL and disk',
  async create(start = 'empty') {
    const database = await createDatabase(start);
    const folder = await mkdtemp(join(tmpdir(), 'waybill-app-'));
    return {
      environment: { WAYBILL_DATA_DIR: folder, WAYBILL_DATABASE_URL: database.url },
      async drop() {
        await database.drop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};

export const postgresAndS3: Engine = {
  name: 'PostgreSQL and S3',
  async create(start = 'empty') {
    const { environment, drop } = await postgresAndDisk.create(start);
    const { endpoint, region, accessKey, secretKey } = findTestServers()!.s3;
    const bucket = `waybill-${randomBytes(6).toString('hex')}`;
    const client = new S3Client({
      endpoint,
      region,
      forcePathStyle: true,
      credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    client.destroy();
    const store = {
      WAYBILL_STORAGE: 's3',
      WAYBILL_S3_ENDPOINT: endpoint,
      WAYBILL_S3_BUCKET: bucket,
      WAYBILL_S3_REGION: region,
      WAYBILL_S3_ACCESS_KEY: accessKey,
      WAYBILL_S3_SECRET_KEY: secretKey,
    };
    return { environment: { ...environment, ...store }, drop };
  },
};

/** Without the servers of the test command (`--no-servers`) only SQLite is available. */
const hasServers = findTestServers() !== null;
export const engines: Engine[] = hasServers ? [sqliteAndDisk, postgresAndS3] : [sqliteAndDisk];
export const databases: Engine[] = hasServers ? [sqliteAndDisk, postgresAndDisk] : [sqliteAndDisk];

async function createDatabase(start: Start): Promise<{ url: string; drop(): Promise<void> }> {
  const { postgresUrl } = findTestServers()!;
  const name = `waybill_${randomBytes(6).toString('hex')}`;
  const source = start === 'migrated' ? await migratedSource(postgresUrl) : '';
  await onPostgres(postgresUrl, `create database ${name} ${source}`);
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => onPostgres(postgresUrl, `drop database ${name} with (force)`) };
}

async function onPostgres(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
