// The lease of one mail while it is sent: another process resumes the mails of a dead one within 15 seconds.
import type { Ctx } from '../actions/context.ts';
import { leaseMail, type MailHold, renewMailLease } from '../db/mail/outbox.ts';
import { leaseMs, renewEveryMs } from './lease.ts';

export interface MailLease extends MailHold {
  /** Stops renewing `endsAt`. */
  settle(): Promise<void>;
}

/** Null while another process has it. */
export async function takeMailLease(ctx: Ctx, id: string): Promise<MailLease | null> {
  const now = ctx.clock.now();
  let endsAt = now + leaseMs;
  if (!(await ctx.db.write((tx) => leaseMail(tx, id, now, endsAt)))) return null;

  async function renew(): Promise<void> {
    const until = ctx.clock.now() + leaseMs;
    try {
      if (await ctx.db.write((tx) => renewMailLease(tx, { id, endsAt }, until))) endsAt = until;
    } catch (error) {
      ctx.log.warn({ mail: id, err: String(error) }, 'the lease of a mail could not be renewed');
    }
  }
  let renewing = Promise.resolve();
  const timer = setInterval(() => {
    renewing = renewing.then(renew);
  }, renewEveryMs);
  timer.unref();
  return {
    id,
    get endsAt() {
      return endsAt;
    },
    settle() {
      clearInterval(timer);
      return renewing;
    },
  };
}
