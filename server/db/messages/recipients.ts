// Queries on the people a message goes to.
import { domainOf } from '../../domain/audience.ts';
import type { Recipient, RecipientRole } from '../../domain/messages.ts';
import { kept, keptRows, type Param } from '../engine/kept.ts';
import type { Builder, MessageRecipientsTable, Query, Tables, Tx } from '../schema/schema.ts';

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
  domain: true,
  sent_at: true,
};
const insertRows = keptRows<Tables, MessageRecipientsTable>(recipientColumns, (tx: Builder, rows) =>
  tx.insertInto('message_recipients').values(rows),
);

/** The people of a new message, in their order. */
export async function insertRecipients(
  tx: Tx,
  message: MessageOf,
  people: { address: string; role: RecipientRole }[],
): Promise<Recipient[]> {
  const rows = people.map((person, position) => newRow(message, { ...person, position }));
  await insertRows(tx, rows);
  return rows.map(recipientOf);
}

type NewRecipient = Pick<Recipient, 'address' | 'role' | 'position'>;

/** What is kept of the message with each of its people. */
interface MessageOf {
  id: string;
  sentAt: number;
}

function newRow({ id, sentAt }: MessageOf, { address, role, position }: NewRecipient): MessageRecipientsTable {
  return {
    message_id: id,
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
    domain: domainOf(address),
    sent_at: sentAt,
  };
}

function recipientOf(row: MessageRecipientsTable): Recipient {
  return {
    address: row.address,
    role: row.role,
    position: row.position,
    state: row.state,
    readAt: row.read_at,
    revokedAt: row.revoked_at,
    replacedBy: row.replaced_by,
    downloadLimit: row.download_limit,
    reminderCount: row.reminder_count,
    remindedAt: row.reminded_at,
  };
}

/** Adds somebody, or lets somebody in again who was turned away. */
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

/** Takes somebody's access away; `replacedBy` is the right address when this one was a typing error. */
export async function takeAccessAway(
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

/** Counts a reminder; the caller has locked the message, so that two at once are counted one after the other. */
export async function countReminder(tx: Tx, who: { messageId: string; address: string }, now: number): Promise<void> {
  await tx
    .updateTable('message_recipients')
    .set((eb) => ({ reminder_count: eb('reminder_count', '+', 1), reminded_at: now }))
    .where('message_id', '=', who.messageId)
    .where('address', '=', who.address)
    .execute();
}

const ofMessage = kept((db: Builder, param: Param<{ messageId: string }>) =>
  db.selectFrom('message_recipients').selectAll().where('message_id', '=', param('messageId')).orderBy('position'),
);

export async function listRecipients(db: Query, messageId: string): Promise<Recipient[]> {
  return (await ofMessage(db, { messageId })).map(recipientOf);
}

/** The recipients of several messages, by message. */
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
    if (people === undefined) found.set(row.message_id, [recipientOf(row)]);
    else people.push(recipientOf(row));
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
  return row === undefined ? undefined : recipientOf(row);
}
