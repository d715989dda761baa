// The rights that docs/operate/postgresql-and-s3.md gives to the service are enough, and no more.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { fileLinkAnswer } from '#contract/file-links.ts';
import { repositoryRoot } from '#scripts/source-files.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import { download } from '#test/kit/downloads.ts';
import type { Engine } from '#test/kit/engines.ts';
import { runInside } from '#test/kit/program-inside.ts';
import { findTestServers } from '#test/kit/servers/addresses.ts';
import { wireForm } from '#test/kit/wire-form.ts';
import { readBlocks } from './pages.ts';

const page = 'postgresql-and-s3.md';
const servers = findTestServers();

async function query<Row extends object>(url: string, statements: string[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) ({ rows } = await client.query<Row>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** A role and a database of this name as the page creates them; returns their URL. */
async function createAsPrinted(name: string): Promise<string> {
  const blocks = (await readBlocks()).filter((block) => block.page === page && block.kind === 'sql');
  assert.equal(blocks.length, 2);
  const [ofCluster, ofDatabase] = blocks.map(({ lines }) => lines.map((line) => line.replace(/\bwaybill\b/g, name)));
  const inDatabase = new URL(servers!.postgresUrl);
  inDatabase.pathname = `/${name}`;
  await query(servers!.postgresUrl, ofCluster!);
  await query(inDatabase.href, ofDatabase!);
  inDatabase.username = name;
  return inDatabase.href;
}

describe('a role with the printed rights', { skip: servers === null && 'without servers' }, () => {
  const name = `waybill_${randomBytes(6).toString('hex')}`;
  let folder: string;
  let url: string;
  let app: TestApp;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'waybill-rights-'));
    url = await createAsPrinted(name);
    const environment = { WAYBILL_DATA_DIR: folder, WAYBILL_DATABASE_URL: url };
    const engine: Engine = { name: 'least rights', create: async () => ({ environment, drop: async () => {} }) };
    app = await startTestApp(engine);
  });
  after(async () => {
    await app?.close();
    await query(servers!.postgresUrl, [`drop database ${name} with (force)`, `drop role ${name}`]);
    await rm(folder, { recursive: true, force: true });
  });

  test('migrates and serves', async () => {
    const { id } = await app.admin.upload('file.txt', 'content');
    const { body } = await app.admin.expect(200, 'createFileLink', { body: { link: { attachment: id } } });
    assert.equal((await download(app.url, wireForm(fileLinkAnswer, body).link.id)).bytes.toString(), 'content');
    for (const { name: job } of app.app.jobs.jobs) await app.app.jobs.runOnce(job);
    assert.deepEqual(app.app.failing(), []);
  });

  test('makes a backup and a restore test', async () => {
    const settings = { WAYBILL_DATA_DIR: folder, WAYBILL_DATABASE_URL: url };
    const backups = join(folder, 'backups');
    for (const args of [
      ['backup', '--to', backups],
      ['verify', '--backup', backups],
    ]) {
      const { code, output, errors } = await runInside(args, settings);
      assert.equal(code, 0, output + errors);
    }
  });

  test('can create nothing outside its schema, and others cannot connect', async () => {
    const [rights] = await query<Record<string, boolean>>(url, [
      `select rolsuper or rolcreatedb or rolcreaterole or rolreplication as more,
         has_database_privilege(current_database(), 'create') as schemas,
         has_database_privilege(current_database(), 'temp') as temporary,
         exists (select from pg_database, aclexplode(datacl) where datname = current_database() and grantee = 0) as public
       from pg_roles where rolname = current_user`,
    ]);
    assert.deepEqual(rights, { more: false, schemas: false, temporary: false, public: false });
  });
});

/** The rights that calls of the S3 client need. */
const actions: Record<string, string[]> = {
  AbortMultipartUpload: ['AbortMultipartUpload'],
  CompleteMultipartUpload: ['PutObject'],
  CreateMultipartUpload: ['PutObject'],
  DeleteObject: ['DeleteObject', 'DeleteObjectVersion'],
  GetObject: ['GetObject'],
  HeadBucket: ['ListBucket'],
  HeadObject: ['GetObject'],
  ListMultipartUploads: ['ListBucketMultipartUploads'],
  ListObjectVersions: ['ListBucketVersions'],
  ListObjectsV2: ['ListBucket'],
  PutObject: ['PutObject'],
  UploadPart: ['PutObject'],
};

test('the printed policy of the bucket names exactly the actions that the program uses', async () => {
  const folder = join(repositoryRoot, 'server/blobs');
  const used = new Set<string>();
  for (const file of await readdir(folder)) {
    if (!/(?<!\.test|\.suite)\.ts$/.test(file)) continue;
    for (const [, call] of (await readFile(join(folder, file), 'utf8')).matchAll(/new ([A-Z]\w+)Command\(/g)) {
      assert.ok(actions[call!] !== undefined, `${file}: ${call}`);
      for (const action of actions[call!]!) used.add(`s3:${action}`);
    }
  }
  const block = (await readBlocks()).find((candidate) => candidate.page === page && candidate.kind === 'json');
  const policy = JSON.parse(block!.lines.join('\n')) as { Statement: { Action: string[] }[] };
  assert.deepEqual(policy.Statement.flatMap(({ Action }) => Action).toSorted(), [...used].toSorted());
});
