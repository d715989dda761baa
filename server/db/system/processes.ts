// Running processes, each with a number that it increases. Independent of clocks: a process is dead when another one
// sees that its number does not change.
import type { Query, Tx } from '../schema/schema.ts';
import { camelRow } from '../table.ts';

export interface Heartbeat {
  id: string;
  beats: number;
  stores: string | null;
}

export async function raiseHeartbeat(tx: Tx, { id, stores }: Omit<Heartbeat, 'beats'>): Promise<void> {
  await tx
    .insertInto('processes')
    .values({ id, beats: 1, stores })
    .onConflict((conflict) => conflict.column('id').doUpdateSet((eb) => ({ beats: eb('processes.beats', '+', 1) })))
    .execute();
}

export async function listHeartbeats(db: Query): Promise<Heartbeat[]> {
  const rows = await db.selectFrom('processes').selectAll().execute();
  return rows.map(({ id, beats, stores }) => ({ id, beats: Number(beats), stores }));
}

export async function deleteProcess(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('processes').where('id', '=', id).execute();
}

/** Processes that serve running downloads according to the log; '' for rows of versions that did not store it. */
export async function listServingProcesses(db: Query): Promise<string[]> {
  const rows = await db
    .selectFrom('downloads')
    .select('served_by')
    .where('outcome', '=', 'granted')
    .union(db.selectFrom('download_requests').select('served_by').where('outcome', '=', 'running'))
    .execute();
  return rows.map((row) => row.served_by);
}

export interface CrashedLine {
  ownerId: string;
  number: number;
  attachmentId: string;
  messageId: string | null;
  linkId: string | null;
  recipient: string;
  sentBytes: number;
}

/** Running downloads of a process that began before an instant. */
export async function listRunningOf(
  db: Query,
  { process, grantedBefore }: { process: string; grantedBefore: number },
  limit: number,
): Promise<CrashedLine[]> {
  const rows = await db
    .selectFrom('downloads')
    .select(['owner_id', 'number', 'attachment_id', 'message_id', 'link_id', 'recipient', 'sent_bytes'])
    .where('outcome', '=', 'granted')
    .where('served_by', '=', process)
    .where('granted_at', '<', grantedBefore)
    .limit(limit)
    .execute();
  return rows.map(camelRow);
}

/** Ends a download with the bytes that were recorded; null when it has ended, or another process serves it. */
export async function endCrashed(
  tx: Tx,
  line: { ownerId: string; number: number },
  { process, now }: { process: string; now: number },
): Promise<{ sentBytes: number } | null> {
  const row = await tx
    .updateTable('downloads')
    .set({ outcome: 'cut', is_crashed: 1, finished_at: now })
    .where('owner_id', '=', line.ownerId)
    .where('number', '=', line.number)
    .where('outcome', '=', 'granted')
    .where('served_by', '=', process)
    .returning('sent_bytes')
    .executeTakeFirst();
  return row === undefined ? null : { sentBytes: row.sent_bytes };
}
