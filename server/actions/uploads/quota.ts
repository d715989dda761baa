// Room for bytes that are on their way. Quota is reserved before the bytes come, not discovered at the end, and taken
// back exactly once (invariant I13). People without a quota cost nothing here.
import type { Tx } from '../../db/schema.ts';
import { findUsedBytes, hasRoom, releaseReservation, reserveBytes } from '../../db/stored-bytes.ts';
import { ownUploader, type Uploader, type UserCaller } from '../../domain/caller.ts';
import { StoreFull, StoreRefuses } from '../../domain/ports.ts';
import { Problem } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';
import { dropFull, reserveAtDrop } from '../submissions/limits.ts';
import { type Turn, takeTurn } from './quota-turns.ts';

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

/** Promised beyond what has come, so that the promise is there before the bytes; an eighth of the file, within limits. */
const leastAheadBytes = 64 * 1024;
const mostAheadBytes = 64 * 1024 * 1024;
/** Bytes may pass this far ahead of their promise; what is stored in the end is always checked exactly. */
const overshootBytes = 64 * 1024;
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
export async function demandQuotaRoom(ctx: Ctx, caller: UserCaller, bytes: number): Promise<void> {
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
export async function demandRoomInStore(ctx: Ctx): Promise<void> {
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

interface Growth extends Pick<Room, 'take' | 'settle'> {
  /** Asks for no more. */
  stop(): Promise<void>;
  /** What was reserved is given back, or stored. */
  end(): void;
}

const noGrowth: Growth = { take: () => undefined, settle: async () => {}, stop: async () => {}, end() {} };

/** Reserves beside the bytes as they pass, one step at a time: a little ahead while there is room, else what is needed. */
function createGrowth(reserve: (bytes: number) => Promise<boolean>, turn: Turn, full: () => Problem): Growth {
  let takenBytes = 0;
  let reservedBytes = 0;
  let isRefused = false;
  let isStopped = false;
  let growing: Promise<void> | null = null;

  const tryGrowing = async () => {
    const missing = Math.max(takenBytes - reservedBytes, 0);
    const ahead = Math.min(Math.max(Math.floor(takenBytes / 8), leastAheadBytes), mostAheadBytes);
    for (const step of [missing + ahead, missing]) {
      if (step === 0 || isStopped || !(await reserve(step))) continue;
      reservedBytes += step;
      isRefused = false;
      return;
    }
    // Only a full answer is one: a database that could not be asked refuses nothing, and the next bytes ask again.
    isRefused = true;
  };
  const grow = () => {
    growing = tryGrowing()
      .catch(() => {
        isRefused = false;
      })
      .finally(() => {
        growing = null;
      });
    return growing;
  };
  /** Asks until there is an answer that will not change by waiting; false when there is no room. */
  const insist = async (): Promise<boolean> => {
    for (;;) {
      // Before asking, so that no end is missed.
      const laterEnded = turn.laterEnded();
      await grow();
      if (!isRefused) return true;
      if (laterEnded === null || !(await laterEnded) || isStopped) return false;
    }
  };
  return {
    take(count) {
      takenBytes += count;
      if (growing !== null || takenBytes < reservedBytes - leastAheadBytes / 2) return;
      if (isRefused && takenBytes - reservedBytes > overshootBytes) return insist().then((fits) => orThrow(fits, full));
      void grow();
      return;
    },
    async settle() {
      await growing;
      // Refused or not, what is stored is checked exactly; a piece that came again needs no room at all.
      if (takenBytes > reservedBytes) await insist();
    },
    async stop() {
      isStopped = true;
      await growing;
    },
    end: turn.end,
  };
}

function orThrow(fits: boolean, full: () => Problem): void {
  if (!fits) throw full();
}
