// The two engines every API test runs on: SQLite with files on disk, and PostgreSQL with S3. Each start gets a database,
// a bucket and a folder of its own.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import pg from 'pg';
import { findTestServers } from './servers/addresses.ts';

export interface Engine {
  name: string;
  /** Settings for one installation, and how to take it down again. */
  create(): Promise<{ environment: Record<string, string>; drop(): Promise<void> }>;
}

export const sqliteAndDisk: Engine = {
  name: 'SQLite and disk',
  async create() {
    const folder = await mkdtemp(join(tmpdir(), 'waybill-app-'));
    return { environment: { WAYBILL_DATA_DIR: folder }, drop: () => rm(folder, { recursive: true, force: true }) };
  },
};

export const postgresAndS3: Engine = {
  name: 'PostgreSQL and S3',
  async create() {
    const servers = findTestServers()!;
    const name = `waybill_${randomBytes(6).toString('hex')}`;
    const folder = await mkdtemp(join(tmpdir(), 'waybill-app-'));
    await onPostgres(servers.postgresUrl, `create database ${name}`);
    const url = new URL(servers.postgresUrl);
    url.pathname = `/${name}`;
    const { endpoint, region, accessKey, secretKey } = servers.s3;
    const client = new S3Client({
      endpoint,
      region,
      forcePathStyle: true,
      credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    });
    const bucket = name.replaceAll('_', '-');
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    client.destroy();
    return {
      environment: {
        WAYBILL_DATA_DIR: folder,
        WAYBILL_DATABASE_URL: url.href,
        WAYBILL_STORAGE: 's3',
        WAYBILL_S3_ENDPOINT: endpoint,
        WAYBILL_S3_BUCKET: bucket,
        WAYBILL_S3_REGION: region,
        WAYBILL_S3_ACCESS_KEY: accessKey,
        WAYBILL_S3_SECRET_KEY: secretKey,
      },
      async drop() {
        await onPostgres(servers.postgresUrl, `drop database ${name} with (force)`);
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};

/** Without the test command's servers (`--no-servers`) only the embedded engine can be tried. */
export const engines: Engine[] = findTestServers() === null ? [sqliteAndDisk] : [sqliteAndDisk, postgresAndS3];

async function onPostgres(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
