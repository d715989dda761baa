// Events with the salts of their personal fields, for the event log and for erasures.
import { sql } from 'kysely';
import type { Salts } from '../../domain/evidence.ts';
import type { Dialect } from '../engine/db.ts';
import type { Db, EventsTable, Query, Sealer, Tx } from '../schema/schema.ts';
import { openFacts, withoutSealedSalts, writeFacts } from './event-facts.ts';
import { eventOf, type RecordedEvent } from './events.ts';

export interface SealableEvent {
  event: RecordedEvent;
  salts: Salts;
}

export function sealableOf(keys: Sealer, row: EventsTable): SealableEvent {
  const { kept, erased } =
    row.opening === null ? { kept: {}, erased: {} } : (JSON.parse(row.opening) as Omit<Salts, 'secret'>);
  const opened = openFacts(keys, row);
  return {
    event: eventOf(row, opened.facts),
    salts: { secret: row.salt, kept: { ...kept, ...opened.salts }, erased },
  };
}

export async function listSealableAfter(db: Query, seq: number, limit: number): Promise<SealableEvent[]> {
  const rows = await db.selectFrom('events').selectAll().where('seq', '>', seq).orderBy('seq').limit(limit).execute();
  return rows.map((row) => sealableOf(db.keys, row));
}

/** Oldest first. */
export async function listSealableUpTo(db: Query, seq: number, limit: number): Promise<SealableEvent[]> {
  const query = db.selectFrom('events').selectAll().where('seq', '<=', seq).orderBy('seq', 'desc').limit(limit);
  return (await query.execute()).reverse().map((row) => sealableOf(db.keys, row));
}

export async function findSealable(db: Query, seq: number): Promise<SealableEvent | null> {
  const row = await db.selectFrom('events').selectAll().where('seq', '=', seq).executeTakeFirst();
  return row === undefined ? null : sealableOf(db.keys, row);
}

export async function countEventsBetween(db: Query, after: number, before: number): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('seq', '>', after)
    .where('seq', '<', before)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/**
 * Transactions that may still commit an event with an earlier number. An insert locks the table before it gets its
 * number, and PostgreSQL releases the lock after the commit is visible. SQLite assigns numbers in the order of commits.
 */
export async function listEventWriters(db: Query, dialect: Dialect): Promise<string[]> {
  if (dialect === 'sqlite') return [];
  const { rows } = await sql<{ writer: string }>`select distinct virtualtransaction || '/' || coalesce(pid, 0) as writer
    from pg_locks where locktype = 'relation' and granted and mode = 'RowExclusiveLock'
      and relation = 'events'::regclass and database = (select oid from pg_database where datname = current_database())`.execute(
    db,
  );
  return rows.map(({ writer }) => writer);
}

/** A page of events that a user did, owns or is the object of, or whose facts contain one of these words. */
export async function listEventsAbout(
  { read, dialect }: Pick<Db, 'read' | 'dialect'>,
  { userId, words }: { userId: string; words: readonly string[] },
  page: { afterSeq: number; upToSeq: number },
): Promise<SealableEvent[]> {
  const find = sql.raw(dialect === 'sqlite' ? 'instr' : 'strpos');
  const rows = await read
    .selectFrom('events')
    .selectAll()
    .where('seq', '>', page.afterSeq)
    .where('seq', '<=', page.upToSeq)
    .where((eb) =>
      eb.or([
        eb('actor_id', '=', userId),
        eb('owner_id', '=', userId),
        eb('object_id', '=', userId),
        ...words.flatMap((word) => [
          sql<boolean>`${find}(lower(facts), ${quoted(word.toLowerCase())}) > 0`,
          // SQLite lowers ASCII letters only, so both forms are searched.
          ...(/^[\x20-\x7e]*$/.test(word) ? [] : [sql<boolean>`${find}(facts, ${quoted(word)}) > 0`]),
        ]),
      ]),
    )
    .orderBy('seq')
    .execute();
  return rows.map((row) => sealableOf(read.keys, row));
}

/** As inside JSON. */
function quoted(word: string): string {
  return JSON.stringify(word).slice(1, -1);
}

export async function saveErased(tx: Tx, { event, salts }: SealableEvent): Promise<void> {
  await tx
    .updateTable('events')
    .set({
      actor_id: event.actorId,
      object_id: event.objectId,
      owner_id: event.ownerId,
      facts: writeFacts(tx.keys, event, salts.kept),
      remote_ip: event.remoteIp,
      request_id: event.requestId,
      salt: null,
      opening: JSON.stringify({ kept: withoutSealedSalts(event.action, salts.kept), erased: salts.erased }),
    })
    .where('seq', '=', event.seq)
    .execute();
}
