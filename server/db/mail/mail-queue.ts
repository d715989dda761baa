// The outbox as administrators see it, without payloads.
import { sql } from 'kysely';
import type { OutboxTable, Query, Tx } from '../schema/schema.ts';
import { camelRow } from '../table.ts';
import { isInState, waitingStates } from './outbox.ts';

export interface MailRecord {
  id: string;
  kind: string;
  recipient: string;
  state: OutboxTable['state'];
  attempts: number;
  createdAt: number;
  nextAt: number;
  finishedAt: number | null;
  serverText: string;
  /** Id of its message, link or request. */
  about: string | null;
}

export interface MailFilter {
  states: readonly OutboxTable['state'][] | null;
  domain: string | null;
  /** The last mail of the previous page. */
  after: { createdAt: number; id: string } | null;
}

const columns = [
  'id',
  'kind',
  'recipient',
  'state',
  'attempts',
  'created_at',
  'next_at',
  'finished_at',
  'server_text',
  'message_id',
  'link_id',
  'request_id',
] as const;

type Row = Pick<OutboxTable, (typeof columns)[number]>;

export async function listMails(db: Query, filter: MailFilter, limit: number): Promise<MailRecord[]> {
  let query = db.selectFrom('outbox').select(columns).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit);
  if (filter.states !== null) query = query.where(isInState(filter.states));
  if (filter.domain !== null)
    query = query.where(sql<string>`recipient`, 'like', `%@${withoutWildcards(filter.domain)}`);
  if (filter.after !== null) {
    const { createdAt, id } = filter.after;
    query = query.where((eb) =>
      eb.or([eb('created_at', '<', createdAt), eb.and([eb('created_at', '=', createdAt), eb('id', '<', id)])]),
    );
  }
  return (await query.execute()).map(mailRecord);
}

export async function findMailRecord(db: Query, id: string): Promise<MailRecord | undefined> {
  const row = await db.selectFrom('outbox').select(columns).where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : mailRecord(row);
}

/** Makes a mail due now, also a refused or held one. False for a mail that is being sent, was sent or cancelled. */
export async function retryMail(tx: Tx, id: string, now: number): Promise<boolean> {
  const updated = await tx
    .updateTable('outbox')
    .set({ state: 'pending', next_at: now, lease_ends_at: 0, finished_at: null, group_key: null })
    .where('id', '=', id)
    .where('state', 'in', ['pending', 'failed', 'held'])
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** False for a mail that is being sent or is finished. */
export async function dropMail(tx: Tx, id: string, reason: string, now: number): Promise<boolean> {
  const updated = await tx
    .updateTable('outbox')
    .set({ state: 'cancelled', server_text: reason, finished_at: now })
    .where('id', '=', id)
    .where('state', 'in', ['pending', 'held'])
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** Since a restore. */
export function countHeldMails(db: Query): Promise<number> {
  return countInStates(db, ['held']);
}

export function countWaitingMails(db: Query): Promise<number> {
  return countInStates(db, waitingStates);
}

async function countInStates(db: Query, states: readonly OutboxTable['state'][]): Promise<number> {
  const { count } = await db
    .selectFrom('outbox')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(isInState(states))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Newest first, up to a limit. */
export async function listRefusedMails(db: Query, since: number, limit: number): Promise<MailRecord[]> {
  const rows = await db
    .selectFrom('outbox')
    .select(columns)
    .where(isInState(['failed']))
    .where('finished_at', '>', since)
    .orderBy('finished_at', 'desc')
    .limit(limit)
    .execute();
  return rows.map(mailRecord);
}

export async function countRefusedMails(db: Query, since: number): Promise<number> {
  const { count } = await db
    .selectFrom('outbox')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(isInState(['failed']))
    .where('finished_at', '>', since)
    .executeTakeFirstOrThrow();
  return Number(count);
}

function mailRecord(row: Row): MailRecord {
  const { messageId, linkId, requestId, ...mail } = camelRow(row);
  return { ...mail, about: messageId ?? linkId ?? requestId };
}

function withoutWildcards(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9.-]/g, '');
}
