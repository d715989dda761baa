// All events for administrators, newest or oldest first. Each filter begins at an index in order of numbers; several results are
// read and merged here.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type EventKind, objectKinds } from '../../domain/events.ts';
import type { EventsTable, Query } from '../schema/schema.ts';
import { isInReach, type Reach } from '../users/reach.ts';
import { type RecordedEvent, recordedEventOf } from './events.ts';

export interface EventFilter extends Reach {
  /** Actor or owner. */
  personId: string | null;
  actions: readonly EventKind[] | null;
  objectId: string | null;
  from: number | null;
  to: number | null;
}

type Condition = RawBuilder<SqlBool>;

export async function listAllEvents(
  db: Query,
  filter: EventFilter,
  page: { beforeSeq: number | null; limit: number },
): Promise<RecordedEvent[]> {
  const before = page.beforeSeq === null ? [] : [sql<SqlBool>`seq < ${page.beforeSeq}`];
  return listFiltered(db, filter, { conditions: before, isNewestFirst: true, limit: page.limit });
}

/** Oldest first. */
export async function listAllEventsAfter(
  db: Query,
  filter: EventFilter,
  page: { afterSeq: number; upToSeq: number; limit: number },
): Promise<RecordedEvent[]> {
  const conditions: Condition[] = [sql`seq > ${page.afterSeq}`, sql`seq <= ${page.upToSeq}`];
  return listFiltered(db, filter, { conditions, isNewestFirst: false, limit: page.limit });
}

async function listFiltered(
  db: Query,
  filter: EventFilter,
  page: { conditions: Condition[]; isNewestFirst: boolean; limit: number },
): Promise<RecordedEvent[]> {
  const conditions = [...(await timeOf(db, filter)), ...scopeOf(filter), ...page.conditions];
  const order = sql.raw(page.isNewestFirst ? 'desc' : 'asc');
  const found = new Map<number, RecordedEvent>();
  for (const beginning of indexConditionsOf(filter)) {
    const { rows } = await sql<EventsTable>`select * from events
      where ${sql.join([...beginning, ...conditions, sql`1 = 1`], sql` and `)} order by seq ${order} limit ${page.limit}`.execute(
      db,
    );
    for (const row of rows) found.set(Number(row.seq), recordedEventOf(db.keys, row));
  }
  const direction = page.isNewestFirst ? -1 : 1;
  return [...found.values()].sort((one, other) => direction * (one.seq - other.seq)).slice(0, page.limit);
}

/** Alternative conditions, each at the beginning of an index. */
function indexConditionsOf({ personId, actions, objectId }: EventFilter): Condition[][] {
  const isAction = actions === null ? [] : [sql<SqlBool>`action in (${sql.join(actions)})`];
  if (objectId !== null) {
    const isPersons = personId === null ? [] : [sql<SqlBool>`(actor_id = ${personId} or owner_id = ${personId})`];
    // With every kind, so that the index of objects is used.
    return [[sql`object_kind in (${sql.join(objectKinds)})`, sql`object_id = ${objectId}`, ...isAction, ...isPersons]];
  }
  if (personId !== null)
    return [
      [sql`actor_id = ${personId}`, sql`actor_id <> ''`, ...isAction],
      [sql`owner_id = ${personId}`, sql`owner_id <> ''`, ...isAction],
    ];
  return actions === null ? [[]] : actions.map((action) => [sql`action = ${action}`]);
}

/**
 * Numbers and instants increase together, so a number near the instant limits what is read; an hour allows for
 * corrected clocks.
 */
const marginMs = 3_600_000;

async function timeOf(db: Query, { from, to }: EventFilter): Promise<Condition[]> {
  const conditions: Condition[] = [];
  if (from !== null) {
    const first = await db
      .selectFrom('events')
      .select('seq')
      .where('at', '>=', from - marginMs)
      .orderBy('at')
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst();
    conditions.push(sql`seq >= ${first?.seq ?? Number.MAX_SAFE_INTEGER}`, sql`at >= ${from}`);
  }
  if (to !== null) {
    const last = await db
      .selectFrom('events')
      .select('seq')
      .where('at', '<', to + marginMs)
      .orderBy('at', 'desc')
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    conditions.push(sql`seq <= ${last?.seq ?? 0}`, sql`at < ${to}`);
  }
  return conditions;
}

/** Leaves out events about people whom the caller may not see, and what these did to the installation. */
function scopeOf(filter: EventFilter): Condition[] {
  if (filter.hiddenGroupIds.length === 0) return [];
  return [
    isInReach('owner_id', filter),
    sql`(owner_id <> '' or ${isInReach('actor_id', filter)})`,
    // Old events without an owner name a transfer of any owner.
    sql`(owner_id <> '' or action <> 'address.proven')`,
  ];
}

/** By id, deleted accounts included, except those the caller may not see. */
export async function findAccountNames(
  db: Query,
  ids: string[],
  { hiddenGroupIds, callerId }: Reach,
): Promise<Map<string, { email: string; name: string }>> {
  if (ids.length === 0) return new Map();
  let query = db.selectFrom('users').select(['id', 'email', 'name']).where('id', 'in', ids);
  if (hiddenGroupIds.length > 0)
    query = query.where((eb) => eb.or([eb('group_id', 'not in', hiddenGroupIds), eb('id', '=', callerId)]));
  const rows = await query.execute();
  return new Map(rows.map(({ id, email, name }) => [id, { email, name }]));
}
