// Memory does not grow with the size or the number of transfers.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { attachmentAnswer } from '#contract/attachments.ts';
import { fileLinkAnswer } from '#contract/file-links.ts';
import { type ChildServer, startChildServer } from '#test/kit/child-server.ts';
import { clickDownload } from '#test/kit/downloads.ts';
import { wireForm } from '../kit/wire-form.ts';

const megabyte = 1024 * 1024;
/** Twice the measured value, and clearly less than what each test sends. */
const mostGrowthBytes = 160 * megabyte;
const block = randomBytes(megabyte);

describe('the memory of the server', () => {
  let place: ChildServer;
  let idleBytes: number;

  before(async () => {
    place = await startChildServer({ WAYBILL_API_RATE: '0' });
    // Loads lazily loaded code before the measurement.
    await upload(2, true);
    idleBytes = await place.weigh();
  });
  after(() => place.stop());

  /** Returns the peak growth of memory during the work, relative to the idle start. */
  async function growthDuring(work: Promise<unknown>): Promise<number> {
    let isOver = false;
    const ended = work.finally(() => {
      isOver = true;
    });
    ended.catch(() => {}); // awaited below
    while (!isOver) {
      const reply = await fetch(`${place.url}/healthz`, { signal: AbortSignal.timeout(120_000) });
      assert.equal(await reply.text(), '{"status":"ok"}', 'it answers other requests at the same time');
      await Promise.race([ended, pause(50)]);
    }
    await ended;
    // The kernel records the peak between two readings.
    return (await place.peakBytes()) - idleBytes;
  }

  async function upload(megabytes: number, isAnnounced: boolean): Promise<{ id: string; sha256: string }> {
    const response = await sendBlocks(place, megabytes, isAnnounced);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    assert.equal(response.statusCode, 200);
    const { attachment } = wireForm(attachmentAnswer, JSON.parse(Buffer.concat(chunks).toString('utf8')));
    const sha256 = hashOfBlocks(megabytes);
    assert.equal(attachment.checksum, sha256);
    return { id: attachment.id, sha256 };
  }

  const withinBounds = (growth: number) =>
    assert.ok(growth < mostGrowthBytes, `it grew by ${Math.round(growth / megabyte)} MiB`);

  test('stays bounded under 60 simultaneous uploads of 4 MiB, half of them in chunked transfer encoding', async () => {
    const uploads = Array.from({ length: 60 }, (_, index) => upload(4, index % 2 === 0));
    withinBounds(await growthDuring(Promise.all(uploads)));
  });

  test('stays bounded under one upload and one download of 256 MiB', async () => {
    const uploading = upload(256, false);
    withinBounds(await growthDuring(uploading));
    const { id, sha256 } = await uploading;
    const { body } = await place.admin.expect(200, 'createFileLink', { body: { link: { attachment: id } } });
    const { path } = await clickDownload(place.url, wireForm(fileLinkAnswer, body).link.id);
    const downloading = hashOf(`${place.url}${path}`);
    withinBounds(await growthDuring(downloading));
    assert.equal(await downloading, sha256);
  });
});

/** Sends varied blocks, no faster than the server accepts them. */
function sendBlocks(place: ChildServer, megabytes: number, isAnnounced: boolean): Promise<IncomingMessage> {
  const outgoing = request(`${place.url}/link/attachments/upload?filename=large.bin`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Basic ${Buffer.from(`${place.admin.key}:x`).toString('base64')}`,
      'content-type': 'application/octet-stream',
      ...(isAnnounced ? { 'content-length': String(megabytes * megabyte) } : { 'transfer-encoding': 'chunked' }),
    },
  });
  const reply = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
  });
  const send = async () => {
    for (const bytes of blocks(megabytes))
      if (!outgoing.write(bytes)) await new Promise((resolve) => outgoing.once('drain', resolve));
    outgoing.end();
  };
  void send();
  return reply;
}

function* blocks(count: number): Generator<Buffer> {
  for (let number = 0; number < count; number++) {
    const bytes = Buffer.from(block);
    bytes.writeUInt32LE(number, 0);
    yield bytes;
  }
}

const hashes = new Map<number, string>();
/** Uploads of one length are equal: hashed once. */
function hashOfBlocks(count: number): string {
  const known = hashes.get(count);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  for (const bytes of blocks(count)) hash.update(bytes);
  const made = hash.digest('hex');
  hashes.set(count, made);
  return made;
}

async function hashOf(url: string): Promise<string> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { agent: false, headers: { accept: 'text/html' } }, resolve)
      .once('error', reject)
      .end();
  });
  const hash = createHash('sha256');
  for await (const chunk of response) hash.update(chunk as Buffer);
  assert.equal(response.complete, true);
  return hash.digest('hex');
}
