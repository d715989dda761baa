// Bytes on their way in, until a row points at them or nothing of them is left. Quota, lease and stored bytes end
// together here, whatever goes wrong.
import { Readable } from 'node:stream';
import type { Tx } from '../../db/schema/schema.ts';
import { insertPart } from '../../db/uploads/parts.ts';
import type { Attachment } from '../../domain/attachments.ts';
import type { Caller } from '../../domain/caller.ts';
import type { ReceivedBlob, SealedBlob } from '../../domain/ports.ts';
import { wasRolledBack } from '../../domain/problem.ts';
import type { Upload } from '../../domain/uploads.ts';
import { crc32Hex } from '../../lib/crc32.ts';
import type { Ctx } from '../context.ts';
import { type Hold, holdBlob } from './leases.ts';
import type { Room } from './quota.ts';
import { createAttachment } from './sealing.ts';

/** What a request says about the bytes it brings. */
export interface UploadInput {
  family: Upload['family'];
  /** After the clean-up of security D8. */
  fileName: string;
  declaredType: string | null;
  /** Which piece this is; null for a whole file. */
  piece: { number: number; of: number } | null;
  /** The upload it belongs to; `new` opens one of its own; null finds it by name. */
  uploadId: string | null;
  /** As announced by the client, if it did. */
  lengthBytes: number | null;
  /** Asked for only when everything that can be refused beforehand was permitted. */
  openBody(): Readable;
}

/** `attachment` is null while pieces are missing. */
export interface UploadResult {
  uploadId: string;
  attachment: Attachment | null;
}

/** Both look at the bytes, the second only at those the first lets pass. */
export function inTurn(first: (count: number) => void, second: Room['take']): Room['take'] {
  return (count) => {
    first(count);
    return second(count);
  };
}

/** Receives and stores; if that fails the room is given back, and bytes that no row can point at are removed. */
export async function receiveOrNothing<Result>(
  ctx: Ctx,
  room: Room,
  blobKey: string,
  store: (hold: Hold) => Promise<Result>,
): Promise<Result> {
  const hold = holdBlob(ctx, blobKey);
  try {
    const result = await store(hold);
    room.end();
    return result;
  } catch (error) {
    await room.giveUp();
    // Otherwise the sweep decides.
    if (wasRolledBack(error)) await ctx.blobs.erase(blobKey).catch(() => {});
    throw error;
  } finally {
    await hold.end();
  }
}

/** Bytes that are stored before it is known what they belong to. */
interface Aside {
  received: ReceivedBlob;
  /** The same bytes once more, for whoever takes them over. */
  openAgain(): Readable;
}

/** Stores bytes under a key of their own until `use` has looked at them; nothing of them stays, whatever happens. */
export async function setAside<Result>(
  ctx: Ctx,
  room: Room,
  { openBody, onBytes }: { openBody(): Readable; onBytes: Room['take'] },
  use: (aside: Aside) => Promise<Result>,
): Promise<Result> {
  const blob = { key: ctx.random.id(), dataKey: ctx.random.bytes(32), context: 'aside' };
  const hold = holdBlob(ctx, blob.key);
  try {
    const received = await ctx.blobs.receive(blob, openBody(), { onBytes });
    await room.settle();
    // Whoever takes the bytes over reserves room for them.
    await room.giveUp();
    return await use({ received, openAgain: () => readAgain(ctx, blob, received.sizeBytes) });
  } finally {
    await room.giveUp();
    await ctx.blobs.erase(blob.key).catch(() => {});
    await hold.end();
  }
}

/** Stored bytes as a body, to be stored once more where they belong. */
export function readAgain(ctx: Ctx, blob: SealedBlob, sizeBytes: number): Readable {
  return Readable.from(ctx.blobs.read(blob, { start: 0, end: sizeBytes }), { objectMode: false });
}

/** A file whose bytes are stored in one part and that has no row yet. */
export interface ArrivedFile {
  id: string;
  blobKey: string;
  dataKey: Buffer;
  received: ReceivedBlob;
  hold: Hold;
}

interface FileFacts {
  ownerId: string;
  source: string;
  fileName: string;
  contentType: string;
  /** True: the message it came with holds it from the start. */
  isHeld: boolean;
}

/** Makes the rows of a file that arrived whole. Its bytes are the caller's to charge. */
export async function adoptFile(ctx: Ctx, tx: Tx, caller: Caller, file: ArrivedFile & FileFacts): Promise<void> {
  const { id, blobKey, dataKey, received, hold } = file;
  const { sizeBytes, sha256, crc32 } = received;
  await insertPart(tx, { uploadId: id, number: 0, blobKey, sizeBytes, sha256, crc32 });
  await createAttachment(ctx, tx, caller, {
    id,
    ownerId: file.ownerId,
    source: file.source,
    fileName: file.fileName,
    contentType: file.contentType,
    isHeld: file.isHeld,
    sizeBytes,
    sha256,
    crc32: crc32Hex(crc32),
    dataKey: ctx.keys.files.wrap(dataKey, id),
  });
  await hold.adopt(tx);
}
