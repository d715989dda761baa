// The test servers refuse what real servers refuse.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import pg from 'pg';
import { findTestServers } from './addresses.ts';

const servers = findTestServers();
const skip = servers ? false : 'runs without servers';

test('S3 refuses a wrong secret and accepts the right one', { skip }, async () => {
  const list = async (secretAccessKey: string) => {
    const { endpoint, region, accessKey } = servers!.s3;
    const credentials = { accessKeyId: accessKey, secretAccessKey };
    const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true, maxAttempts: 1 });
    try {
      return await client.send(new ListBucketsCommand({}));
    } finally {
      client.destroy();
    }
  };
  await assert.rejects(list('wrong'), { name: 'SignatureDoesNotMatch' });
  assert.ok((await list(servers!.s3.secretKey)).Buckets);
});

test('PostgreSQL sorts text by language, as most installations do, and accepts many clients', {
  skip,
}, async () => {
  const client = new pg.Client({ connectionString: servers!.postgresUrl });
  await client.connect();
  try {
    const sorted = await client.query(
      `select string_agg(x, '' order by x) as all from (values ('b'), ('A'), ('a'), ('B')) t (x)`,
    );
    assert.equal(sorted.rows[0].all, 'aAbB');
    const { rows } = await client.query('show max_connections');
    assert.equal(rows[0].max_connections, '200');
  } finally {
    await client.end();
  }
});
