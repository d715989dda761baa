// Keeps the sweep away from bytes that are stored, or being stored, before any row points at them: a slow message with
// files inside, a large file, an upload whose object counts its age from the first byte (S3). Most uploads take seconds
// and cost nothing here; one that lasts for minutes gets a lease in the database, which this process renews.
//
// Why no moment is left open: the sweep looks at blobs of an hour and more only (`orphanAgeMs`). Bytes without a lease
// are adopted within `unleasedMs` or not at all; bytes with one only if the lease is still there, and the transaction
// that adopts them removes it. A process that slept too long therefore refuses, it never points at erased bytes
// (docs/adr/0041).

import type { Tx } from '../../db/schema/schema.ts';
import { deleteLease, insertLeases, renewLeases } from '../../db/storage/blob-leases.ts';
import { Problem } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';

export interface Hold {
  /** In the transaction that makes the row of the bytes. Throws a Problem if the sweep may have taken them. */
  adopt(tx: Tx): Promise<void>;
  /** The bytes have a row now, or were erased. Safe to call twice. */
  end(): Promise<void>;
}

/** Bytes that have been arriving for this long get a lease. */
const leaseAfterMs = 5 * 60_000;
/** Well below the age at which the sweep looks at a blob, so that clocks may differ by half an hour. */
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

/** Of each running service; tests run several in one process. */
const holdsByDb = new WeakMap<Ctx['db'], Holds>();

function holdsOf(ctx: Ctx): Holds {
  const holds = holdsByDb.get(ctx.db) ?? { holder: ctx.random.id(), entries: new Set(), renewedAt: 0 };
  holdsByDb.set(ctx.db, holds);
  return holds;
}

/** Call before the first byte is stored. */
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

/** Part of the upkeep of every process that receives bytes. Asks the database nothing while nothing lasts long. */
export async function keepLeases(ctx: Ctx): Promise<void> {
  const holds = holdsOf(ctx);
  const now = ctx.clock.now();
  // A clock that was ahead makes nothing younger.
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
    // Asked again inside: the transaction may have waited.
    const inTime = wanted.filter((entry) => held.has(entry) && !isLost(entry));
    await insertLeases(tx, keysOf(inTime), { holder, expiresAt: ctx.clock.now() + leaseMs });
    return inTime;
  });
  for (const entry of taken) entry.state = 'leased';
}

async function renew(ctx: Ctx, { holder, entries: held }: Holds, entries: Entry[]): Promise<void> {
  const lease = { holder, expiresAt: ctx.clock.now() + leaseMs };
  const renewed = await ctx.db.write((tx) => renewLeases(tx, keysOf(entries), lease));
  // One that was adopted meanwhile has no lease any more, and needs none.
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
