// The lease of a running job: another process replaces a dead one within 15 seconds. Every write checks it, so that a
// process that lost it changes nothing.
import type { Ctx } from '../actions/context.ts';
import type { Db } from '../db/schema/schema.ts';
import { endLease, holdsLease, type JobRun, type LeaseOf, renewLease, takeLease } from '../db/system/jobs.ts';

/** Also for mails (mail-lease.ts). */
export const leaseMs = 15_000;
/** Two renewals may fail before the lease ends. */
export const renewEveryMs = 5_000;

export class LeaseLost extends Error {
  constructor(job: string) {
    super(`another process has taken over ${job}`);
    this.name = 'LeaseLost';
  }
}

export interface JobLease {
  /** Writes reject with `LeaseLost` once the lease is lost. */
  ctx: Ctx;
  end(run: Omit<JobRun, 'tookMs'>): Promise<void>;
}

/** Null while another process holds it. */
export async function takeJobLease(ctx: Ctx, lease: LeaseOf): Promise<JobLease | null> {
  const now = ctx.clock.now();
  const begunAt = ctx.clock.uptime();
  if (!(await ctx.db.write((tx) => takeLease(tx, lease, now, now + leaseMs)))) return null;
  const renewing = setInterval(() => {
    ctx.db
      .write((tx) => renewLease(tx, lease, ctx.clock.now() + leaseMs))
      .catch((error: unknown) =>
        ctx.log.warn({ job: lease.name, err: String(error) }, 'the lease of a job could not be renewed'),
      );
  }, renewEveryMs);
  renewing.unref();
  return {
    ctx: { ...ctx, db: fencedBy(ctx.db, lease) },
    async end(run) {
      clearInterval(renewing);
      const tookMs = Math.round(ctx.clock.uptime() - begunAt);
      await ctx.db.write((tx) => endLease(tx, lease, ctx.clock.now(), { ...run, tookMs }));
    },
  };
}

function fencedBy(db: Db, lease: LeaseOf): Db {
  return {
    ...db,
    write: (work) =>
      db.write(async (tx) => {
        if (!(await holdsLease(tx, lease, db.dialect))) throw new LeaseLost(lease.name);
        return work(tx);
      }),
  };
}
