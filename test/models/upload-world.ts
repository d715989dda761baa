// The service under the upload model: runs commands, compares replies with the model, and reads rows and blobs.
import assert from 'node:assert/strict';
import { attachmentsAnswer, uploadStateAnswer } from '#contract/attachments.ts';
import { fileLinkAnswer } from '#contract/file-links.ts';
import type { TestApp } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { download } from '#test/kit/downloads.ts';
import { eventually } from '#test/kit/eventually.ts';
import { type HeldUpload, holdUpload } from '#test/kit/held-upload.ts';
import { wireForm } from '../kit/wire-form.ts';
import {
  type ChunkSpec,
  contentOf,
  type Opened,
  type Outcome,
  type Session,
  type UploadModel,
  wholeOf,
} from './upload-model.ts';

const jobNames = [
  'finish-uploads',
  'abandon-uploads',
  'erase-files',
  'remove-erased',
  'sweep-orphans',
  'tidy',
  'seal-events',
];

/** What a client sees of an answer to a chunk. */
export interface Seen {
  status: number;
  code: string | null;
  uploadId: string | null;
  file: { id: string; checksum: string; crc32: string; size: number; available: boolean } | null;
}

export interface Held {
  upload: HeldUpload;
  opened: Opened;
  rest: Buffer;
}

export class UploadWorld {
  readonly app: TestApp;
  readonly person: ApiClient;
  /** The service's ids of the model's sessions. */
  readonly ids = new Map<number, string>();
  readonly links = new Map<number, string>();
  readonly held: Held[] = [];

  constructor(app: TestApp, person: ApiClient) {
    this.app = app;
    this.person = person;
  }

  async send(spec: ChunkSpec): Promise<Seen> {
    const bytes = contentOf(spec.number, spec.variant);
    const reply = await this.person.call(spec.family === 'link' ? 'uploadForLink' : 'uploadForMessage', {
      query: this.queryOf(spec),
      bytes: spec.isAnnounced ? bytes : inTwo(bytes),
      headers: { 'content-type': 'application/octet-stream', connection: 'close' },
    });
    return seen(reply.status, reply.text, reply.headers.get('upload-id'));
  }

  /** Begins a chunk and sends half of it; null when it was refused beforehand. */
  async hold(spec: ChunkSpec): Promise<{ upload: HeldUpload; rest: Buffer } | Seen> {
    const bytes = contentOf(spec.number, spec.variant);
    const path = `/${spec.family}/attachments/upload?${new URLSearchParams(this.queryOf(spec))}`;
    const upload = await holdUpload(this.person, path, { lengthBytes: bytes.length });
    if (upload.refusal !== null) return seen(upload.refusal.status, upload.refusal.text, upload.refusal.uploadId);
    const half = Math.floor(bytes.length / 2);
    if (half > 0) await upload.send(bytes.subarray(0, half));
    return { upload, rest: bytes.subarray(half) };
  }

  async finish({ upload, rest }: Held): Promise<Seen> {
    const { status, text, uploadId } = await upload.finish(rest);
    return seen(status, text, uploadId);
  }

  queryOf(spec: ChunkSpec): Record<string, string> {
    return {
      filename: spec.name,
      chunks: String(spec.chunks),
      chunk: String(spec.number),
      ...(spec.target === 'named'
        ? {}
        : { upload_id: spec.target === 'new' ? 'new' : (this.ids.get(spec.target.session) ?? 'A'.repeat(22)) }),
    };
  }

  /** Whether the reply matches the model, with consistent ids. */
  fits(outcome: Outcome, given: Seen, ids: Map<number, string>): boolean {
    if (outcome.kind === 'refused') return given.status === outcome.status && given.code === outcome.code;
    if (given.status !== 200 || given.uploadId === null) return false;
    const known = ids.get(outcome.session);
    if (known !== undefined ? known !== given.uploadId : [...ids.values()].includes(given.uploadId)) return false;
    ids.set(outcome.session, given.uploadId);
    return outcome.kind === 'stored' ? given.file === null : given.file !== null && given.file.id === given.uploadId;
  }

  /** Asserts it for one chunk sent alone. */
  demand(model: UploadModel, outcome: Outcome, given: Seen): void {
    assert.ok(
      this.fits(outcome, given, this.ids),
      `the model says ${JSON.stringify(outcome)}, the service ${JSON.stringify(given)}`,
    );
    if (outcome.kind !== 'done') return;
    const whole = wholeOf(model.sessions[outcome.session]!);
    const { checksum, crc32, size, available } = given.file!;
    assert.deepEqual(
      { checksum, crc32, size, available },
      { checksum: whole.sha256, crc32: whole.crc32, size: whole.bytes.length, available: true },
    );
  }

  /** The state of one session by the API. */
  async agrees(session: Session): Promise<boolean> {
    const id = this.ids.get(session.reference);
    if (id === undefined || session.chunks === 1) return true;
    const reply = await this.person.call('getUpload', { params: { id } });
    if (session.state === 'ended' || session.isForgotten) return reply.status === 404;
    if (reply.status !== 200) return false;
    const { upload } = wireForm(uploadStateAnswer, reply.body);
    const numbers = [...session.received.keys()].sort((a, b) => a - b);
    return upload.state === session.state && JSON.stringify(upload.received) === JSON.stringify(numbers);
  }

  /** Waits until finished requests hold no reservation. */
  async settled(): Promise<void> {
    const { ctx } = this.app.app;
    const promises = this.held.filter(({ opened }) => opened.isPromised).length;
    await eventually('reservations of broken uploads are taken back', async () => {
      const rows = await ctx.db.read.selectFrom('reservations').selectAll().execute();
      return rows.length === promises;
    });
  }

  async bind(session: Session): Promise<number> {
    const reply = await this.person.call('createFileLink', {
      body: { link: { attachment: this.ids.get(session.reference)! } },
    });
    if (reply.status === 200) this.links.set(this.links.size, wireForm(fileLinkAnswer, reply.body).link.id);
    return reply.status;
  }

  async restart(): Promise<void> {
    await this.app.restart();
    // Detects broken connections to the old server here, not in the next command.
    await eventually('the service answers again', async () => (await this.person.call('getAccount')).status === 200);
  }

  async runJobs(): Promise<void> {
    for (const name of jobNames) {
      const note = await this.app.app.jobs.runOnce(name, { isConfirmed: true });
      assert.notEqual(note, null, `${name} did not run`);
    }
  }

  /** The list of files, their checksums, and all their bytes. */
  async checkFiles(model: UploadModel): Promise<void> {
    const reply = await this.person.expect(200, 'listAttachments');
    const listed = wireForm(attachmentsAnswer, reply.body).attachments;
    const expected = model.files().map((session) => {
      const { sha256, crc32, bytes } = wholeOf(session);
      return { id: this.ids.get(session.reference), checksum: sha256, crc32, size: bytes.length, available: true };
    });
    const byId = (a: { id: string | undefined }, b: { id: string | undefined }) => (a.id! < b.id! ? -1 : 1);
    assert.deepEqual(
      listed.map(({ id, checksum, crc32, size, available }) => ({ id, checksum, crc32, size, available })).sort(byId),
      expected.sort(byId),
    );
    for (const session of model.files()) {
      if (session.file!.links.length === 0) {
        assert.equal(await this.bind(session), 200);
        session.file!.links.push(this.links.size - 1);
        session.file!.eraseAt = null;
      }
      const file = await download(this.app.url, this.links.get(session.file!.links[0]!)!);
      assert.equal(file.status, 200);
      assert.ok(file.isWhole && file.bytes.equals(wholeOf(session).bytes), 'the file read back is another one');
    }
  }

  /** Internal state: each file is sealed once, deleted files leave no key and no byte, sums are exact. */
  async checkInside(model: UploadModel): Promise<void> {
    const { ctx } = this.app.app;
    const ids = [...this.ids.values(), ''];
    const seals = await ctx.db.read
      .selectFrom('events')
      .select(['object_id', (eb) => eb.fn.countAll<number>().as('count')])
      .where('action', '=', 'attachment.uploaded')
      .where('object_id', 'in', ids)
      .groupBy('object_id')
      .execute();
    assert.ok(
      seals.every((row) => Number(row.count) === 1),
      'an upload was sealed twice',
    );
    const userId = this.person.email.replace(/[^a-z0-9]+/g, '-');
    const user = await ctx.db.read.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirstOrThrow();
    assert.equal(user.stored_bytes, model.storedBytes);
    assert.equal(user.reserved_bytes, model.reservedBytes);
    assert.ok(user.stored_bytes + user.reserved_bytes <= model.quotaBytes);
    const uploads = await ctx.db.read.selectFrom('uploads').selectAll().where('owner_id', '=', userId).execute();
    for (const upload of uploads)
      assert.equal(upload.data_key_wrapped !== null, upload.state === 'open', `a key is kept in state ${upload.state}`);
    const files = await ctx.db.read.selectFrom('attachments').selectAll().where('owner_id', '=', userId).execute();
    for (const file of files) assert.equal(file.data_key_wrapped !== null, file.state === 'ready');
  }

  /** No blob that a row refers to is missing. */
  async checkBlobs(): Promise<void> {
    const { stored, referenced } = await this.#blobs();
    const missing = [...referenced].filter((key) => !stored.has(key));
    assert.deepEqual(missing, []);
  }

  /** Unreferenced blobs are erased once the service's clock is an hour past the store's. */
  async checkSwept(): Promise<void> {
    const { clock } = this.app;
    clock.advance(Math.max(0, Date.now() - clock.now()) + 2 * 3_600_000);
    await this.runJobs();
    const { stored, referenced } = await this.#blobs();
    assert.deepEqual([...stored].sort(), [...referenced].sort());
  }

  async #blobs(): Promise<{ stored: Set<string>; referenced: Set<string> }> {
    const { ctx } = this.app.app;
    const stored = new Set<string>();
    for await (const blob of ctx.blobs.list()) stored.add(blob.key);
    const parts = await ctx.db.read.selectFrom('parts').select('blob_key').execute();
    return { stored, referenced: new Set(parts.map((part) => part.blob_key)) };
  }
}

function seen(status: number, text: string, uploadId: string | null): Seen {
  const body = text === '' ? null : (JSON.parse(text) as { code?: string; attachment?: Seen['file'] });
  return { status, code: body?.code ?? null, uploadId, file: body?.attachment ?? null };
}

/** A body of unknown length in two chunks, the second after a turn of the event loop. */
function inTwo(bytes: Buffer<ArrayBuffer>): ReadableStream {
  const half = Math.floor(bytes.length / 2);
  const chunks = [bytes.subarray(0, half), bytes.subarray(half)].filter((chunk) => chunk.length > 0);
  return new ReadableStream({
    async pull(controller) {
      const chunk = chunks.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
      await new Promise((resolve) => setImmediate(resolve));
    },
  });
}
