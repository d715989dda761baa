import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { StoreFull, StoreUnavailable } from '#server/domain/ports.ts';
import { bodyOf, freshBlob, interruptedBody, readRange } from '#test/kit/sealed-blobs.ts';
import { blobStoreSuite, collect, freshKey, putBlob, readBlob } from './blob-store.suite.ts';
import { openVault } from './encrypted.ts';
import { openEvidenceBucket } from './evidence-bucket.ts';
import { evidenceFilesSuite } from './evidence-files.suite.ts';
import { openS3Store } from './s3.ts';
import { connectS3, type S3StoreOptions } from './s3-client.ts';

type Server = Pick<S3StoreOptions, 'endpoint' | 'region' | 'accessKey' | 'secretKey'>;

/** The server of the test command, if any. */
const server = readServer();

function readServer(): Server | null {
  const path = process.env.WAYBILL_TEST_SERVERS;
  if (!path) return null;
  return (JSON.parse(readFileSync(path, 'utf8')) as { s3?: Server }).s3 ?? null;
}

async function makeBucket(at: Server): Promise<{ options: S3StoreOptions; dispose: () => Promise<void> }> {
  const options = { ...at, bucket: `blobs-${randomBytes(6).toString('hex')}`, pathStyle: true };
  const { client } = connectS3(options);
  await client.send(new CreateBucketCommand({ Bucket: options.bucket }));
  return {
    options,
    async dispose() {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: options.bucket }));
      for (const { Key } of Contents) await client.send(new DeleteObjectCommand({ Bucket: options.bucket, Key }));
      await client.send(new DeleteBucketCommand({ Bucket: options.bucket }));
      client.destroy();
    },
  };
}

if (server) {
  blobStoreSuite('S3', async () => {
    const { options, dispose } = await makeBucket(server);
    return { store: openS3Store(options), reopen: async () => openS3Store(options), dispose };
  });

  evidenceFilesSuite('bucket', async () => {
    const { options, dispose } = await makeBucket(server);
    return { files: openEvidenceBucket({ ...options, prefix: 'evidence/' }), dispose };
  });

  describe('S3', () => {
    it('stores a blob of several parts, below its prefix', async () => {
      const { options, dispose } = await makeBucket(server);
      const store = openS3Store({ ...options, prefix: 'waybill/' });
      const key = freshKey();
      const bytes = randomBytes(17 * 1024 * 1024 + 3);
      const writer = await store.create(key);
      for (let at = 0; at < bytes.length; at += 700_000) await writer.write(bytes.subarray(at, at + 700_000));
      await writer.commit();
      assert.equal((await store.stat(key))?.storedBytes, bytes.length);
      assert.ok(bytes.equals(await readBlob(store, key)));
      const range = { start: 8 * 1024 * 1024 - 5, end: 16 * 1024 * 1024 + 5 };
      assert.ok(bytes.subarray(range.start, range.end).equals(await readBlob(store, key, range)));
      const other = openS3Store(options);
      await putBlob(other, freshKey(), Buffer.from('outside the prefix'));
      assert.deepEqual(
        (await collect(store.list())).map((blob) => blob.key),
        [key],
      );
      await dispose();
    });

    it('works below a vault, and an interrupted body leaves nothing', async () => {
      const { options, dispose } = await makeBucket(server);
      const store = openS3Store(options);
      const vault = openVault(store);
      const plain = randomBytes(13 * 1024 * 1024);
      await assert.rejects(vault.receive(freshBlob(), interruptedBody(plain, 12 * 1024 * 1024)));
      assert.deepEqual(await collect(store.list()), []);
      assert.equal(await store.removeUnfinished(Date.now() + 3_600_000, async () => false), 0);
      const blob = freshBlob();
      await vault.receive(blob, bodyOf(plain));
      const range = { start: 1_000_000, end: 9_000_000 };
      assert.ok(plain.subarray(range.start, range.end).equals(await readRange(vault, blob, range)));
      await dispose();
    });

    it('refuses a part that does not match its checksum', async () => {
      const { options, dispose } = await makeBucket(server);
      const { client } = connectS3(options);
      const wrong = { Bucket: options.bucket, Key: freshKey(), Body: 'x', ContentMD5: 'AAAAAAAAAAAAAAAAAAAAAA==' };
      await assert.rejects(client.send(new PutObjectCommand(wrong)), /BadDigest|InvalidDigest|Content-MD5/i);
      client.destroy();
      await dispose();
    });

    it('is unreachable with a wrong secret or without its bucket', async () => {
      const { options, dispose } = await makeBucket(server);
      assert.equal(await openS3Store({ ...options, secretKey: 'wrong' }).state(), 'unreachable');
      assert.equal(await openS3Store({ ...options, bucket: 'blobs-none' }).state(), 'unreachable');
      const lost = openS3Store({ ...options, secretKey: 'wrong' });
      await assert.rejects(readBlob(lost, freshKey()), StoreUnavailable);
      await assert.rejects(lost.stat(freshKey()), StoreUnavailable);
      await assert.rejects(putBlob(lost, freshKey(), Buffer.from('x')), StoreUnavailable);
      await dispose();
    });
  });
} else {
  it('S3 as a blob store', { skip: 'no S3 server: WAYBILL_TEST_SERVERS is not set' }, () => {});
}

interface Answer {
  status: number;
  body?: string;
  headers?: Record<string, string>;
  /** Closes the connection after the body, with any announced length. */
  isCut?: boolean;
}

/** Scripted answers, for faults that a real server does not have. */
async function scriptedServer(t: TestContext, answer: (method: string, url: string) => Answer) {
  const requests: string[] = [];
  const http = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => {
      const { status, body = '', headers = {}, isCut = false } = answer(request.method ?? '', request.url ?? '');
      response.writeHead(status, headers);
      if (isCut) response.write(body, () => response.destroy());
      else response.end(request.method === 'HEAD' ? '' : body);
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  t.after(() => http.close());
  const endpoint = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const options = { endpoint, region: 'r', bucket: 'b', accessKey: 'a', secretKey: 's', pathStyle: true };
  const [store, files] = [openS3Store(options), openEvidenceBucket(options)];
  t.after(() => Promise.all([store.close(), files.close()]));
  return { store, files, requests };
}

const errorBody = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>x</Message></Error>`;

describe('an object store that misbehaves', () => {
  it('fails when it answers a completion with 200 and an error in the body', async (t) => {
    const { store, requests } = await scriptedServer(t, (method, url): Answer => {
      if (method === 'HEAD') return { status: 404 };
      if (url.includes('uploads')) {
        return {
          status: 200,
          body: '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>',
        };
      }
      if (method === 'PUT') return { status: 200, headers: { ETag: '"e"' } };
      return method === 'DELETE' ? { status: 204 } : { status: 200, body: errorBody('InternalError') };
    });
    const writer = await store.create(freshKey());
    await writer.write(Buffer.alloc(9 * 1024 * 1024));
    await assert.rejects(writer.commit(), StoreUnavailable);
    await writer.abort();
    assert.ok(requests.some((line) => line.startsWith('DELETE') && line.includes('uploadId=u')));
    assert.ok(requests.some((line) => line.startsWith('DELETE') && !line.includes('uploadId=u')));
  });

  it('fails when it stored another number of bytes, and the object is removed', async (t) => {
    let hasPut = false;
    const { store, requests } = await scriptedServer(t, (method): Answer => {
      if (method === 'HEAD') return hasPut ? { status: 200, headers: { 'content-length': '3' } } : { status: 404 };
      if (method === 'PUT') hasPut = true;
      return { status: method === 'DELETE' ? 204 : 200, headers: { ETag: '"e"' } };
    });
    const writer = await store.create(freshKey());
    await writer.write(Buffer.from('four'));
    await assert.rejects(writer.commit(), StoreUnavailable);
    await writer.abort();
    assert.ok(requests.at(-1)?.startsWith('DELETE'));
  });

  it('fails when it does not acknowledge a part', async (t) => {
    const { store } = await scriptedServer(t, (method, url): Answer => {
      if (method === 'HEAD') return { status: 404 };
      const body = '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>';
      return url.includes('uploads') ? { status: 200, body } : { status: method === 'DELETE' ? 204 : 200 };
    });
    const writer = await store.create(freshKey());
    await writer.write(Buffer.alloc(9 * 1024 * 1024));
    await assert.rejects(writer.commit(), /did not acknowledge a part/);
    await writer.abort();
  });

  it('is reported when an aborted upload could not be removed', async (t) => {
    const { store } = await scriptedServer(t, (method): Answer => {
      if (method === 'HEAD') return { status: 404 };
      return { status: 403, body: errorBody('AccessDenied') };
    });
    const writer = await store.create(freshKey());
    await assert.rejects(writer.commit(), StoreUnavailable);
    await assert.rejects(writer.abort(), StoreUnavailable);
  });

  it('is full when it reports that', async (t) => {
    const { store } = await scriptedServer(t, (method): Answer => {
      if (method === 'HEAD') return { status: 404 };
      return method === 'PUT' ? { status: 403, body: errorBody('QuotaExceeded') } : { status: 204 };
    });
    await assert.rejects(putBlob(store, freshKey(), Buffer.from('x')), StoreFull);
  });

  it('fails when it ignores the range', async (t) => {
    const { store } = await scriptedServer(t, () => ({
      status: 200,
      body: 'everything',
      headers: { 'content-length': '10' },
    }));
    await assert.rejects(readBlob(store, freshKey(), { start: 2, end: 4 }), StoreUnavailable);
    await assert.rejects(readBlob(store, freshKey(), { start: 0, end: 4 }), StoreUnavailable);
  });

  it('is unavailable when a reply breaks off, and the received part is not a complete blob', async (t) => {
    const { store } = await scriptedServer(t, () => ({
      status: 206,
      body: 'every',
      headers: { 'content-length': '10', 'content-range': 'bytes 0-9/10' },
      isCut: true,
    }));
    const taken: Buffer[] = [];
    await assert.rejects(async () => {
      for await (const chunk of store.read(freshKey(), { start: 0, end: 10 })) taken.push(chunk);
    }, StoreUnavailable);
    assert.equal(Buffer.concat(taken).toString(), 'every');
  });

  it('is unreachable on a closed port', async () => {
    const store = openS3Store({
      endpoint: 'http://127.0.0.1:9',
      region: 'r',
      bucket: 'b',
      accessKey: 'a',
      secretKey: 's',
      pathStyle: true,
    });
    assert.equal(await store.state(), 'unreachable');
    await assert.rejects(readBlob(store, freshKey()), StoreUnavailable);
  });

  it('refuses every call with its own message, and no call counts as done or as missing', async (t) => {
    const no = (): Answer => ({ status: 403, body: errorBody('AccessDenied') });
    const { store, files } = await scriptedServer(t, no);
    const key = freshKey();
    for (const work of [
      () => store.readMark(),
      () => store.writeMark('ours'),
      () => store.delete(key),
      () => collect(store.list()),
      () => store.removeUnfinished(Date.now(), async () => false),
      () => files.put([{ path: 'checkpoint', bytes: Buffer.from('1') }]),
      () => files.get('checkpoint'),
      () => files.remove(['checkpoint']),
    ])
      await assert.rejects(work, (error) => {
        assert.ok(error instanceof StoreUnavailable);
        assert.match(error.message, /the object store said AccessDenied: x$/);
        return true;
      });
    await assert.rejects(store.stat(key), StoreUnavailable);
  });

  it('may report a deleted object as missing', async (t) => {
    const { store, files } = await scriptedServer(t, () => ({ status: 404, body: errorBody('NoSuchKey') }));
    await store.delete(freshKey());
    await files.remove(['checkpoint']);
    assert.deepEqual([await store.readMark(), await files.get('checkpoint')], [null, null]);
  });

  it('deletes every version in a bucket with versioning', async (t) => {
    const key = freshKey();
    const { store, requests } = await scriptedServer(t, (method, url): Answer => {
      if (method === 'DELETE')
        return { status: 204, headers: url.includes('versionId') ? {} : { 'x-amz-delete-marker': 'true' } };
      const version = (tag: string, id: string) => `<${tag}><Key>${key}</Key><VersionId>${id}</VersionId></${tag}>`;
      return {
        status: 200,
        body: `<ListVersionsResult>${version('Version', 'v1')}${version('DeleteMarker', 'v2')}</ListVersionsResult>`,
      };
    });
    await store.delete(key);
    assert.ok(requests.some((line) => line.includes('versionId=v1')));
    assert.ok(requests.some((line) => line.includes('versionId=v2')));
  });

  it('is listed to the last page, without foreign objects', async (t) => {
    const keys = [freshKey(), freshKey()];
    const page = (key: string | undefined, next: string) =>
      `<ListBucketResult><IsTruncated>${next !== ''}</IsTruncated><NextContinuationToken>${next}</NextContinuationToken>
       <Contents><Key>${key}</Key><Size>5</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>
       <Contents><Key>a/stranger</Key><Size>5</Size></Contents></ListBucketResult>`;
    const { store } = await scriptedServer(t, (_method, url): Answer => {
      const isSecond = url.includes('continuation-token=more');
      return { status: 200, body: isSecond ? page(keys[1], '') : page(keys[0], 'more') };
    });
    const listed = await collect(store.list());
    assert.deepEqual(
      listed.map((blob) => blob.key),
      keys,
    );
    assert.equal(listed[0]?.modifiedAt, Date.UTC(2026, 0, 1));
  });
});
