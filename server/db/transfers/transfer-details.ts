// Details of a page of transfers: owners, recipients, number of files.
import { sql } from 'kysely';
import type { Transfer, TransferHead, TransferOwner } from '../../domain/transfers.ts';
import type { Query } from '../schema/schema.ts';

const mostNamed = 5;

export async function describeTransfers(db: Query, heads: TransferHead[]): Promise<Omit<Transfer, 'reference'>[]> {
  const messageIds = heads.filter(({ kind }) => kind !== 'link' && kind !== 'request').map(({ id }) => id);
  const requestIds = heads.filter(({ kind }) => kind === 'request').map(({ id }) => id);
  const owners = await findOwners(db, [...new Set(heads.map(({ ownerId }) => ownerId))]);
  const files = await countFiles(db, messageIds);
  const people = await findPeople(db, messageIds);
  for (const [id, address] of await findAsked(db, requestIds)) people.set(id, { count: 1, named: [address] });
  return heads.map((head) => ({
    ...head,
    owner: owners.get(head.ownerId)!,
    fileCount: head.kind === 'link' ? 1 : (files.get(head.id) ?? 0),
    recipients: people.get(head.id)?.named ?? [],
    recipientCount: people.get(head.id)?.count ?? 0,
  }));
}

/** Includes deleted users. */
async function findOwners(db: Query, ids: string[]): Promise<Map<string, TransferOwner>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('users')
    .innerJoin('groups', 'groups.id', 'users.group_id')
    .select(['users.id', 'users.email', 'users.name', 'users.state', 'users.group_id', 'groups.name as group_name'])
    .where('users.id', 'in', ids)
    .execute();
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        email: row.email,
        name: row.name,
        groupId: row.group_id,
        groupName: row.group_name,
        isDeleted: row.state === 'deleted',
      },
    ]),
  );
}

async function countFiles(db: Query, messageIds: string[]): Promise<Map<string, number>> {
  if (messageIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('message_attachments')
    .select((eb) => ['message_id', eb.fn.countAll<number>().as('count')])
    .where('message_id', 'in', messageIds)
    .groupBy('message_id')
    .execute();
  return new Map(rows.map((row) => [row.message_id, Number(row.count)]));
}

/** Blind copies are counted, but not named. */
async function findPeople(db: Query, messageIds: string[]): Promise<Map<string, { count: number; named: string[] }>> {
  if (messageIds.length === 0) return new Map();
  const counts = await db
    .selectFrom('message_recipients')
    .select((eb) => ['message_id', eb.fn.countAll<number>().as('count')])
    .where('message_id', 'in', messageIds)
    .where('state', '=', 'active')
    .groupBy('message_id')
    .execute();
  const found = new Map(counts.map((row) => [row.message_id, { count: Number(row.count), named: [] as string[] }]));
  const rows = await db
    .selectFrom('message_recipients')
    .select(['message_id', 'address'])
    .where('message_id', 'in', messageIds)
    .where('state', '=', 'active')
    .where('role', '<>', 'bcc')
    .where('position', '<', sql.lit(mostNamed))
    .orderBy('message_id')
    .orderBy('position')
    .execute();
  for (const row of rows) found.get(row.message_id)?.named.push(row.address);
  return found;
}

async function findAsked(db: Query, requestIds: string[]): Promise<Map<string, string>> {
  if (requestIds.length === 0) return new Map();
  const rows = await db.selectFrom('file_requests').select(['id', 'recipient']).where('id', 'in', requestIds).execute();
  return new Map(rows.map((row) => [row.id, row.recipient]));
}

/** The transfers that an id leads to: its own, of a mail, or of a file. */
export async function findTransferIds(db: Query, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const mails = await db
    .selectFrom('outbox')
    .select(['message_id', 'link_id', 'request_id'])
    .where('id', 'in', ids)
    .execute();
  const messages = await db
    .selectFrom('message_attachments')
    .select('message_id')
    .where('attachment_id', 'in', ids)
    .execute();
  const links = await db.selectFrom('file_links').select('id').where('attachment_id', 'in', ids).execute();
  const found = [
    ...ids,
    ...mails.flatMap((mail) => [mail.message_id, mail.link_id, mail.request_id]),
    ...messages.map((row) => row.message_id),
    ...links.map((row) => row.id),
  ];
  return [...new Set(found.filter((id) => id !== null))].slice(0, 500);
}
