// What the service acknowledged to clients. This must survive each kill; unanswered requests may survive, but only complete.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { attachmentsAnswer, uploadStateAnswer } from '#contract/attachments.ts';
import { downloadsAnswer } from '#contract/downloads.ts';
import { fileLinkAnswer } from '#contract/file-links.ts';
import type { ApiClient, CallOptions, Reply } from '#test/kit/client.ts';
import { download, type FileReply } from '#test/kit/downloads.ts';
import { eventually } from '#test/kit/eventually.ts';
import { wireForm } from '../kit/wire-form.ts';

export interface ChunkUpload {
  id: string;
  name: string;
  chunks: Buffer<ArrayBuffer>[];
  acknowledged: Set<number>;
}

export class Ledger {
  readonly files = new Map<string, Buffer>();
  /** Checksums of everything ever sent completely: nothing else may exist. */
  readonly attempted = new Set<string>();
  readonly open = new Set<ChunkUpload>();
  readonly links = new Map<string, string>();
  readonly deleted = new Set<string>();
  /** Links whose deletion was requested without an answer. */
  readonly doubtful = new Set<string>();
  /** Downloads of which a client received at least one byte. */
  begunDownloads = 0;
  wholeDownloads = 0;

  attempt(bytes: Buffer): void {
    this.attempted.add(checksumOf(bytes));
  }

  isLive(linkId: string): boolean {
    return !this.deleted.has(linkId) && !this.doubtful.has(linkId);
  }

  anyLink(): [string, string] | null {
    const live = [...this.links].filter(([id]) => this.isLive(id));
    return live[Math.floor(Math.random() * live.length)] ?? null;
  }

  /** Files that may be erased, because the deletion of their last link was requested. */
  mayBeGone(fileId: string): boolean {
    const links = [...this.links].filter(([, file]) => file === fileId).map(([id]) => id);
    return links.length > 0 && links.every((id) => this.deleted.has(id) || this.doubtful.has(id));
  }
}

const checksums = new WeakMap<Buffer, string>();
function checksumOf(bytes: Buffer): string {
  const known = checksums.get(bytes);
  if (known !== undefined) return known;
  const checksum = createHash('sha256').update(bytes).digest('hex');
  checksums.set(bytes, checksum);
  return checksum;
}

/** Sends on its own connection, and once more if the service is busy: the test checks durability, not availability. */
async function ask(
  client: ApiClient,
  status: number,
  name: Parameters<ApiClient['call']>[0],
  options: CallOptions = {},
): Promise<Reply> {
  const reply = await eventually(`an answer to ${name}`, async () => {
    const answer = await client.call(name, { ...options, headers: { connection: 'close' } });
    return answer.status !== 503 && answer;
  });
  assert.equal(reply.status, status, `${name} answered ${reply.status}: ${reply.text.slice(0, 300)}`);
  return reply;
}

function downloadNow(client: ApiClient, linkId: string): Promise<FileReply> {
  return eventually('an answer to a download', async () => {
    const file = await download(client.url, linkId);
    return file.status !== 503 && file;
  });
}

function assertSame(file: FileReply, bytes: Buffer, what: string): void {
  const got = `${file.status}, ${file.bytes.length} of ${bytes.length} bytes, ${file.isWhole ? 'whole' : 'cut'}`;
  assert.ok(file.isWhole && file.bytes.equals(bytes), `${what} (${got})`);
}

/** Lists and states, which are quick enough to check after each kill. */
export async function checkLists(ledger: Ledger, client: ApiClient): Promise<void> {
  const { body } = await ask(client, 200, 'listAttachments');
  const listed = new Map(wireForm(attachmentsAnswer, body).attachments.map((file) => [file.id, file]));
  for (const [id, bytes] of ledger.files) {
    if (ledger.mayBeGone(id)) continue;
    const file = listed.get(id);
    assert.ok(file, `the acknowledged file ${id} is gone`);
    assert.equal(file.checksum, checksumOf(bytes), `checksum of ${id}`);
  }
  for (const file of listed.values()) {
    // After a crash between the last chunk and "ready" a job finishes the file; until then it is unavailable.
    if (!file.processed) assert.equal(file.available, false);
    else assert.ok(ledger.attempted.has(file.checksum), 'a file that no client has sent');
  }
  for (const upload of ledger.open) {
    const state = await ask(client, 200, 'getUpload', { params: { id: upload.id } });
    const received = new Set(wireForm(uploadStateAnswer, state.body).upload.received);
    for (const number of upload.acknowledged) assert.ok(received.has(number), 'an acknowledged chunk is gone');
  }
  for (const id of ledger.deleted) await ask(client, 404, 'getFileLink', { params: { id } });
}

export async function checkBytes(ledger: Ledger, client: ApiClient): Promise<void> {
  const shared = new Set([...ledger.links].filter(([id]) => ledger.isLive(id)).map(([, fileId]) => fileId));
  for (const [id, bytes] of ledger.files) {
    // Files with a link follow below.
    if (ledger.mayBeGone(id) || shared.has(id)) continue;
    const link = await ask(client, 200, 'createFileLink', { body: { link: { attachment: id } } });
    const file = await downloadNow(client, wireForm(fileLinkAnswer, link.body).link.id);
    assertSame(file, bytes, `the acknowledged file ${id} has other bytes`);
    ledger.begunDownloads += 1;
  }
  for (const [linkId, fileId] of ledger.links) {
    if (ledger.doubtful.has(linkId)) continue;
    const file = await downloadNow(client, linkId);
    if (ledger.deleted.has(linkId)) assert.equal(file.bytes.length, 0, 'a deleted link gives bytes');
    else assertSame(file, ledger.files.get(fileId)!, 'a link leads to other bytes');
    if (!ledger.deleted.has(linkId)) ledger.begunDownloads += 1;
  }
  const { body } = await ask(client, 200, 'listDownloads');
  const { downloads } = wireForm(downloadsAnswer, body);
  assert.ok(
    downloads.length >= ledger.begunDownloads,
    `${ledger.begunDownloads} clients got bytes, ${downloads.length} lines are in the log`,
  );
  assert.equal(new Set(downloads.map((line) => line.id)).size, downloads.length);
}
