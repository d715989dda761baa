// Reserves quota before bytes are received, and releases it exactly once.
import type { Tx } from '../../db/schema/schema.ts';
import { findUsedBytes, hasFreeSpace, releaseReservation, reserveBytes } from '../../db/storage/stored-bytes.ts';
import { ownUploader, type Uploader, type UserCaller } from '../../domain/caller.ts';
import { StoreFull, StoreRefuses } from '../../domain/ports.ts';
import { Problem } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';
import { dropFull, reserveAtDrop } from '../submissions/limits.ts';
import { createGrowth, type Meter, noGrowth } from './quota-growth.ts';
import { joinQueue } from './quota-queue.ts';

export interface Reservation {
  /** Throws when the bytes do not fit. */
  addBytes: Meter;
  /** Call before the transaction that stores the bytes. */
  reserveRest(): Promise<void>;
  /** Call in the transaction that stores the bytes. Throws if they do not fit. */
  release(tx: Tx): Promise<void>;
  /** Call after that transaction; wakes waiting uploads. */
  finish(): void;
  /** Idempotent; safe if the commit is uncertain. */
  cancel(): Promise<void>;
}

const reservationMs = 24 * 3_600_000;
const megabyte = 1024 * 1024;

const unlimited: Reservation = {
  addBytes: () => undefined,
  reserveRest: async () => {},
  release: async () => {},
  finish() {},
  cancel: async () => {},
};

/** Outside senders must not learn whose storage is full. */
function quotaFull({ source }: Uploader): Problem {
  const sentence =
    source === ''
      ? 'There is not enough room left in your storage. Delete files you no longer need, or ask your administrator for more room.'
      : 'There is no room for these files at the moment. Tell the person who is waiting for them.';
  return new Problem('invalid', 'attachment.quota_full', sentence)
    .withValues({
      who: source === '' ? 'owner' : 'outside',
    })
    .decidedBy('storage_quota');
}

export async function requireQuota(ctx: Ctx, caller: UserCaller, bytes: number): Promise<void> {
  const quotaBytes = caller.policy.storage_quota * megabyte;
  if (quotaBytes === 0 || (await hasFreeSpace(ctx.db.read, { ownerId: caller.userId, bytes, quotaBytes }))) return;
  throw quotaFull(ownUploader(caller));
}

/** `usedBytes` includes reservations. */
export async function getStorage(
  ctx: Ctx,
  caller: UserCaller,
): Promise<{ usedBytes: number; quotaBytes: number | null }> {
  const quotaBytes = caller.policy.storage_quota * megabyte;
  return {
    usedBytes: await findUsedBytes(ctx.db.read, caller.userId),
    quotaBytes: quotaBytes === 0 ? null : quotaBytes,
  };
}

export async function requireStorageSpace(ctx: Ctx): Promise<void> {
  const state = await ctx.blobs.state();
  if (state === 'no_uploads') throw new StoreFull(ctx.blobs.trouble());
  if (state !== 'healthy') throw new StoreRefuses(ctx.blobs.trouble());
}

/** Without a length (null), the reservation grows with the bytes. */
export async function reserveQuota(ctx: Ctx, uploader: Uploader, lengthBytes: number | null): Promise<Reservation> {
  const id = ctx.random.id();
  const ledger = ledgerFor(uploader, id);
  if (ledger === null) return unlimited;
  const { full } = ledger;
  const reserve = (bytes: number): Promise<boolean> => {
    const expiresAt = ctx.clock.now() + reservationMs;
    return ctx.db.write((tx) => ledger.reserve(tx, bytes, expiresAt));
  };
  if (lengthBytes !== null && !(await reserve(lengthBytes))) throw full();
  const growth = lengthBytes === null ? createGrowth(reserve, joinQueue(ctx, ledger.name), full) : noGrowth;
  return {
    addBytes: growth.addBytes,
    reserveRest: growth.reserveRest,
    async release(tx) {
      await releaseReservation(tx, id);
      if (!(await ledger.fits(tx))) throw full();
    },
    finish: growth.finish,
    async cancel() {
      await growth.stop();
      await ctx.db
        .write((tx) => releaseReservation(tx, id))
        .catch((error: unknown) => {
          ctx.log.warn({ err: String(error) }, 'a reservation could not be taken back; the sweeper will');
        });
      growth.finish();
    },
  };
}

interface Ledger {
  /** Uploads with the same name wait for each other. */
  name: string;
  reserve(tx: Tx, bytes: number, expiresAt: number): Promise<boolean>;
  fits(tx: Tx): Promise<boolean>;
  full(): Problem;
}

/** Null if unlimited. */
function ledgerFor(uploader: Uploader, id: string): Ledger | null {
  const { ownerId, source, submissionLimits } = uploader;
  if (submissionLimits !== null && submissionLimits.dropName !== null) {
    return {
      name: `${ownerId} ${submissionLimits.dropName}`,
      reserve: (tx, bytes, expiresAt) =>
        reserveAtDrop(tx, { ownerId, source, submissionLimits }, { id, bytes, expiresAt }),
      // `requireWaitingSpace` checks it.
      fits: async () => true,
      full: dropFull,
    };
  }
  const quotaBytes = uploader.policy.storage_quota * megabyte;
  if (quotaBytes === 0) return null;
  return {
    name: ownerId,
    reserve: (tx, bytes, expiresAt) => reserveBytes(tx, { id, ownerId, bytes, quotaBytes, expiresAt }),
    async fits(tx) {
      const isWithin = await reserveBytes(tx, { id, ownerId, bytes: 0, quotaBytes, expiresAt: 0 });
      await releaseReservation(tx, id);
      return isWithin;
    },
    full: () => quotaFull(uploader),
  };
}
