// Clients that upload, share, download and delete, and record what the service acknowledges. Lost connections are no fault.
import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { attachmentAnswer, uploadStateAnswer } from '#contract/attachments.ts';
import { fileLinkAnswer } from '#contract/file-links.ts';
import type { ApiClient, CallOptions, Reply } from '#test/kit/client.ts';
import { clickDownload, openDownload } from '#test/kit/downloads.ts';
import { wireForm } from '../kit/wire-form.ts';
import type { ChunkUpload, Ledger } from './kill-ledger.ts';

export interface Load {
  /** Starts no more requests; resolves when the running ones have ended. */
  stop(): Promise<void>;
  faults: unknown[];
}

/** Larger than one part of a multipart upload. */
const largeBytes = 9 * 1024 * 1024;

export function startLoad(client: ApiClient, ledger: Ledger, { restMs = 0 } = {}): Load {
  const faults: unknown[] = [];
  let isStopping = false;
  const forever = async (step: () => Promise<void>): Promise<void> => {
    while (!isStopping) {
      try {
        await step();
        if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
      } catch (error) {
        if (!isLostConnection(error)) faults.push(error);
        // The service is down: wait for the end of the round.
        if (isLostConnection(error)) await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  const clients = [
    forever(() => uploadWhole(client, ledger, randomInt(1, 300_000))),
    forever(() => uploadWhole(client, ledger, randomInt(1, 2_000))),
    forever(() => uploadWhole(client, ledger, randomInt(8) === 0 ? largeBytes : randomInt(100_000))),
    forever(() => uploadChunks(client, ledger)),
    forever(() => uploadChunks(client, ledger)),
    forever(() => shareOrWithdraw(client, ledger)),
    forever(() => fetchSome(client, ledger)),
    forever(() => fetchSome(client, ledger)),
  ];
  return {
    faults,
    async stop() {
      isStopping = true;
      await Promise.all(clients);
    },
  };
}

/** Each request on its own connection, because a killed server leaves broken ones in a pool. */
function call(client: ApiClient, name: Parameters<ApiClient['call']>[0], options: CallOptions): Promise<Reply> {
  return client.call(name, { ...options, headers: { connection: 'close', ...options.headers } });
}

async function uploadWhole(client: ApiClient, ledger: Ledger, sizeBytes: number): Promise<void> {
  const bytes = randomBytes(sizeBytes);
  ledger.attempt(bytes);
  const reply = await call(client, 'uploadForLink', { query: { filename: 'whole.bin' }, bytes });
  if (isUnavailable(reply)) return;
  assert.equal(reply.status, 200, reply.text);
  ledger.files.set(wireForm(attachmentAnswer, reply.body).attachment.id, bytes);
}

/** Three chunks in any order; continues with those that a killed service has stored. */
async function uploadChunks(client: ApiClient, ledger: Ledger): Promise<void> {
  const upload = await beginChunks(client, ledger);
  if (upload === null) return;
  for (;;) {
    const state = await retried(() => call(client, 'getUpload', { params: { id: upload.id } }));
    if (state === null) return;
    if (isUnavailable(state)) return;
    assert.equal(state.status, 200, state.text);
    const { received, state: name } = wireForm(uploadStateAnswer, state.body).upload;
    const kept: boolean = [...upload.acknowledged].every((chunk) => received.includes(chunk));
    assert.ok(kept, 'an acknowledged chunk is gone');
    const missing = [2, 0, 1].find((number) => !received.includes(number)) ?? 0;
    const reply = await retried(() => sendChunk(client, upload, missing));
    if (reply === null) return;
    if (isUnavailable(reply)) continue;
    assert.equal(reply.status, 200, reply.text);
    upload.acknowledged.add(missing);
    if (reply.text === '') continue;
    const file = wireForm(attachmentAnswer, reply.body).attachment;
    // After a crash a job may still be finishing a file.
    if (name === 'ready' || file.processed) ledger.files.set(file.id, Buffer.concat(upload.chunks));
    ledger.open.delete(upload);
    return;
  }
}

async function beginChunks(client: ApiClient, ledger: Ledger): Promise<ChunkUpload | null> {
  const resumed = [...ledger.open][0];
  if (resumed !== undefined) {
    ledger.open.delete(resumed);
    ledger.open.add(resumed);
    return resumed;
  }
  const chunks = Array.from({ length: 3 }, () => randomBytes(randomInt(1, 150_000)));
  ledger.attempt(Buffer.concat(chunks));
  const upload: ChunkUpload = { id: 'new', name: `p${randomInt(1e9)}.bin`, chunks, acknowledged: new Set() };
  const first = randomInt(3);
  const reply = await sendChunk(client, upload, first);
  if (isUnavailable(reply)) return null;
  assert.equal(reply.status, 200, reply.text);
  upload.id = reply.headers.get('upload-id')!;
  upload.acknowledged.add(first);
  ledger.open.add(upload);
  return upload;
}

function sendChunk(client: ApiClient, upload: ChunkUpload, number: number): Promise<Reply> {
  return call(client, 'uploadForLink', {
    query: { filename: upload.name, chunks: '3', chunk: String(number), upload_id: upload.id },
    bytes: upload.chunks[number]!,
  });
}

async function shareOrWithdraw(client: ApiClient, ledger: Ledger): Promise<void> {
  const files = [...ledger.files.keys()].filter((id) => !ledger.mayBeGone(id));
  const attachment = files[randomInt(Math.max(files.length, 1))];
  if (attachment === undefined) return void (await call(client, 'getAccount', {}));
  if (randomInt(4) > 0) {
    const reply = await call(client, 'createFileLink', { body: { link: { attachment } } });
    if (isUnavailable(reply)) return;
    assert.equal(reply.status, 200, reply.text);
    ledger.links.set(wireForm(fileLinkAnswer, reply.body).link.id, attachment);
    return;
  }
  const link = ledger.anyLink();
  if (link === null) return;
  ledger.doubtful.add(link[0]);
  const reply = await call(client, 'deleteFileLink', { params: { id: link[0] } });
  if (isUnavailable(reply)) return;
  assert.equal(reply.status, 200, reply.text);
  ledger.doubtful.delete(link[0]);
  ledger.deleted.add(link[0]);
}

async function fetchSome(client: ApiClient, ledger: Ledger): Promise<void> {
  const link = ledger.anyLink();
  if (link === null) return void (await call(client, 'getAccount', {}));
  const { path } = await clickDownload(client.url, link[0]);
  if (path === null) return; // just deleted by another client, or refused during shutdown
  const stream = await openDownload(client.url, path);
  if (stream.status !== 200) return;
  if (stream.takenBytes() > 0) ledger.begunDownloads += 1;
  const file = await stream.rest();
  if (!file.isWhole) return;
  assert.ok(file.bytes.equals(ledger.files.get(link[1])!), 'a download that ended cleanly has other bytes');
  ledger.wholeDownloads += 1;
}

async function retried(request: () => Promise<Reply>): Promise<Reply | null> {
  try {
    return await request();
  } catch (error) {
    if (isLostConnection(error)) return null;
    throw error;
  }
}

/** Temporarily unreachable or full. */
function isUnavailable(reply: Reply): boolean {
  return reply.status === 503 || reply.status === 507;
}

function isLostConnection(error: unknown): boolean {
  const { message = '', code = '', cause } = error as { message?: string; code?: string; cause?: unknown };
  if (/^(ECONNRESET|ECONNREFUSED|EPIPE|UND_ERR_SOCKET)$/.test(code)) return true;
  if (/fetch failed|terminated|other side closed|socket hang up/.test(message)) return true;
  return cause !== undefined && cause !== null && isLostConnection(cause);
}
