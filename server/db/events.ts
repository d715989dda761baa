// Appending to and reading the one list of what happened.
import { sql } from 'kysely';
import type { Query, Tx } from './schema.ts';

export interface NewEvent {
  at: number;
  action: string;
  actorKind: string;
  actorId: string;
  objectKind: string;
  objectId: string;
  ownerId: string;
  facts: Record<string, unknown>;
  remoteIp: string;
  requestId: string;
}

export async function appendEvent(tx: Tx, event: NewEvent): Promise<void> {
  await sql`insert into events
    (at, action, actor_kind, actor_id, object_kind, object_id, owner_id, facts, remote_ip, request_id)
    values (${event.at}, ${event.action}, ${event.actorKind}, ${event.actorId}, ${event.objectKind}, ${event.objectId},
      ${event.ownerId}, ${JSON.stringify(event.facts)}, ${event.remoteIp}, ${event.requestId})`.execute(tx);
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

/** What happened to one thing, newest first; only these actions. */
export function listEventsOf(db: Query, object: { kind: string; id: string }, actions: string[], limit: number) {
  return db
    .selectFrom('events')
    .selectAll()
    .where('object_kind', '=', object.kind)
    .where('object_id', '=', object.id)
    .where('action', 'in', actions)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
}
