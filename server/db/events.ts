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

/** The oldest lines that are not in the chain yet. */
export function listUnsealedEvents(db: Query, limit: number) {
  return db.selectFrom('events').selectAll().where('hash', 'is', null).orderBy('seq').limit(limit).execute();
}

export function findLastSealedEvent(db: Query) {
  return db
    .selectFrom('events')
    .select(['seq', 'hash'])
    .where('hash', 'is not', null)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export function listEventsAfter(db: Query, seq: number, limit: number) {
  return db.selectFrom('events').selectAll().where('seq', '>', seq).orderBy('seq').limit(limit).execute();
}

export async function sealEvent(tx: Tx, seq: number, hash: Buffer): Promise<void> {
  await tx.updateTable('events').set({ hash }).where('seq', '=', seq).where('hash', 'is', null).execute();
}

const newsColumns = ['seq', 'action', 'object_kind', 'object_id', 'owner_id'] as const;

/** The little that following needs of each event. */
export function listNewsAfter(db: Query, seq: number, limit: number) {
  return db.selectFrom('events').select(newsColumns).where('seq', '>', seq).orderBy('seq').limit(limit).execute();
}

export type NewsRow = Awaited<ReturnType<typeof listNewsAfter>>[number];

export function listEventsNumbered(db: Query, numbers: number[]) {
  return db.selectFrom('events').select(newsColumns).where('seq', 'in', numbers).orderBy('seq').execute();
}

export function listOwnNewsAfter(db: Query, ownerId: string, seq: number, limit: number) {
  return db
    .selectFrom('events')
    .select(newsColumns)
    .where('owner_id', '=', ownerId)
    .where('owner_id', '<>', '')
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(limit)
    .execute();
}

export async function findLastSeq(db: Query): Promise<number> {
  const row = await db.selectFrom('events').select('seq').orderBy('seq', 'desc').limit(1).executeTakeFirst();
  return Number(row?.seq ?? 0);
}

/** What happened to one thing, newest first; only these actions, and only before a number. */
export function listEventsOf(
  db: Query,
  object: { kind: string; id: string },
  actions: readonly EventKind[],
  limit: number,
  beforeSeq: number | null = null,
) {
  return db
    .selectFrom('events')
    .selectAll()
    .where('object_kind', '=', object.kind)
    .where('object_id', '=', object.id)
    .where('action', 'in', actions)
    .$if(beforeSeq !== null, (query) => query.where('seq', '<', beforeSeq!))
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
}
