// Removes from a restored copy the sessions of that time, and holds mails that the original may have sent.
import type { Transaction } from 'kysely';
import type { Tables } from '../schema/schema.ts';

const heldBecause = 'Held because the installation was restored from a backup; it may have been sent already.';

/**
 * Ends sessions, proofs, codes and one-time links, which the original may have used since. Invitations stay valid,
 * because the copy lacks passwords chosen since. Waiting mails are held until an administrator sends them; returns their number.
 */
export async function endWhatWasOpen(tx: Transaction<Tables>, now: number): Promise<number> {
  await tx.deleteFrom('sessions').execute();
  await tx.deleteFrom('proofs').execute();
  await tx.deleteFrom('codes').execute();
  await tx.deleteFrom('pairings').execute();
  await tx
    .updateTable('one_time_tokens')
    .set({ used_at: now })
    .where('kind', '=', 'reset')
    .where('used_at', 'is', null)
    .execute();
  await tx.updateTable('drop_keys').set({ state: 'used' }).where('state', '=', 'open').execute();
  await tx.updateTable('jobs').set({ lease_ends_at: 0 }).execute();
  const { numUpdatedRows } = await tx
    .updateTable('outbox')
    .set({ state: 'held', server_text: heldBecause, finished_at: now, lease_ends_at: 0 })
    .where('state', 'in', ['pending', 'sending'])
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
