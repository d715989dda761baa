// Queries on messages. Most leave the texts out, because decrypting one takes longer than reading the rest of the row.
import { sql } from 'kysely';
import { audienceAt, levelOf } from '../../domain/audience.ts';
import type { MessageHead, MessageOrigin, MessageTexts, Recipient, RecipientRole } from '../../domain/messages.ts';
import { type Param, prepared, rowOf } from '../engine/prepared.ts';
import type { Builder, MessagesTable, Query, Sealer, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';
import { insertMessageFiles } from './message-files.ts';
import { idsSentTo, isReleased, type Reader } from './readers.ts';
import { insertRecipients } from './recipients.ts';

export interface MessageDraft
  extends Omit<MessageHead, 'state' | 'reviewState' | 'expiryToldAt' | 'createdAt' | 'updatedAt'>,
    MessageTexts {
  now: number;
  /** The drop page of a function to which it was delivered. */
  systemDropId?: string;
  recipients: { address: string; role: RecipientRole }[];
  /** In the order in which they are shown. */
  attachmentIds: string[];
}

const heads = defineTable<MessagesTable>()(({ plain, flags, flagAs, mapped }) => ({
  ...plain('id', 'owner_id', 'origin', 'request_id', 'sender', 'sender_name', 'download_limit', 'mail_language'),
  ...plain(
    'expires_on',
    'expires_at',
    'size_bytes',
    'state',
    'review_state',
    'expiry_told_at',
    'created_at',
    'updated_at',
  ),
  ...flags('is_sender_confirmed', 'is_private'),
  sendsReceipts: flagAs('send_receipts'),
  audience: mapped('audience', audienceAt, levelOf),
}));

const texts = defineTable<MessagesTable>()(({ plain, sealedText }) => ({
  ...plain('id'),
  subject: sealedText('subject_sealed', 'text', 'id', (id) => `${id}/subject`),
  body: sealedText('body_sealed', 'text', 'id', (id) => `${id}/body`),
  bodyHtml: sealedText('html_sealed', 'text', 'id', (id) => `${id}/html`),
}));

/** What an erasure leaves of the texts. */
export function erasedTexts(keys: Sealer, id: string) {
  return texts.write({ id, subject: '', body: '', bodyHtml: null }, keys);
}

const insertRow = prepared((tx: Builder, param: Param<MessagesTable>) =>
  tx.insertInto('messages').values(rowOf({ ...heads.columns, ...texts.columns, system_drop_id: true }, param)),
);

export async function insertMessage(
  tx: Tx,
  message: MessageDraft,
): Promise<{ head: MessageHead; recipients: Recipient[] }> {
  const row = newRow(tx.keys, message);
  await insertRow(tx, row);
  const recipients = await insertRecipients(tx, { id: message.id, sentAt: message.now }, message.recipients);
  await insertMessageFiles(tx, message.id, message.attachmentIds);
  return { head: headOf(row), recipients };
}

function newRow(keys: Sealer, { now, systemDropId, ...message }: MessageDraft): MessagesTable {
  const head: MessageHead = {
    ...message,
    state: 'active',
    reviewState: null,
    expiryToldAt: null,
    createdAt: now,
    updatedAt: now,
  };
  return { ...heads.write(head), ...texts.write(message, keys), system_drop_id: systemDropId ?? null };
}

export const headColumns = heads.select('messages');

export const headOf = heads.read;

export function openSubject(keys: Sealer, row: Pick<MessagesTable, 'id' | 'subject_sealed'>): string {
  return keys.openText('text', row.subject_sealed, `${row.id}/subject`);
}

export async function findMessage(db: Query, id: string): Promise<MessageHead | undefined> {
  const row = await db.selectFrom('messages').select(headColumns).where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : headOf(row);
}

export type WholeMessage = MessageHead & MessageTexts;

export async function findWholeMessage(db: Query, id: string): Promise<WholeMessage | undefined> {
  const row = await db.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : { ...headOf(row), ...texts.read(row, db.keys) };
}

export async function findSubject(db: Query, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('messages').select(['id', 'subject_sealed']).where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : openSubject(db.keys, row);
}

export async function findSubjects(db: Query, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('messages').select(['id', 'subject_sealed']).where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, openSubject(db.keys, row)]));
}

/** Locks the message until the transaction ends, and returns it. */
export async function lockMessage(tx: Tx, id: string): Promise<MessageHead | undefined> {
  const row = await tx
    .updateTable('messages')
    .set((eb) => ({ id: eb.ref('id') }))
    .where('id', '=', id)
    .returning(headColumns)
    .executeTakeFirst();
  return row === undefined ? undefined : headOf(row);
}

export type MessageChanges = Partial<
  Pick<MessageHead, 'expiresOn' | 'expiresAt' | 'downloadLimit' | 'sizeBytes' | 'state' | 'expiryToldAt' | 'updatedAt'>
>;

export async function updateMessage(tx: Tx, id: string, changes: MessageChanges): Promise<void> {
  await tx
    .updateTable('messages')
    .set({
      expires_on: changes.expiresOn,
      expires_at: changes.expiresAt,
      download_limit: changes.downloadLimit,
      size_bytes: changes.sizeBytes,
      state: changes.state,
      expiry_told_at: changes.expiryToldAt,
      updated_at: changes.updatedAt,
    })
    .where('id', '=', id)
    .execute();
}

export interface MessagePage {
  /** Only messages created after this instant. */
  after: number | null;
  /** Only messages older than this one. */
  before: { createdAt: number; id: string } | null;
  limit: number;
}

export function listSent(db: Query, ownerId: string, page: MessagePage): Promise<WholeMessage[]> {
  const sent = db.selectFrom('messages').where('owner_id', '=', ownerId).where('origin', '=', 'sent');
  return readPage(db, sent, page);
}

/** Messages to any of these addresses, and deliveries to the user, that can be opened at an instant; newest first. */
export function listInbox(db: Query, reader: Reader & { liveAt: number }, page: MessagePage): Promise<WholeMessage[]> {
  const received = db
    .selectFrom('messages')
    .where('messages.state', '=', 'active')
    .where('messages.expires_at', '>', reader.liveAt)
    .where(isReleased)
    .where((eb) =>
      eb.or([
        eb.and([eb('messages.owner_id', '=', reader.userId), eb('messages.origin', '<>', 'sent')]),
        sql<boolean>`messages.id in ${idsSentTo(reader)}`,
      ]),
    );
  return readPage(db, received, page);
}

export function listAnswers(db: Query, requestId: string, limit: number): Promise<WholeMessage[]> {
  const answers = db.selectFrom('messages').where('request_id', '=', requestId);
  return readPage(db, answers, { after: null, before: null, limit });
}

type Selection = ReturnType<typeof fromMessages>;
const fromMessages = (db: Query) => db.selectFrom('messages');

async function readPage(db: Query, from: Selection, page: MessagePage): Promise<WholeMessage[]> {
  let query = from.selectAll('messages');
  if (page.after !== null) query = query.where('messages.created_at', '>=', page.after);
  const { before } = page;
  if (before !== null) {
    query = query.where((eb) =>
      eb.or([
        eb('messages.created_at', '<', before.createdAt),
        eb.and([eb('messages.created_at', '=', before.createdAt), eb('messages.id', '<', before.id)]),
      ]),
    );
  }
  const rows = await query
    .orderBy('messages.created_at', 'desc')
    .orderBy('messages.id', 'desc')
    .limit(page.limit)
    .execute();
  return rows.map((row) => ({ ...headOf(row), ...texts.read(row, db.keys) }));
}

/**
 * Ends a message, for the one caller that does; null for all others. `heldFiles`: it still had its files. Locks the row
 * first, because withdrawal and expiry may happen together.
 */
export async function endMessage(
  tx: Tx,
  id: string,
  to: 'released' | 'revoked',
  now: number,
): Promise<{ heldFiles: boolean } | null> {
  const before = await lockMessage(tx, id);
  if (before === undefined || before.state === 'revoked' || before.state === to) return null;
  // The owner may have changed the date since the job read it.
  if (to === 'released' && before.expiresAt > now) return null;
  await updateMessage(tx, id, { state: to, updatedAt: now });
  return { heldFiles: before.state === 'active' };
}

export async function listExpiredMessages(
  db: Query,
  now: number,
  limit: number,
): Promise<{ id: string; ownerId: string }[]> {
  return db
    .selectFrom('messages')
    .select(['id', 'owner_id as ownerId'])
    .where('state', '=', 'active')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute();
}

/**
 * Sent messages that expire soon and whose expiry notice was not considered yet. A short-lived message expires soon in
 * the second half of its life.
 */
export async function listEndingMessages(
  db: Query,
  when: { now: number; until: number },
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('messages')
    .select('id')
    .where('state', '=', 'active')
    .where('origin', '=', 'sent')
    .where('expiry_told_at', 'is', null)
    .where('expires_at', '>', when.now)
    .where('expires_at', '<=', when.until)
    .where(sql<boolean>`expires_at + created_at <= ${2 * when.now}`)
    .orderBy('expires_at')
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

/** Every message of a user that was not withdrawn. */
export async function listMessageIdsOf(db: Query, ownerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('messages')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('state', '<>', 'revoked')
    .execute();
  return rows.map((row) => row.id);
}

/** How many deliveries a user got lately: through one request, or through their own drop page. */
export async function countSubmissions(
  db: Query,
  wanted: {
    ownerId: string;
    origin: Exclude<MessageOrigin, 'sent'>;
    requestId: string | null;
    since: number;
    now: number;
  },
): Promise<number> {
  let query = db
    .selectFrom('messages')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('owner_id', '=', wanted.ownerId)
    .where('origin', '=', wanted.origin)
    .where('system_drop_id', 'is', null)
    .where('created_at', '>', wanted.since)
    .where('created_at', '<=', wanted.now);
  if (wanted.requestId !== null) query = query.where('request_id', '=', wanted.requestId);
  return Number((await query.executeTakeFirstOrThrow()).count);
}
