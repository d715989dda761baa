// Protects bytes without a row from the sweep, which erases only blobs older than `orphanAgeMs`. Bytes that arrive for
// minutes get a lease. Bytes without one MUST be adopted within `unleasedMs`, others while their lease exists, so a
// stalled process never references erased bytes (docs/adr/0041).

import type { Tx } from '../../db/schema/schema.ts';
import { deleteLease, insertLeases, renewLeases } from '../../db/storage/blob-leases.ts';
import { Problem } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';

export interface Hold {
  /** MUST run in the transaction that inserts the row. Throws if the sweep may have erased the bytes. */
  adopt(tx: Tx): Promise<void>;
  /** Idempotent. */
  end(): Promise<void>;
}

const leaseAfterMs = 5 * 60_000;
/** Below the sweep's age limit, so that clocks may differ by half an hour. */
const unleasedMs = 25 * 60_000;
const leaseMs = 20 * 60_000;
const renewEveryMs = 60_000;
const batchSize = 500;

interface Entry {
  blobKey: string;
  begunAt: number;
  state: 'unleased' | 'leased' | 'lost';
}

interface Holds {
  holder: string;
  entries: Set<Entry>;
  renewedAt: number;
}

/** Tests run several services in one process. */
const holdsByDb = new WeakMap<Ctx['db'], Holds>();

function holdsOf(ctx: Ctx): Holds {
  const holds = holdsByDb.get(ctx.db) ?? { holder: ctx.random.id(), entries: new Set(), renewedAt: 0 };
  holdsByDb.set(ctx.db, holds);
  return holds;
}

/** MUST be called before the first byte is stored. */
export function holdBlob(ctx: Ctx, blobKey: string): Hold {
  const { holder, entries } = holdsOf(ctx);
  const entry: Entry = { blobKey, begunAt: ctx.clock.now(), state: 'unleased' };
  entries.add(entry);
  return {
    async adopt(tx) {
      const isHeld =
        entry.state === 'leased'
          ? await deleteLease(tx, blobKey, holder)
          : entry.state !== 'lost' && !isTooOld(ctx, entry);
      if (!isHeld) throw bytesLost();
    },
    async end() {
      entries.delete(entry);
      if (entry.state !== 'leased') return;
      entry.state = 'lost';
      await ctx.db
        .write((tx) => deleteLease(tx, blobKey, holder))
        .catch((error: unknown) => ctx.log.warn({ err: String(error) }, 'a lease on stored bytes is left to expire'));
    },
  };
}

/** Runs periodically. Makes no query while all uploads are short. */
export async function maintainLeases(ctx: Ctx): Promise<void> {
  const holds = holdsOf(ctx);
  const now = ctx.clock.now();
  // The clock may have been set back.
  for (const entry of holds.entries) entry.begunAt = Math.min(entry.begunAt, now);
  if (holds.renewedAt > now) holds.renewedAt = 0;
  const long = [...holds.entries].filter((entry) => entry.state === 'unleased' && entry.begunAt + leaseAfterMs <= now);
  for (const entries of batchesOf(long)) await takeLeases(ctx, holds, entries);
  if (holds.renewedAt + renewEveryMs > now) return;
  holds.renewedAt = now;
  const leased = [...holds.entries].filter((entry) => entry.state === 'leased');
  for (const entries of batchesOf(leased)) await renew(ctx, holds, entries);
}

async function takeLeases(ctx: Ctx, { holder, entries: held }: Holds, entries: Entry[]): Promise<void> {
  const isLost = (entry: Entry) => isTooOld(ctx, entry);
  for (const entry of entries.filter(isLost)) entry.state = 'lost';
  const wanted = entries.filter((entry) => entry.state === 'unleased');
  const taken = await ctx.db.write(async (tx) => {
    // The transaction may have waited.
    const inTime = wanted.filter((entry) => held.has(entry) && !isLost(entry));
    await insertLeases(tx, keysOf(inTime), { holder, expiresAt: ctx.clock.now() + leaseMs });
    return inTime;
  });
  for (const entry of taken) entry.state = 'leased';
}

async function renew(ctx: Ctx, { holder, entries: held }: Holds, entries: Entry[]): Promise<void> {
  const lease = { holder, expiresAt: ctx.clock.now() + leaseMs };
  const renewed = await ctx.db.write((tx) => renewLeases(tx, keysOf(entries), lease));
  // Adopted entries need no lease.
  for (const entry of entries) if (held.has(entry) && !renewed.has(entry.blobKey)) entry.state = 'lost';
}

function isTooOld(ctx: Ctx, { begunAt }: Entry): boolean {
  return begunAt + unleasedMs <= ctx.clock.now();
}

function keysOf(entries: Entry[]): string[] {
  return entries.map((entry) => entry.blobKey);
}

function* batchesOf(entries: Entry[]): Generator<Entry[]> {
  for (let start = 0; start < entries.length; start += batchSize) yield entries.slice(start, start + batchSize);
}

function bytesLost(): Problem {
  return new Problem('unavailable', 'upload.lost', 'The upload was interrupted on our side. Send the file again.', {
    retryAfterSeconds: 1,
  });
}
