// What statements about exposure read: transfers that an account, key or address could access, and their
// changes.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type EventKind, viewKinds } from '../../domain/events.ts';
import type { ReachableFile, TransferRecord } from '../../domain/exposure.ts';
import type { Span } from '../../domain/spans.ts';
import type { TransferKind } from '../../domain/transfers.ts';
import { type RecordedEvent, recordedEventOf } from '../events/events.ts';
import type { Flag } from '../flag.ts';
import type { ApiKeysTable, EventsTable, Query } from '../schema/schema.ts';
import { defineTable, type ValuesOf } from '../table.ts';

type Condition = RawBuilder<SqlBool>;

interface TransferRow {
  id: string;
  kind: TransferKind;
  owner_id: string;
  created_at: number;
  expires_at: number;
  stopped_at: number | null;
  is_open: Flag;
  is_answered_once: Flag;
  address: string;
  revoked_at: number | null;
}

const transfers = defineTable<TransferRow>()(({ plain, flags }) => ({
  ...plain('id', 'kind', 'owner_id', 'created_at', 'expires_at', 'stopped_at', 'address', 'revoked_at'),
  ...flags('is_open', 'is_answered_once'),
}));

/** Transfers of a disabled account are closed to all. */
const isLive = (table: string, state: string) =>
  sql`case when ${sql.ref(`${table}.state`)} = ${sql.lit(state)} and exists (
    select 1 from users where users.id = ${sql.ref(`${table}.owner_id`)} and users.state = 'active') then 1 else 0 end`;

const messageColumns = sql`m.id, case m.origin when 'sent' then 'message' when 'request' then 'answer' else 'drop' end as kind,
  m.owner_id, m.created_at, m.expires_at, case when m.state = 'revoked' then m.updated_at end as stopped_at,
  ${isLive('m', 'active')} as is_open, 0 as is_answered_once`;
const linkColumns = sql`l.id, 'link' as kind, l.owner_id, l.created_at, l.expires_at,
  case when l.state = 'deleted' then l.updated_at end as stopped_at, ${isLive('l', 'active')} as is_open, 0 as is_answered_once,
  '' as address, null as revoked_at`;
const requestColumns = sql`q.id, 'request' as kind, q.owner_id, q.created_at, q.expires_at,
  case q.state when 'closed' then q.updated_at when 'used' then q.answered_at end as stopped_at,
  ${isLive('q', 'open')} as is_open, case when q.is_reusable = 1 then 0 else 1 end as is_answered_once`;

/** All that the user owns now, and these, created before the end of the period. */
export async function listOwnTransfers(
  db: Query,
  ownerId: string,
  ids: readonly string[],
  before: number,
): Promise<TransferRecord[]> {
  const isMeant = (table: 'm' | 'l' | 'q'): Condition => {
    const own = sql<SqlBool>`${sql.ref(`${table}.owner_id`)} = ${ownerId}`;
    const either = ids.length === 0 ? own : sql<SqlBool>`(${own} or ${sql.ref(`${table}.id`)} in (${sql.join(ids)}))`;
    return sql`${either} and ${sql.ref(`${table}.created_at`)} < ${before}`;
  };
  return read(db, [
    sql`select ${messageColumns}, '' as address, null as revoked_at from messages m where ${isMeant('m')}`,
    sql`select ${linkColumns} from file_links l where ${isMeant('l')}`,
    sql`select ${requestColumns}, '' as address, null as revoked_at from file_requests q where ${isMeant('q')}`,
  ]);
}

export async function listReceivedTransfers(
  db: Query,
  addresses: readonly string[],
  before: number,
): Promise<TransferRecord[]> {
  if (addresses.length === 0) return [];
  return read(db, [
    sql`select ${messageColumns}, r.address, r.revoked_at from message_recipients r join messages m on m.id = r.message_id
      where r.address in (${sql.join(addresses)}) and m.created_at < ${before}`,
    sql`select ${requestColumns}, q.recipient as address, null as revoked_at from file_requests q
      where q.recipient in (${sql.join(addresses)}) and q.created_at < ${before}`,
  ]);
}

async function read(db: Query, queries: RawBuilder<unknown>[]): Promise<TransferRecord[]> {
  const found: TransferRecord[] = [];
  for (const query of queries) {
    const { rows } = await sql<TransferRow>`${query}`.execute(db);
    found.push(...transfers.readAll(rows));
  }
  return found;
}

const batchSize = 500;

export async function listChangesOf(
  db: Query,
  objectIds: readonly string[],
  actions: readonly EventKind[],
): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  for (let start = 0; start < objectIds.length; start += batchSize) {
    const { rows } = await sql<EventsTable>`select * from events
      where object_kind in ('message', 'link', 'request') and object_id in (${sql.join(objectIds.slice(start, start + batchSize))})
        and action in (${sql.join(actions)}) order by seq`.execute(db);
    found.push(...rows.map((row) => recordedEventOf(db.keys, row)));
  }
  return found;
}

export async function listAnswersOf(db: Query, ids: readonly string[]): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  for (let start = 0; start < ids.length; start += batchSize) {
    const rows = await db
      .selectFrom('messages')
      .select(['request_id', 'created_at'])
      .where('request_id', 'in', ids.slice(start, start + batchSize))
      .orderBy('created_at')
      .execute();
    for (const row of rows) found.set(row.request_id!, [...(found.get(row.request_id!) ?? []), Number(row.created_at)]);
  }
  return found;
}

/** The files of these messages and links, with removed ones. */
export async function listFilesOf(db: Query, ids: readonly string[]): Promise<Map<string, ReachableFile[]>> {
  const found = new Map<string, ReachableFile[]>();
  for (let start = 0; start < ids.length; start += batchSize) {
    const some = sql.join(ids.slice(start, start + batchSize));
    const { rows } = await sql<{ holder: string; id: string; size_bytes: number; removed_at: number | null }>`
      select holder, attachments.id, attachments.size_bytes, removed_at from (
        select message_id as holder, attachment_id, null as removed_at from message_attachments where message_id in (${some})
        union all select message_id, attachment_id, removed_at from removed_message_files where message_id in (${some})
        union all select id, attachment_id, null from file_links where id in (${some})) as held
      join attachments on attachments.id = held.attachment_id`.execute(db);
    for (const row of rows) {
      const files = found.get(row.holder) ?? [];
      found.set(row.holder, files);
      files.push({
        attachmentId: row.id,
        sizeBytes: row.size_bytes,
        removedAt: row.removed_at,
      });
    }
  }
  return found;
}

/** Transfers, and accounts with the number of their events, that were active from a network address within the span. */
export async function listSeenFrom(
  db: Query,
  ip: string,
  { from, to }: Span,
): Promise<{ transferIds: string[]; accounts: { id: string; events: number }[] }> {
  const inSpan = db.selectFrom('events').where('at', '>=', from).where('at', '<', to).where('remote_ip', '=', ip);
  const touched = await inSpan
    .select('object_id')
    .distinct()
    .where('object_kind', 'in', ['message', 'link', 'request'])
    // Viewing a transfer in the console does not count as opening it.
    .where('action', 'not in', viewKinds)
    .execute();
  const accounts = await inSpan
    .select(['actor_id', (eb) => eb.fn.countAll<number>().as('count')])
    .where('actor_id', '<>', '')
    .groupBy('actor_id')
    .orderBy('actor_id')
    .execute();
  return {
    transferIds: touched.map((row) => row.object_id),
    accounts: accounts.map((row) => ({ id: row.actor_id, events: Number(row.count) })),
  };
}

export async function listHandOvers(db: Query, ownerId: string): Promise<RecordedEvent[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('action', 'in', ['transfer.handed_over', 'transfer.taken_over'])
    .orderBy('seq')
    .execute();
  return rows.map((row) => recordedEventOf(db.keys, row));
}

/** Events of a key; a revoked one has no row any more. */
export async function listEventsOfKey(db: Query, keyId: string): Promise<RecordedEvent[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('object_kind', '=', 'api_key')
    .where('object_id', '=', keyId)
    .orderBy('seq')
    .execute();
  return rows.map((row) => recordedEventOf(db.keys, row));
}

const apiKeys = defineTable<ApiKeysTable>()(({ plain, as }) => ({
  ...plain('id', 'user_id', 'prefix', 'name', 'created_at'),
  endsAt: as('expires_at'),
}));

export async function findKeyById(
  db: Query,
  by: { id: string; lookup: Buffer },
): Promise<ValuesOf<typeof apiKeys> | null> {
  const row = await db
    .selectFrom('api_keys')
    .select(apiKeys.select('api_keys'))
    .where((eb) => eb.or([eb('id', '=', by.id), eb('lookup', '=', by.lookup)]))
    .executeTakeFirst();
  return row === undefined ? null : apiKeys.read(row);
}

export async function countAccessOf(
  db: Query,
  userId: string,
  now: number,
): Promise<{ state: 'active' | 'disabled' | 'deleted'; apiKeys: number; sessions: number } | null> {
  const user = await db.selectFrom('users').select('state').where('id', '=', userId).executeTakeFirst();
  if (user === undefined) return null;
  const keys = await db
    .selectFrom('api_keys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirstOrThrow();
  const sessions = await db
    .selectFrom('sessions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('state', '=', 'active')
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return { state: user.state, apiKeys: Number(keys.count), sessions: Number(sessions.count) };
}
