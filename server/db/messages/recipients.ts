// Queries on recipients of messages.
import { domainOf } from '../../domain/audience.ts';
import type { Recipient, RecipientRole } from '../../domain/messages.ts';
import { type Param, prepared, preparedRows } from '../engine/prepared.ts';
import type { Builder, MessageRecipientsTable, Query, Tables, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

const recipients = defineTable<MessageRecipientsTable>()(({ plain }) => ({
  ...plain('address', 'role', 'position', 'state', 'read_at', 'revoked_at', 'replaced_by', 'download_limit'),
  ...plain('reminder_count', 'reminded_at'),
}));

const recipientColumns = {
  ...recipients.columns,
  message_id: true,
  read_count: true,
  domain: true,
  sent_at: true,
} as const;
const insertRows = preparedRows<Tables, MessageRecipientsTable>(recipientColumns, (tx: Builder, rows) =>
  tx.insertInto('message_recipients').values(rows),
);

export async function insertRecipients(
  tx: Tx,
  message: MessageOf,
  people: { address: string; role: RecipientRole }[],
): Promise<Recipient[]> {
  const rows = people.map((person, position) => newRow(message, { ...person, position }));
  await insertRows(tx, rows);
  return recipients.readAll(rows);
}

type NewRecipient = Pick<Recipient, 'address' | 'role' | 'position'>;

/** The columns of a recipient that repeat those of the message. */
interface MessageOf {
  id: string;
  sentAt: number;
}

function newRow({ id, sentAt }: MessageOf, { address, role, position }: NewRecipient): MessageRecipientsTable {
  const added: Recipient = {
    ...{ address, role, position, state: 'active', readAt: null, revokedAt: null, replacedBy: '' },
    ...{ downloadLimit: null, reminderCount: 0, remindedAt: null },
  };
  return { ...recipients.write(added), message_id: id, read_count: 0, domain: domainOf(address), sent_at: sentAt };
}

/** Adds a recipient, or restores a revoked one. */
export async function putRecipient(tx: Tx, message: MessageOf, person: NewRecipient): Promise<void> {
  await tx
    .insertInto('message_recipients')
    .values(newRow(message, person))
    .onConflict((conflict) =>
      conflict
        .columns(['message_id', 'address'])
        .doUpdateSet({ role: person.role, state: 'active', revoked_at: null, replaced_by: '' }),
    )
    .execute();
}

/** Revokes a recipient; `replacedBy` is the correct address if this one was a typing error. */
export async function markRecipientRevoked(
  tx: Tx,
  who: { messageId: string; address: string },
  replacedBy: string,
  now: number,
): Promise<void> {
  await tx
    .updateTable('message_recipients')
    .set({ state: 'revoked', revoked_at: now, replaced_by: replacedBy })
    .where('message_id', '=', who.messageId)
    .where('address', '=', who.address)
    .execute();
}

export async function updateRecipientLimit(
  tx: Tx,
  who: { messageId: string; address: string },
  downloadLimit: number,
): Promise<void> {
  await tx
    .updateTable('message_recipients')
    .set({ download_limit: downloadLimit })
    .where('message_id', '=', who.messageId)
    .where('address', '=', who.address)
    .execute();
}

/** Counts a reminder; the caller has locked the message, so concurrent reminders are serialised. */
export async function countReminder(tx: Tx, who: { messageId: string; address: string }, now: number): Promise<void> {
  await tx
    .updateTable('message_recipients')
    .set((eb) => ({ reminder_count: eb('reminder_count', '+', 1), reminded_at: now }))
    .where('message_id', '=', who.messageId)
    .where('address', '=', who.address)
    .execute();
}

const ofMessage = prepared((db: Builder, param: Param<{ messageId: string }>) =>
  db.selectFrom('message_recipients').selectAll().where('message_id', '=', param('messageId')).orderBy('position'),
);

export async function listRecipients(db: Query, messageId: string): Promise<Recipient[]> {
  return recipients.readAll(await ofMessage(db, { messageId }));
}

export async function listRecipientsOf(db: Query, messageIds: string[]): Promise<Map<string, Recipient[]>> {
  if (messageIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('message_recipients')
    .selectAll()
    .where('message_id', 'in', messageIds)
    .orderBy('message_id')
    .orderBy('position')
    .execute();
  const found = new Map<string, Recipient[]>();
  for (const row of rows) {
    const people = found.get(row.message_id);
    if (people === undefined) found.set(row.message_id, [recipients.read(row)]);
    else people.push(recipients.read(row));
  }
  return found;
}

export async function findRecipient(db: Query, messageId: string, address: string): Promise<Recipient | undefined> {
  const row = await db
    .selectFrom('message_recipients')
    .selectAll()
    .where('message_id', '=', messageId)
    .where('address', '=', address)
    .executeTakeFirst();
  return row === undefined ? undefined : recipients.read(row);
}
