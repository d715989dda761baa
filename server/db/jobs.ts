// Leases of background jobs, so that of many processes one runs each job at a time.
import type { Query, Tx } from './schema.ts';

/** Takes the lease if nobody holds it; true when it is ours now. */
export async function takeLease(tx: Tx, name: string, holder: string, now: number, leaseMs: number): Promise<boolean> {
  await tx
    .insertInto('jobs')
    .values({ name, holder: '', lease_ends_at: 0, last_run_at: null, held_because: null, note: '' })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const updated = await tx
    .updateTable('jobs')
    .set({ holder, lease_ends_at: now + leaseMs })
    .where('name', '=', name)
    .where((eb) => eb.or([eb('lease_ends_at', '<=', now), eb('holder', '=', holder)]))
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

export async function endLease(tx: Tx, name: string, holder: string, now: number, note: string): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ holder: '', lease_ends_at: 0, last_run_at: now, note })
    .where('name', '=', name)
    .where('holder', '=', holder)
    .execute();
}

export function findJob(db: Query, name: string) {
  return db.selectFrom('jobs').selectAll().where('name', '=', name).executeTakeFirst();
}

/** Stops or frees a job: the brake of security D22. */
export async function holdJob(tx: Tx, name: string, because: string | null): Promise<void> {
  await tx.updateTable('jobs').set({ held_because: because }).where('name', '=', name).execute();
}
