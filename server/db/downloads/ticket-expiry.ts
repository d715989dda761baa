// Queries on tickets that have expired and under which no bytes flow.
import type { Tx } from '../schema/schema.ts';
import { deleteSurplusRows, rowLimits } from '../system/row-limits.ts';

/** Records that bytes flow under a ticket, so that it is not deleted meanwhile. */
export async function noteTicketInUse(tx: Tx, idHash: Buffer, now: number): Promise<void> {
  await tx.updateTable('tickets').set({ progress_at: now }).where('id_hash', '=', idHash).execute();
}

/** Those that had expired by an instant and under which no bytes have flowed since. */
export async function deleteExpiredTickets(tx: Tx, before: number, limit: number): Promise<number> {
  const rows = await tx
    .selectFrom('tickets')
    .select('id_hash')
    .where('expires_at', '<', before)
    .where((eb) => eb.or([eb('progress_at', 'is', null), eb('progress_at', '<', before)]))
    .limit(limit)
    .execute();
  if (rows.length === 0) return 0;
  const hashes = rows.map((row) => row.id_hash);
  await tx.deleteFrom('tickets').where('id_hash', 'in', hashes).execute();
  return rows.length;
}

/** Deletes the least recently used tickets if there are too many; false if not. */
export function deleteSurplusTickets(tx: Tx): Promise<boolean> {
  return deleteSurplusRows(tx, rowLimits.tickets);
}
