// Memory does not grow with the size or the number of transfers (invariant I38): many uploads at once, and one file far
// larger than what may be added to the memory of the server.
import assert from 'node:assert/strict';
import { createHash, type Hash, randomBytes } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { attachmentAnswer } from '#contract/attachments.ts';
import { fileLinkAnswer } from '#contract/file-links.ts';
import { pressDownload } from '#test/kit/downloads.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { createInstallation, type Installation, type Program } from '#test/kit/program.ts';

const megabyte = 1024 * 1024;
const mostGrowthBytes = 300 * megabyte;
const block = randomBytes(megabyte);

describe('the memory of the server', () => {
  let place: Installation;
  let program: Program;
  let idleBytes: number;

  before(async () => {
    place = await createInstallation(sqliteAndDisk, { WAYBILL_WORKERS: '1' });
    program = await place.start();
    // Whatever is loaded at first use is not growth.
    await upload(2, true);
    idleBytes = await residentBytes();
  });
  after(() => place.drop());

  async function residentBytes(): Promise<number> {
    const members = await program.members();
    return members.reduce((sum, member) => sum + member.residentBytes, 0);
  }

  /** Does the work and says by how much the memory had grown at its highest. */
  async function growthDuring(work: Promise<unknown>): Promise<number> {
    let isOver = false;
    const ended = work.finally(() => {
      isOver = true;
    });
    ended.catch(() => {}); // awaited below
    let highest = idleBytes;
    while (!isOver) {
      highest = Math.max(highest, await residentBytes());
      const reply = await fetch(`${place.url}/healthz`, { signal: AbortSignal.timeout(120_000) });
      assert.equal(await reply.text(), '{"status":"ok"}', 'it answers others meanwhile');
    }
    await ended;
    return highest - idleBytes;
  }

  async function upload(megabytes: number, isAnnounced: boolean): Promise<{ id: string; sha256: string }> {
    const { sent, reply } = sendBlocks(place, megabytes, isAnnounced);
    const response = await reply;
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    assert.equal(response.statusCode, 200);
    const { attachment } = attachmentAnswer.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    const sha256 = (await sent).digest('hex');
    assert.equal(attachment.checksum, sha256);
    return { id: attachment.id, sha256 };
  }

  const withinBounds = (growth: number) =>
    assert.ok(growth < mostGrowthBytes, `it grew by ${Math.round(growth / megabyte)} MiB`);

  test('stays bounded under 60 uploads of 8 MiB at once, half of them in chunked transfer encoding', async () => {
    const uploads = Array.from({ length: 60 }, (_, index) => upload(8, index % 2 === 0));
    withinBounds(await growthDuring(Promise.all(uploads)));
  });

  test('stays bounded under one upload and one download of 512 MiB', async () => {
    const uploading = upload(512, false);
    withinBounds(await growthDuring(uploading));
    const { id, sha256 } = await uploading;
    const { body } = await place.admin.expect(200, 'createFileLink', { body: { link: { attachment: id } } });
    const { path } = await pressDownload(place.url, fileLinkAnswer.parse(body).link.id);
    const downloading = hashOf(`${place.url}${path}`);
    withinBounds(await growthDuring(downloading));
    assert.equal(await downloading, sha256);
  });
});

/** Sends blocks that differ from one another, no faster than the server takes them. */
function sendBlocks(
  place: Installation,
  megabytes: number,
  isAnnounced: boolean,
): { sent: Promise<Hash>; reply: Promise<IncomingMessage> } {
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
  const hash = createHash('sha256');
  const send = async () => {
    for (let count = 0; count < megabytes; count++) {
      const bytes = Buffer.from(block);
      bytes.writeUInt32LE(count, 0);
      hash.update(bytes);
      if (!outgoing.write(bytes)) await new Promise((resolve) => outgoing.once('drain', resolve));
    }
    outgoing.end();
    return hash;
  };
  return { sent: send(), reply };
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
