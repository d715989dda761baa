// Room for bytes that are on their way. Quota is reserved before the bytes come, not discovered at the end, and taken
// back exactly once (invariant I13). People without a quota cost nothing here.
import type { Tx } from '../../db/schema/schema.ts';
import { findUsedBytes, hasRoom, releaseReservation, reserveBytes } from '../../db/storage/stored-bytes.ts';
import { ownUploader, type Uploader, type UserCaller } from '../../domain/caller.ts';
import { StoreFull, StoreRefuses } from '../../domain/ports.ts';
import { Problem } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';
import { dropFull, reserveAtDrop } from '../submissions/limits.ts';
import { createGrowth, noGrowth } from './quota-growth.ts';
import { takeTurn } from './quota-turns.ts';

export interface Room {
  /** Counts bytes as they pass; throws a Problem when there is no room for them. A promise holds the next ones up. */
  take(count: number): Promise<void> | undefined;
  /** After the last byte, before the transaction that stores them. */
  settle(): Promise<void>;
  /** Ends the reservation in the transaction that stores the bytes, and refuses if they do not fit after all. */
  release(tx: Tx): Promise<void>;
  /** That transaction is over: those who wait for room are told. */
  end(): void;
  /** Ends it after a failure. Safe to call twice, also when nobody knows whether the transaction was committed. */
  giveUp(): Promise<void>;
}

const reservationMs = 24 * 3_600_000;
const megabyte = 1024 * 1024;

const unlimited: Room = {
  take: () => undefined,
  settle: async () => {},
  release: async () => {},
  end() {},
  giveUp: async () => {},
};

/** Somebody outside has no storage and no administrator here; whose it is that is full is not theirs to know. */
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

/** The same rule for bytes that are only planned: nothing is promised to them. */
export async function requireQuota(ctx: Ctx, caller: UserCaller, bytes: number): Promise<void> {
  const quotaBytes = caller.policy.storage_quota * megabyte;
  if (quotaBytes === 0 || (await hasRoom(ctx.db.read, { ownerId: caller.userId, bytes, quotaBytes }))) return;
  throw quotaFull(ownUploader(caller));
}

/** What the caller uses, including what is reserved for uploads, and their quota; null when there is none. */
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

/** Refused before a byte is read: the disk is full, or the store cannot be trusted right now. */
export async function requireStorageSpace(ctx: Ctx): Promise<void> {
  const state = await ctx.blobs.state();
  if (state === 'no_uploads') throw new StoreFull(ctx.blobs.trouble());
  if (state !== 'healthy') throw new StoreRefuses(ctx.blobs.trouble());
}

/** Reserves the announced length, or grows with the bytes when the client announced none (null). */
export async function holdRoom(ctx: Ctx, uploader: Uploader, lengthBytes: number | null): Promise<Room> {
  const id = ctx.random.id();
  const ledger = ledgerFor(uploader, id);
  if (ledger === null) return unlimited;
  const { full } = ledger;
  const reserve = (bytes: number): Promise<boolean> => {
    const expiresAt = ctx.clock.now() + reservationMs;
    return ctx.db.write((tx) => ledger.reserve(tx, bytes, expiresAt));
  };
  if (lengthBytes !== null && !(await reserve(lengthBytes))) throw full();
  const growth = lengthBytes === null ? createGrowth(reserve, takeTurn(ctx, ledger.name), full) : noGrowth;
  return {
    take: growth.take,
    settle: growth.settle,
    async release(tx) {
      await releaseReservation(tx, id);
      if (!(await ledger.fits(tx))) throw full();
    },
    end: growth.end,
    async giveUp() {
      await growth.stop();
      await ctx.db
        .write((tx) => releaseReservation(tx, id))
        .catch((error: unknown) => {
          ctx.log.warn({ err: String(error) }, 'a reservation could not be taken back; the sweeper will');
        });
      growth.end();
    },
  };
}

/** Out of what room is promised. */
interface Ledger {
  /** Uploads of the same name wait for each other. */
  name: string;
  reserve(tx: Tx, bytes: number, expiresAt: number): Promise<boolean>;
  /** What is stored by now is within the limit. */
  fits(tx: Tx): Promise<boolean>;
  full(): Problem;
}

/** The reserve of a drop page, or the owner's quota; null where nothing limits it. */
function ledgerFor(uploader: Uploader, id: string): Ledger | null {
  const { ownerId, source, handIn } = uploader;
  if (handIn !== null && handIn.dropName !== null) {
    return {
      name: `${ownerId} ${handIn.dropName}`,
      reserve: (tx, bytes, expiresAt) => reserveAtDrop(tx, { ownerId, source, handIn }, { id, bytes, expiresAt }),
      // Looked at exactly, with the number of files, where the bytes are stored.
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
