// Leases of background jobs, so that one process at a time runs each, and paused jobs.
import type { Dialect } from '../engine/db.ts';
import type { JobsTable, LockedDb, Query, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

export interface LeaseOf {
  name: string;
  holder: string;
}

/** Takes the lease if it is free; true for its new holder. */
export async function takeLease(tx: Tx, lease: LeaseOf, now: number, endsAt: number): Promise<boolean> {
  await tx
    .insertInto('jobs')
    .values({
      name: lease.name,
      holder: '',
      lease_ends_at: 0,
      last_run_at: null,
      held_because: null,
      note: '',
      failures: 0,
      failed_at: null,
      failure: '',
      took_ms: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const updated = await tx
    .updateTable('jobs')
    .set({ holder: lease.holder, lease_ends_at: endsAt })
    .where('name', '=', lease.name)
    .where('lease_ends_at', '<=', now)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** The job that makes backups; while it runs, nothing is removed from the store. */
export const backUpJob = 'back-up';

export async function isRunning(db: Query, name: string, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('jobs')
    .select('name')
    .where('name', '=', name)
    .where('lease_ends_at', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

/** Changes nothing if the lease was released or another process has it. */
export async function renewLease(tx: Tx, lease: LeaseOf, endsAt: number): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ lease_ends_at: endsAt })
    .where('name', '=', lease.name)
    .where('holder', '=', lease.holder)
    .where('lease_ends_at', '>', 0)
    .execute();
}

/** Whether this process still has the lease; no other can take it before this transaction ends. */
export async function holdsLease(tx: Tx, lease: LeaseOf, dialect: Dialect): Promise<boolean> {
  const row = tx
    .selectFrom('jobs')
    .select('name')
    .where('name', '=', lease.name)
    .where('holder', '=', lease.holder)
    .where('lease_ends_at', '>', 0);
  // SQLite has one writer at a time.
  return (await (dialect === 'postgres' ? row.forShare() : row).executeTakeFirst()) !== undefined;
}

export interface JobRun {
  /** A sentence for operators. */
  note: string;
  tookMs: number;
  /** Null after a success. */
  failure: string | null;
}

export async function endLease(tx: Tx, lease: LeaseOf, now: number, run: JobRun): Promise<void> {
  const { note, tookMs, failure } = run;
  await tx
    .updateTable('jobs')
    .set((eb) => ({
      lease_ends_at: 0,
      last_run_at: now,
      note,
      took_ms: tookMs,
      ...(failure === null ? { failures: 0 } : { failures: eb('failures', '+', 1), failed_at: now, failure }),
    }))
    .where('name', '=', lease.name)
    .where('holder', '=', lease.holder)
    .execute();
}

/** For a process that is known to be dead. */
export async function endLeasesOf(tx: Tx, holder: string): Promise<void> {
  await tx.updateTable('jobs').set({ lease_ends_at: 0 }).where('holder', '=', holder).execute();
}

/** Why the safety limit paused a job; null when it runs. */
export async function findHeldReason(db: Query, name: string): Promise<string | null> {
  const row = await db.selectFrom('jobs').select('held_because').where('name', '=', name).executeTakeFirst();
  return row?.held_because ?? null;
}

export async function listHeldJobs(db: LockedDb['read']): Promise<{ name: string; because: string }[]> {
  const rows = await db
    .selectFrom('jobs')
    .select(['name', 'held_because'])
    .where('held_because', 'is not', null)
    .orderBy('name')
    .execute();
  return rows.map(({ name, held_because: because }) => ({ name, because: because ?? '' }));
}

/** Pauses or resumes a job. */
export async function holdJob(tx: Tx, name: string, because: string | null): Promise<void> {
  await tx.updateTable('jobs').set({ held_because: because }).where('name', '=', name).execute();
}

export interface JobRecord {
  name: string;
  isRunning: boolean;
  lastRunAt: number | null;
  tookMs: number | null;
  note: string;
  heldBecause: string | null;
  /** How often it failed in a row. */
  failures: number;
  failedAt: number | null;
  failure: string;
}

const jobs = defineTable<JobsTable>()(({ plain }) =>
  plain('name', 'last_run_at', 'took_ms', 'note', 'held_because', 'failures', 'failed_at', 'failure'),
);

export async function listJobs(db: Query, now: number): Promise<JobRecord[]> {
  const rows = await db.selectFrom('jobs').selectAll().orderBy('name').execute();
  return rows.map((row) => ({ ...jobs.read(row), isRunning: row.lease_ends_at > now }));
}
