// Receives a body: checksums, AES-GCM segments, store, in constant memory. Plain bytes never reach the store; on any
// error nothing of the blob remains.
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { BlobStore, BlobWriter, ReceivedBlob, ReceiveOptions, SealedBlob } from '#server/domain/ports.ts';
import { type Batches, createBatches } from './batches.ts';
import { readBody, type TakePiece } from './body.ts';
import { createDigests, type Digests } from './digests.ts';
import { createHeader, saltBytes } from './format.ts';
import type { HashOffload } from './hash-offload.ts';
import type { Transfers } from './transfers.ts';

export interface ReceivingParts {
  store: BlobStore;
  transfers: Transfers;
  offload: HashOffload;
}

export async function receiveBlob(
  { store, transfers, offload }: ReceivingParts,
  blob: SealedBlob,
  body: Readable,
  options: ReceiveOptions = {},
): Promise<ReceivedBlob> {
  const { header, keys } = createHeader(blob.dataKey, blob.context, randomBytes(saltBytes));
  const isAlone = () => transfers.active === 1;
  const over = transfers.begin();
  let digests: Digests | null = null;
  let opening: Promise<BlobWriter> | null = null;
  let batches: Batches | null = null;
  try {
    digests = createDigests(options.after, () => offload.begin(isAlone));
    // Reads the body while the store opens the blob, because the client may disconnect.
    opening = store.create(blob.key);
    batches = createBatches(opening, header, keys, transfers);
    const reading = readBody(body, takeInto(digests, batches, options.onBytes));
    batches.failed.catch(reading.fail);
    await reading.done;
    const [received] = await Promise.all([digests.finish(), batches.finish()]);
    await (await opening).commit();
    return received;
  } catch (error) {
    // Reports the first error; the sweep removes what an abort leaves.
    await opening?.then((writer) => writer.abort()).catch(() => {});
    throw error;
  } finally {
    digests?.drop();
    batches?.drop();
    over();
  }
}

function takeInto(digests: Digests, batches: Batches, onBytes: ReceiveOptions['onBytes']): TakePiece {
  return (piece) => {
    const permitting = onBytes?.(piece.length);
    const hashing = digests.add(piece);
    const writing = batches.add(piece);
    if (permitting) return Promise.all([permitting, hashing, writing]).then(() => {});
    return hashing && writing ? Promise.all([hashing, writing]).then(() => {}) : (hashing ?? writing);
  };
}
