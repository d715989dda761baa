// Appends and reads events.
import { type Expression, type Insertable, sql } from 'kysely';
import type { EventKind } from '../../domain/events.ts';
import { saltBytes, secretBytes } from '../../domain/evidence.ts';
import { sealedFactsOf } from '../../domain/sealed-facts.ts';
import { type Param, prepared } from '../engine/prepared.ts';
import type { Builder, EventsTable, Query, Sealer, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';
import { openFacts, sealedSalts, writeFacts } from './event-facts.ts';

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

type Appended = Omit<NewEvent, 'facts'> & { facts: string; salt: Buffer };

const appending = (tx: Builder, param: Param<Appended>, facts: Expression<string>) =>
  tx.insertInto('events').values({
    at: param('at'),
    action: param('action'),
    actor_kind: param('actorKind'),
    actor_id: param('actorId'),
    object_kind: param('objectKind'),
    object_id: param('objectId'),
    owner_id: param('ownerId'),
    facts,
    remote_ip: param('remoteIp'),
    request_id: param('requestId'),
    salt: param('salt'),
    opening: null,
    // The database assigns the number.
  } as Insertable<EventsTable>);

const append = prepared((tx: Builder, param: Param<Appended>) => appending(tx, param, param('facts')));

/** Adds the reference of the transfer as the last fact, so that the sealed entry contains it. */
const appendAboutTransfer = prepared((tx: Builder, param: Param<Appended & { factsEnd: string }>) =>
  appending(
    tx,
    param as Param<Appended>,
    sql<string>`cast(${param('facts')} as text) || coalesce(
      (select cast(${param('factsEnd')} as text) || '"reference":"' || reference || '"' from transfer_references
        where transfer_id = ${param('objectId')}), '') || '}'`,
  ),
);

const transferKinds = new Set(['message', 'link', 'request']);

export function isAboutTransfer({ objectKind }: Pick<NewEvent, 'objectKind'>): boolean {
  return transferKinds.has(objectKind);
}

/** How many random bytes the salts of an event need. */
export function saltBytesOf(action: EventKind): number {
  return secretBytes + (sealedFactsOf(action).length === 0 ? 0 : saltBytes);
}

/**
 * `random`: as many bytes as `saltBytesOf` returns. Salts of personal fields derive from the first part; encrypted
 * facts use the rest.
 */
export async function appendEvent(tx: Tx, event: NewEvent, random: Buffer): Promise<void> {
  const salt = random.subarray(0, secretBytes);
  const facts = writeFacts(tx.keys, event, sealedSalts(event.action, random.subarray(secretBytes)));
  if (!isAboutTransfer(event)) return void (await append(tx, { ...event, facts, salt }));
  const factsEnd = facts === '{}' ? '' : ',';
  await appendAboutTransfer(tx, { ...event, facts: facts.slice(0, -1), factsEnd, salt });
}

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

export async function listEventHeadsAfter(db: Query, seq: number, limit: number): Promise<EventHead[]> {
  const query = db.selectFrom('events').select(headColumns).where('seq', '>', seq).orderBy('seq').limit(limit);
  return withNumber(await query.execute());
}

export async function listEventNumbersAfter(db: Query, seq: number, limit: number): Promise<number[]> {
  const query = db.selectFrom('events').select('seq').where('seq', '>', seq).orderBy('seq').limit(limit);
  return (await query.execute()).map((row) => Number(row.seq));
}

export async function listEventsNumbered(db: Query, numbers: number[]): Promise<EventHead[]> {
  const query = db.selectFrom('events').select(headColumns).where('seq', 'in', numbers).orderBy('seq');
  return withNumber(await query.execute());
}

export async function listOwnEventHeadsAfter(
  db: Query,
  ownerId: string,
  seq: number,
  limit: number,
): Promise<EventHead[]> {
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
  return rows.map((row) => recordedEventOf(db.keys, row));
}

const events = defineTable<EventsTable>()(({ plain }) => ({
  ...plain('seq', 'at', 'action', 'actor_kind', 'actor_id', 'object_kind', 'object_id', 'owner_id'),
  ...plain('remote_ip', 'request_id'),
}));

export function recordedEventOf(keys: Sealer, row: EventsTable): RecordedEvent {
  return eventOf(row, openFacts(keys, row).facts);
}

export function eventOf(row: EventsTable, facts: Record<string, unknown>): RecordedEvent {
  return { ...events.read(row), facts };
}
