// Queries on queued mails, which encrypt and decrypt payloads.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { waitingForSetup } from '../../domain/mail-settings.ts';
import type { OutboxTable, Query, Sealer, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

export interface QueuedMail {
  id: string;
  kind: string;
  recipient: string;
  ownerId: string;
  messageId: string | null;
  linkId: string | null;
  requestId: string | null;
  /** Mails with the same key are merged while they wait. */
  groupKey: string | null;
  /** A function, so that one payload that cannot be decrypted does not block other mails. */
  openPayload(): object;
  state: OutboxTable['state'];
  attempts: number;
  /** After this it is useless. */
  expiresAt: number | null;
  createdAt: number;
}

export interface MailDraft extends Omit<QueuedMail, 'openPayload' | 'state' | 'attempts'> {
  payload: object;
  dueAt: number;
}

const mails = defineTable<OutboxTable>()(({ plain }) => ({
  ...plain(
    'id',
    'kind',
    'recipient',
    'owner_id',
    'message_id',
    'link_id',
    'request_id',
    'group_key',
    'state',
    'attempts',
  ),
  ...plain('expires_at', 'created_at'),
}));

/** False when a mail of the same group is waiting. */
export async function insertMail(tx: Tx, mail: MailDraft): Promise<boolean> {
  const inserted = await tx
    .insertInto('outbox')
    .values({
      ...mails.write({ ...mail, state: 'pending', attempts: 0 }),
      payload_sealed: sealPayload(tx.keys, mail.id, mail.payload),
      next_at: mail.dueAt,
      lease_ends_at: 0,
      server_text: '',
      finished_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(inserted.numInsertedOrUpdatedRows ?? 0) === 1;
}

function sealPayload(keys: Sealer, id: string, payload: object): Buffer {
  return keys.sealText('mail', JSON.stringify(payload), id);
}

function queuedMail(keys: Sealer, row: OutboxTable): QueuedMail {
  return {
    ...mails.read(row),
    openPayload: () => JSON.parse(keys.openText('mail', row.payload_sealed, row.id)) as object,
  };
}

export async function findMail(db: Query, id: string): Promise<QueuedMail | undefined> {
  const row = await db.selectFrom('outbox').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : queuedMail(db.keys, row);
}

export async function findCopyToSender(
  db: Query,
  messageId: string,
): Promise<{ id: string; recipient: string } | undefined> {
  return db
    .selectFrom('outbox')
    .select(['id', 'recipient'])
    .where('message_id', '=', messageId)
    .where('kind', '=', 'copy-to-sender')
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
}

/** States as literals, because SQLite uses a partial index only if the statement has the same condition. */
export function isInState(states: readonly OutboxTable['state'][]): RawBuilder<SqlBool> {
  const [first] = states;
  if (states.length === 1) return sql`state = ${sql.lit(first)}`;
  return sql`state in (${sql.join(states.map((state) => sql.lit(state)))})`;
}

export const waitingStates = ['pending', 'sending'] as const;

/** Due mails of these kinds without a lease, oldest first. A newer version may have queued other kinds. */
export async function listDueMails(
  db: Query,
  kinds: readonly string[],
  now: number,
  limit: number,
): Promise<QueuedMail[]> {
  const rows = await db
    .selectFrom('outbox')
    .selectAll()
    .where(isInState(waitingStates))
    .where('next_at', '<=', now)
    .where('lease_ends_at', '<=', now)
    .where('kind', 'in', kinds)
    .orderBy('next_at')
    .limit(limit)
    .execute();
  return rows.map((row) => queuedMail(db.keys, row));
}

/** Without a lease, and not counted as an attempt. */
export async function delayMails(tx: Tx, ids: readonly string[], nextAt: number): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable('outbox')
    .set({ next_at: nextAt })
    .where('id', 'in', ids)
    .where('state', '=', 'pending')
    .execute();
}

/** Identifies one lease of a mail. */
export interface MailHold {
  readonly id: string;
  readonly endsAt: number;
}

/** True for one worker only. */
export async function leaseMail(tx: Tx, id: string, now: number, leaseEndsAt: number): Promise<boolean> {
  const updated = await tx
    .updateTable('outbox')
    .set((eb) => ({ state: 'sending', lease_ends_at: leaseEndsAt, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('state', 'in', ['pending', 'sending'])
    .where('lease_ends_at', '<=', now)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** False once another worker has the lease. */
export async function renewMailLease(tx: Tx, lease: MailHold, leaseEndsAt: number): Promise<boolean> {
  const updated = await tx
    .updateTable('outbox')
    .set({ lease_ends_at: leaseEndsAt })
    .where('id', '=', lease.id)
    .where('state', '=', 'sending')
    .where('lease_ends_at', '=', lease.endsAt)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** Marks a mail as sent, whoever has the lease now. True for the first caller. */
export async function finishSent(tx: Tx, id: string, serverText: string, now: number): Promise<boolean> {
  const updated = await tx
    .updateTable('outbox')
    .set({ state: 'sent', server_text: serverText, finished_at: now, lease_ends_at: 0 })
    .where('id', '=', id)
    .where('state', 'in', ['pending', 'sending'])
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** Makes mails due that waited because there was no mail server. */
export async function releaseHeldMails(tx: Tx, now: number): Promise<void> {
  await tx
    .updateTable('outbox')
    .set({ next_at: now, attempts: 0, server_text: '' })
    .where(isInState(['pending']))
    .where('server_text', '=', waitingForSetup)
    .execute();
}

export async function hasHeldMails(db: Query): Promise<boolean> {
  const held = await db
    .selectFrom('outbox')
    .select('id')
    .where(isInState(['pending']))
    .where('server_text', '=', waitingForSetup)
    .limit(1)
    .executeTakeFirst();
  return held !== undefined;
}

/** False if another worker has the lease. */
export async function finishUnsent(
  tx: Tx,
  lease: MailHold,
  end: { state: 'failed' | 'cancelled'; reason: string; now: number },
): Promise<boolean> {
  const updated = await tx
    .updateTable('outbox')
    .set({ state: end.state, server_text: end.reason, finished_at: end.now, lease_ends_at: 0 })
    .where('id', '=', lease.id)
    .where('state', '=', 'sending')
    .where('lease_ends_at', '=', lease.endsAt)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/**
 * Mails that have waited since before an instant although tried or due, if no mail was accepted since; null when there
 * are none.
 */
export async function findStuckMails(db: Query, { before, now }: { before: number; now: number }) {
  const accepted = await db
    .selectFrom('outbox')
    .select('id')
    .where('state', '=', 'sent')
    .where('finished_at', '>', before)
    .where('finished_at', '<=', now)
    .limit(1)
    .executeTakeFirst();
  if (accepted !== undefined) return null;
  const stuck = db
    .selectFrom('outbox')
    .where(isInState(waitingStates))
    .where('created_at', '<=', before)
    .where('server_text', '<>', waitingForSetup)
    .where((eb) => eb.or([eb('attempts', '>', 0), eb('next_at', '<=', before)]));
  const oldest = await stuck.select(['created_at', 'server_text']).orderBy('created_at').limit(1).executeTakeFirst();
  if (oldest === undefined) return null;
  const { count } = await stuck.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return { mailCount: Number(count), oldestAt: oldest.created_at, serverText: oldest.server_text };
}

export interface UnacceptedMails {
  mailCount: number;
  /** Of these, those that are tried again. */
  waiting: number;
  oldestAt: number;
  serverText: string;
}

/** Mails since an instant that were refused, or tried and wait, after the last that was accepted. */
export async function findUnacceptedMails(db: Pick<Query, 'selectFrom'>, since: number): Promise<UnacceptedMails> {
  const accepted = await db
    .selectFrom('outbox')
    .select((eb) => eb.fn.max('finished_at').as('at'))
    .where('created_at', '>', since)
    .where('state', '=', 'sent')
    .executeTakeFirst();
  const after = Math.max(since, accepted?.at ?? 0);
  const rows = await db
    .selectFrom('outbox')
    .select((eb) => [
      'state',
      eb.fn.countAll<number>().as('count'),
      eb.fn.min('created_at').as('oldest_at'),
      eb.fn.max('server_text').as('server_text'),
    ])
    .where('created_at', '>', since)
    .where('state', 'in', ['failed', 'pending', 'sending'])
    .where('attempts', '>', 0)
    .where('server_text', 'not in', ['', waitingForSetup])
    .where((eb) => eb.or([eb('finished_at', '>', after), eb('created_at', '>', after)]))
    .groupBy('state')
    .execute();
  const waiting = rows.filter(({ state }) => state !== 'failed');
  const sum = (some: typeof rows) => some.reduce((total, { count }) => total + Number(count), 0);
  return {
    mailCount: sum(rows),
    waiting: sum(waiting),
    oldestAt: Math.min(...rows.map(({ oldest_at }) => oldest_at)),
    serverText: rows.map(({ server_text }) => server_text).join('; '),
  };
}

/** Saves the payload of a batched mail and removes it from its group, so that later events get another mail. */
export async function savePayload(tx: Tx, id: string, payload: object): Promise<void> {
  const sealed = sealPayload(tx.keys, id, payload);
  await tx.updateTable('outbox').set({ payload_sealed: sealed, group_key: null }).where('id', '=', id).execute();
}

export async function postponeMail(tx: Tx, lease: MailHold, nextAt: number, reason: string): Promise<boolean> {
  const updated = await tx
    .updateTable('outbox')
    .set({ state: 'pending', next_at: nextAt, lease_ends_at: 0, server_text: reason })
    .where('id', '=', lease.id)
    .where('state', '=', 'sending')
    .where('lease_ends_at', '=', lease.endsAt)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** Finished before an instant, and about nothing that can still be opened; returns how many. */
export async function deleteFinishedMails(
  tx: Tx,
  { before, now, limit }: { before: number; now: number; limit: number },
): Promise<number> {
  const old = tx
    .selectFrom('outbox')
    .select('outbox.id')
    // Follows from the next condition, but has an index.
    .where('created_at', '<', before)
    .where('finished_at', '<', before)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('messages')
            .select('messages.id')
            .whereRef('messages.id', '=', 'outbox.message_id')
            .where('messages.expires_at', '>', now),
        ),
      ),
    )
    .limit(limit);
  const deleted = await tx.deleteFrom('outbox').where('id', 'in', old).executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

export async function listWaitingMails(db: Query, messageId: string): Promise<QueuedMail[]> {
  const rows = await db
    .selectFrom('outbox')
    .selectAll()
    .where('message_id', '=', messageId)
    .where('state', '=', 'pending')
    .execute();
  return rows.map((row) => queuedMail(db.keys, row));
}

/** Cancels waiting mails about a withdrawn message, except these kinds. */
export async function cancelMailsOfMessage(
  tx: Tx,
  messageId: string,
  exceptKinds: readonly string[],
  now: number,
): Promise<void> {
  await tx
    .updateTable('outbox')
    .set({ state: 'cancelled', finished_at: now })
    .where('message_id', '=', messageId)
    .where('kind', 'not in', exceptKinds)
    .where('state', '=', 'pending')
    .execute();
}

/** How many mails of these kinds a user has lately sent to others. */
export async function countMailsSince(
  db: Query,
  owner: { id: string; email: string },
  kinds: readonly string[],
  since: number,
): Promise<number> {
  const row = await db
    .selectFrom('outbox')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('owner_id', '=', owner.id)
    .where('kind', 'in', kinds)
    .where('recipient', '<>', owner.email)
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
