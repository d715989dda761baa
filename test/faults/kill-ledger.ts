// What clients were told while the service was being killed again and again. Everything acknowledged must be there
// afterwards, byte for byte; what was attempted without an answer may be there, but only whole (invariants I1, I9).
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { attachmentsAnswer, uploadStateAnswer } from '#contract/attachments.ts';
import { downloadsAnswer } from '#contract/downloads.ts';
import { fileLinkAnswer } from '#contract/file-links.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { download } from '#test/kit/downloads.ts';

export interface PieceUpload {
  id: string;
  name: string;
  pieces: Buffer<ArrayBuffer>[];
  /** Numbers answered with 200. */
  acknowledged: Set<number>;
}

export class Ledger {
  /** Acknowledged files by id. */
  readonly files = new Map<string, Buffer>();
  /** Checksums of everything ever sent whole: nothing else may exist. */
  readonly attempted = new Set<string>();
  /** Uploads in pieces that were begun and not finished yet. */
  readonly open = new Set<PieceUpload>();
  /** Acknowledged links: link id to file id. */
  readonly links = new Map<string, string>();
  /** Links whose deletion was acknowledged. */
  readonly deleted = new Set<string>();
  /** Links that were asked to be deleted, without an answer. */
  readonly doubtful = new Set<string>();
  /** Downloads of which a client got at least one byte. */
  begunDownloads = 0;
  /** Whole downloads with the right bytes. */
  wholeDownloads = 0;

  attempt(bytes: Buffer): void {
    this.attempted.add(createHash('sha256').update(bytes).digest('hex'));
  }

  /** A link nobody has tried to delete, or null. */
  anyLink(): [string, string] | null {
    const live = [...this.links].filter(([id]) => !this.deleted.has(id) && !this.doubtful.has(id));
    return live[Math.floor(Math.random() * live.length)] ?? null;
  }

  /** Files that may be gone because the last link to them was, or may have been, deleted. */
  mayBeGone(fileId: string): boolean {
    const links = [...this.links].filter(([, file]) => file === fileId).map(([id]) => id);
    return links.length > 0 && links.every((id) => this.deleted.has(id) || this.doubtful.has(id));
  }
}

/** Lists and states: quick enough to be asked after every kill. */
export async function checkLists(ledger: Ledger, client: ApiClient): Promise<void> {
  const { body } = await client.expect(200, 'listAttachments');
  const listed = new Map(attachmentsAnswer.parse(body).attachments.map((file) => [file.id, file]));
  for (const [id, bytes] of ledger.files) {
    if (ledger.mayBeGone(id)) continue;
    const file = listed.get(id);
    assert.ok(file, `the acknowledged file ${id} is gone`);
    assert.equal(file.checksum, createHash('sha256').update(bytes).digest('hex'));
  }
  for (const file of listed.values()) {
    // Between "all pieces here" and "ready" a crash leaves work for a job; until then the file is not available.
    if (!file.processed) assert.equal(file.available, false);
    else assert.ok(ledger.attempted.has(file.checksum), 'a file nobody has sent like this');
  }
  for (const upload of ledger.open) {
    const state = await client.expect(200, 'getUpload', { params: { id: upload.id } });
    const received = new Set(uploadStateAnswer.parse(state.body).upload.received);
    for (const number of upload.acknowledged) assert.ok(received.has(number), 'an acknowledged piece is gone');
  }
  for (const id of ledger.deleted) await client.expect(404, 'getFileLink', { params: { id } });
}

/** Every byte of everything acknowledged, at the end. */
export async function checkBytes(ledger: Ledger, client: ApiClient): Promise<void> {
  for (const [id, bytes] of ledger.files) {
    if (ledger.mayBeGone(id)) continue;
    const link = await client.expect(200, 'createFileLink', { body: { link: { attachment: id } } });
    const file = await download(client.url, fileLinkAnswer.parse(link.body).link.id);
    assert.ok(file.isWhole && file.bytes.equals(bytes), `the acknowledged file ${id} has other bytes`);
    ledger.begunDownloads += 1;
  }
  for (const [linkId, fileId] of ledger.links) {
    if (ledger.doubtful.has(linkId)) continue;
    const file = await download(client.url, linkId);
    if (ledger.deleted.has(linkId)) assert.equal(file.bytes.length, 0, 'a deleted link gives bytes');
    else assert.ok(file.bytes.equals(ledger.files.get(fileId)!), 'a link leads to other bytes');
    if (!ledger.deleted.has(linkId)) ledger.begunDownloads += 1;
  }
  const { body } = await client.expect(200, 'listDownloads');
  const { downloads } = downloadsAnswer.parse(body);
  assert.ok(
    downloads.length >= ledger.begunDownloads,
    `${ledger.begunDownloads} clients got bytes, ${downloads.length} lines are in the log`,
  );
  assert.equal(new Set(downloads.map((line) => line.id)).size, downloads.length);
}
