// Room for bytes that are on their way. Quota is reserved before the bytes come, not discovered at the end, and taken
// back exactly once (invariant I13). People without a quota cost nothing here.
import type { Tx } from '../db/schema.ts';
import { releaseReservation, reserveBytes } from '../db/users.ts';
import type { UserCaller } from '../domain/caller.ts';
import { Problem } from '../domain/problem.ts';
import type { Ctx } from './context.ts';

export interface Room {
  /** Counts bytes as they pass; throws a Problem when there is no room for them. */
  take(count: number): void;
  /** Ends the reservation in the transaction that stores the bytes. */
  release(tx: Tx): Promise<void>;
  /** Ends it after a failure. Safe to call twice. */
  giveUp(): Promise<void>;
}

/** Room for an unannounced length grows by the first of these steps that still fits. */
const stepsBytes = [64, 16, 4, 1, 0.25].map((step) => step * 1024 * 1024);
/** So much may pass beyond what is reserved before an upload is stopped; the exact sum is checked at its end. */
const overshootBytes = 64 * 1024;
const reservationMs = 24 * 3_600_000;
const megabyte = 1024 * 1024;

const unlimited: Room = { take() {}, release: async () => {}, giveUp: async () => {} };

export function quotaFull(): Problem {
  return new Problem(
    'invalid',
    'attachment.quota_full',
    'Your storage is full. Delete files you no longer need, or ask your administrator for more room.',
  );
}

/** Reserves the announced length, or grows step by step when the client announced none. */
export async function holdRoom(ctx: Ctx, caller: UserCaller, lengthBytes: number | null): Promise<Room> {
  const quotaBytes = caller.policy.storage_quota * megabyte;
  if (quotaBytes === 0) return unlimited;
  const id = ctx.random.id();
  let reserved = 0;
  let taken = 0;
  let lastStepBytes = 0;
  let isGrowing = false;
  let isRefused = false;
  let isEnded = false;

  const reserve = async (bytes: number): Promise<boolean> => {
    const expiresAt = ctx.clock.now() + reservationMs;
    const granted = await ctx.db.write((tx) =>
      reserveBytes(tx, { id, ownerId: caller.userId, bytes, quotaBytes, expiresAt }),
    );
    if (granted) reserved += bytes;
    return granted;
  };
  const takeBack = () =>
    ctx.db
      .write((tx) => releaseReservation(tx, id))
      .catch((error: unknown) => {
        ctx.log.warn({ err: String(error) }, 'a reservation could not be taken back; the sweeper will');
      });
  const grow = async () => {
    isGrowing = true;
    try {
      isRefused = true;
      for (const step of stepsBytes) {
        if (isEnded || !(await reserve(step))) continue;
        isRefused = false;
        lastStepBytes = step;
        break;
      }
    } catch (error) {
      ctx.log.warn({ err: String(error) }, 'room for an upload could not be reserved');
    }
    isGrowing = false;
    // The upload was over before its room was: nobody else would give it back.
    if (isEnded) await takeBack();
  };

  if (lengthBytes !== null && !(await reserve(lengthBytes))) throw quotaFull();
  return {
    take(count) {
      taken += count;
      if (lengthBytes !== null) return;
      if (isRefused && !isGrowing && taken > reserved + overshootBytes) throw quotaFull();
      if (!isGrowing && !isRefused && taken > reserved - lastStepBytes / 2) void grow();
    },
    async release(tx) {
      isEnded = true;
      await releaseReservation(tx, id);
      // With an unannounced length the steps ran beside the bytes, so the exact sum is checked once more here.
      if (
        lengthBytes === null &&
        !(await reserveBytes(tx, { id, ownerId: caller.userId, bytes: 0, quotaBytes, expiresAt: 0 }))
      )
        throw quotaFull();
      await releaseReservation(tx, id);
    },
    async giveUp() {
      isEnded = true;
      if (reserved > 0) await takeBack();
    },
  };
}
