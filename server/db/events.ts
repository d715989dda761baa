// Appending to and reading the one list of what happened.
import type { Insertable } from 'kysely';
import type { EventKind } from '../domain/events.ts';
import { kept, type Param } from './engine/kept.ts';
import type { Builder, EventsTable, Query, Tx } from './schema.ts';

export interface NewEvent {
  at: number;
  action: EventKind;
  actorKind: string;
  actorId: string;
  objectKind: string;
  objectId: string;
  ownerId: string;
  facts: Record<string, unknown>;
  remoteIp: string;
  requestId: string;
}

/** Every change appends one, so its statement is kept. */
const append = kept((tx: Builder, param: Param<Omit<NewEvent, 'facts'> & { facts: string }>) =>
  tx.insertInto('events').values({
    at: param('at'),
    action: param('action'),
    actor_kind: param('actorKind'),
    actor_id: param('actorId'),
    object_kind: param('objectKind'),
    object_id: param('objectId'),
    owner_id: param('ownerId'),
    facts: param('facts'),
    remote_ip: param('remoteIp'),
    request_id: param('requestId'),
    // The number is the database's to give.
  } as Insertable<EventsTable>),
);

export async function appendEvent(tx: Tx, event: NewEvent): Promise<void> {
  await append(tx, { ...event, facts: JSON.stringify(event.facts) });
}

/** A line of the hash chain. */
export interface ChainLine {
  seq: number;
  at: number;
  /** What the chain protects, in its fixed order and exactly as stored. */
  content: (string | number)[];
  hash: Buffer | null;
}

function chainLine(row: EventsTable): ChainLine {
  return {
    seq: row.seq,
    at: row.at,
    content: [
      row.seq,
      row.at,
      row.action,
      row.actor_kind,
      row.actor_id,
      row.object_kind,
      row.object_id,
      row.owner_id,
      row.facts,
      row.remote_ip,
      row.request_id,
    ],
    hash: row.hash,
  };
}

/** The oldest lines that are not in the chain yet. */
export async function listUnsealedEvents(db: Query, limit: number): Promise<ChainLine[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('hash', 'is', null)
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map(chainLine);
}

export function findLastSealedEvent(db: Query): Promise<{ seq: number; hash: Buffer | null } | undefined> {
  return db
    .selectFrom('events')
    .select(['seq', 'hash'])
    .where('hash', 'is not', null)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function listChainAfter(db: Query, seq: number, limit: number): Promise<ChainLine[]> {
  const rows = await db.selectFrom('events').selectAll().where('seq', '>', seq).orderBy('seq').limit(limit).execute();
  return rows.map(chainLine);
}

export async function sealEvent(tx: Tx, seq: number, hash: Buffer): Promise<void> {
  await tx.updateTable('events').set({ hash }).where('seq', '=', seq).where('hash', 'is', null).execute();
}

/** The little that following needs of each event. */
export interface EventHead {
  seq: number;
  action: EventKind;
  objectKind: string;
  objectId: string;
  ownerId: string;
}

const headColumns = [
  'seq',
  'action',
  'object_kind as objectKind',
  'object_id as objectId',
  'owner_id as ownerId',
] as const;

function withNumber(heads: EventHead[]): EventHead[] {
  return heads.map((head) => ({ ...head, seq: Number(head.seq) }));
}

export async function listNewsAfter(db: Query, seq: number, limit: number): Promise<EventHead[]> {
  const query = db.selectFrom('events').select(headColumns).where('seq', '>', seq).orderBy('seq').limit(limit);
  return withNumber(await query.execute());
}

export async function listEventsNumbered(db: Query, numbers: number[]): Promise<EventHead[]> {
  const query = db.selectFrom('events').select(headColumns).where('seq', 'in', numbers).orderBy('seq');
  return withNumber(await query.execute());
}

export async function listOwnNewsAfter(db: Query, ownerId: string, seq: number, limit: number): Promise<EventHead[]> {
  const query = db
    .selectFrom('events')
    .select(headColumns)
    .where('owner_id', '=', ownerId)
    .where('owner_id', '<>', '')
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(limit);
  return withNumber(await query.execute());
}

export async function findLastSeq(db: Query): Promise<number> {
  const row = await db.selectFrom('events').select('seq').orderBy('seq', 'desc').limit(1).executeTakeFirst();
  return Number(row?.seq ?? 0);
}

export interface RecordedEvent extends NewEvent {
  seq: number;
}

/** What happened to one thing, newest first; only these actions, and only before a number. */
export async function listEventsOf(
  db: Query,
  object: { kind: string; id: string },
  actions: readonly EventKind[],
  page: { size: number; beforeSeq?: number | null },
): Promise<RecordedEvent[]> {
  const { size, beforeSeq = null } = page;
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('object_kind', '=', object.kind)
    .where('object_id', '=', object.id)
    .where('action', 'in', actions)
    .$if(beforeSeq !== null, (query) => query.where('seq', '<', beforeSeq!))
    .orderBy('seq', 'desc')
    .limit(size)
    .execute();
  return rows.map(recordedEventOf);
}

/** For every query that reads whole events. */
export function recordedEventOf(row: EventsTable): RecordedEvent {
  return {
    seq: Number(row.seq),
    at: Number(row.at),
    action: row.action,
    actorKind: row.actor_kind,
    actorId: row.actor_id,
    objectKind: row.object_kind,
    objectId: row.object_id,
    ownerId: row.owner_id,
    facts: JSON.parse(row.facts) as Record<string, unknown>,
    remoteIp: row.remote_ip,
    requestId: row.request_id,
  };
}
