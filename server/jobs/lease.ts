// The lease of a running job. It is short and renewed while the job runs, so that a process that died is replaced within
// 15 seconds; and every write of the job checks it, so that a process that lost it changes nothing more.
import type { Ctx } from '../actions/context.ts';
import type { Db } from '../db/schema/schema.ts';
import { endLease, holdsLease, type JobRun, type LeaseOf, renewLease, takeLease } from '../db/system/jobs.ts';

/** Of mails too (mail-lease.ts). */
export const leaseMs = 15_000;
/** Two renewals may fail before the lease ends. */
export const renewEveryMs = 5_000;

/** Another process has taken the job over. */
export class LeaseLost extends Error {
  constructor(job: string) {
    super(`another process has taken over ${job}`);
    this.name = 'LeaseLost';
  }
}

export interface JobLease {
  /** What the job works with. Its writes reject with `LeaseLost` once the lease is not ours any more. */
  ctx: Ctx;
  /** Gives it back, with what is kept for operators. */
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
