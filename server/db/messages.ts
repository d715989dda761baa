// Queries on messages, their recipients, files and counters.
import { sql } from 'kysely';
import { kept, type Param, rowOf } from './engine/kept.ts';
import type { Builder, MessageRecipientsTable, MessagesTable, Query, Tx } from './schema.ts';

export async function insertMessage(
  tx: Tx,
  row: MessagesTable,
  recipients: MessageRecipientsTable[],
  attachmentIds: string[],
): Promise<void> {
  await insertMessageRow(tx, row);
  for (const recipient of recipients) await insertRecipientRow(tx, recipient);
  for (const [position, attachmentId] of attachmentIds.entries())
    await insertMessageFile(tx, { messageId: row.id, attachmentId, position });
}

const messageColumns: Record<keyof MessagesTable, true> = {
  id: true,
  owner_id: true,
  origin: true,
  sender: true,
  sender_name: true,
  is_sender_confirmed: true,
  subject_sealed: true,
  body_sealed: true,
  html_sealed: true,
  audience: true,
  download_limit: true,
  is_private: true,
  send_receipts: true,
  expires_on: true,
  expires_at: true,
  size_bytes: true,
  state: true,
  request_id: true,
  expiry_told_at: true,
  created_at: true,
  updated_at: true,
};
const recipientColumns: Record<keyof MessageRecipientsTable, true> = {
  message_id: true,
  address: true,
  role: true,
  position: true,
  state: true,
  read_at: true,
  read_count: true,
  revoked_at: true,
  replaced_by: true,
  download_limit: true,
  reminder_count: true,
  reminded_at: true,
};
const insertMessageRow = kept((tx: Builder, param: Param<MessagesTable>) =>
  tx.insertInto('messages').values(rowOf(messageColumns, param)),
);
const insertRecipientRow = kept((tx: Builder, param: Param<MessageRecipientsTable>) =>
  tx.insertInto('message_recipients').values(rowOf(recipientColumns, param)),
);
const insertMessageFile = kept(
  (tx: Builder, param: Param<{ messageId: string; attachmentId: string; position: number }>) =>
    tx.insertInto('message_attachments').values({
      message_id: param('messageId'),
      attachment_id: param('attachmentId'),
      position: param('position'),
    }),
);

/** Somebody a message goes to, as they are at first. */
export function newRecipient(
  messageId: string,
  address: string,
  role: MessageRecipientsTable['role'],
  position: number,
): MessageRecipientsTable {
  return {
    message_id: messageId,
    address,
    role,
    position,
    state: 'active',
    read_at: null,
    read_count: 0,
    revoked_at: null,
    replaced_by: '',
    download_limit: null,
    reminder_count: 0,
    reminded_at: null,
  };
}

export function findMessage(db: Query, id: string) {
  return db.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirst();
}

export type MessageRow = NonNullable<Awaited<ReturnType<typeof findMessage>>>;

/** Lets one change of a message follow the other, and answers what it is now. */
export function lockMessage(tx: Tx, id: string): Promise<MessageRow | undefined> {
  return tx
    .updateTable('messages')
    .set((eb) => ({ id: eb.ref('id') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function updateMessage(
  tx: Tx,
  id: string,
  changes: Partial<
    Pick<MessagesTable, 'expires_on' | 'expires_at' | 'download_limit' | 'state' | 'expiry_told_at' | 'updated_at'>
  >,
): Promise<void> {
  await tx.updateTable('messages').set(changes).where('id', '=', id).execute();
}

export async function updateRecipient(
  tx: Tx,
  messageId: string,
  address: string,
  changes: Partial<Omit<MessageRecipientsTable, 'message_id' | 'address'>>,
): Promise<void> {
  await tx
    .updateTable('message_recipients')
    .set(changes)
    .where('message_id', '=', messageId)
    .where('address', '=', address)
    .execute();
}

/** Adds somebody, or lets somebody in again who was turned away. */
export async function putRecipient(tx: Tx, row: MessageRecipientsTable): Promise<void> {
  await tx
    .insertInto('message_recipients')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['message_id', 'address'])
        .doUpdateSet({ role: row.role, state: 'active', revoked_at: null, replaced_by: '' }),
    )
    .execute();
}

const recipientsOf = kept((db: Builder, param: Param<{ messageId: string }>) =>
  db.selectFrom('message_recipients').selectAll().where('message_id', '=', param('messageId')).orderBy('position'),
);

export function listRecipients(db: Query, messageId: string) {
  return recipientsOf(db, { messageId });
}

export function findRecipient(db: Query, messageId: string, address: string) {
  return db
    .selectFrom('message_recipients')
    .selectAll()
    .where('message_id', '=', messageId)
    .where('address', '=', address)
    .executeTakeFirst();
}

const filesOf = kept((db: Builder, param: Param<{ messageId: string }>) =>
  db
    .selectFrom('message_attachments')
    .innerJoin('attachments', 'attachments.id', 'message_attachments.attachment_id')
    .selectAll('attachments')
    .where('message_attachments.message_id', '=', param('messageId'))
    .orderBy('message_attachments.position'),
);

export function listMessageFiles(db: Query, messageId: string) {
  return filesOf(db, { messageId });
}

export interface MessagePage {
  /** Only messages created after this instant. */
  after: number | null;
  before: { createdAt: number; id: string } | null;
  limit: number;
}

/** Messages the person sent, newest first. */
export function listSent(db: Query, ownerId: string, page: MessagePage) {
  let query = db.selectFrom('messages').selectAll().where('owner_id', '=', ownerId).where('origin', '=', 'sent');
  if (page.after !== null) query = query.where('created_at', '>=', page.after);
  const { before } = page;
  if (before !== null) {
    query = query.where((eb) =>
      eb.or([
        eb('created_at', '<', before.createdAt),
        eb.and([eb('created_at', '=', before.createdAt), eb('id', '<', before.id)]),
      ]),
    );
  }
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(page.limit).execute();
}

/** Messages to any of these addresses, and what was handed in to the person, that live at an instant; newest first. */
export function listReceived(db: Query, ownerId: string, addresses: string[], page: MessagePage & { liveAt: number }) {
  let query = db
    .selectFrom('messages')
    .selectAll('messages')
    .where('messages.state', '=', 'active')
    .where('messages.expires_at', '>', page.liveAt)
    .where((eb) =>
      eb.or([
        eb.and([eb('messages.owner_id', '=', ownerId), eb('messages.origin', '<>', 'sent')]),
        eb.exists(
          eb
            .selectFrom('message_recipients')
            .select(sql`1`.as('one'))
            .whereRef('message_recipients.message_id', '=', 'messages.id')
            .where('message_recipients.address', 'in', addresses)
            .where('message_recipients.state', '=', 'active'),
        ),
      ]),
    );
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
  return query.orderBy('messages.created_at', 'desc').orderBy('messages.id', 'desc').limit(page.limit).execute();
}

/** Ends a message; true for the one caller that did. */
export async function endMessage(
  tx: Tx,
  id: string,
  to: 'released' | 'revoked',
  now: number,
): Promise<{ heldFiles: boolean } | null> {
  const before = await tx.selectFrom('messages').select('state').where('id', '=', id).executeTakeFirst();
  if (before === undefined || before.state === 'revoked' || before.state === to) return null;
  const updated = await tx
    .updateTable('messages')
    .set({ state: to, updated_at: now })
    .where('id', '=', id)
    .where('state', '=', before.state)
    // The owner may have moved the date since somebody looked.
    .$if(to === 'released', (query) => query.where('expires_at', '<=', now))
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 0 ? null : { heldFiles: before.state === 'active' };
}

export function listExpiredMessages(db: Query, now: number, limit: number) {
  return db
    .selectFrom('messages')
    .select(['id', 'owner_id'])
    .where('state', '=', 'active')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute();
}

/** Sent messages that end soon and were not looked at for it; the second half of a short time is soon enough. */
export function listEndingMessages(db: Query, when: { now: number; until: number }, limit: number) {
  return db
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
}

export function listMessageIdsOf(db: Query, ownerId: string) {
  return db
    .selectFrom('messages')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('state', '<>', 'revoked')
    .execute();
}

/** How much was handed in to a person lately: through one request, or through their drop page. */
export async function countHandedIn(
  db: Query,
  wanted: { ownerId: string; origin: 'request' | 'filedrop'; requestId: string | null; since: number },
): Promise<number> {
  let query = db
    .selectFrom('messages')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('owner_id', '=', wanted.ownerId)
    .where('origin', '=', wanted.origin)
    .where('created_at', '>', wanted.since);
  if (wanted.requestId !== null) query = query.where('request_id', '=', wanted.requestId);
  return Number((await query.executeTakeFirstOrThrow()).count);
}

/** A live message that holds a file. */
export interface MessageUse {
  id: string;
  expiresOn: string;
}

export async function findMessagesOfAttachments(
  db: Query,
  attachmentIds: string[],
): Promise<Map<string, MessageUse[]>> {
  const found = new Map<string, MessageUse[]>();
  if (attachmentIds.length === 0) return found;
  const rows = await db
    .selectFrom('message_attachments')
    .innerJoin('messages', 'messages.id', 'message_attachments.message_id')
    .select(['messages.id', 'messages.expires_on', 'message_attachments.attachment_id'])
    .where('message_attachments.attachment_id', 'in', attachmentIds)
    .where('messages.state', '=', 'active')
    .orderBy('messages.created_at')
    .execute();
  for (const row of rows) {
    found.set(row.attachment_id, [...(found.get(row.attachment_id) ?? []), { id: row.id, expiresOn: row.expires_on }]);
  }
  return found;
}
