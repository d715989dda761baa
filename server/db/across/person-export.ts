// What is stored about one person, for an export: everything that names them or that they did, without texts, file
// names, checksums and secrets.
import { sql } from 'kysely';
import { holdKinds } from '../../domain/legal-holds.ts';
import type { ExportedList, ExportedRows } from '../../domain/person-exports.ts';
import type { Query } from '../schema/schema.ts';
import { isInReach, type Reach } from '../users/reach.ts';

export async function listForExport(
  db: Query,
  { userId, addresses, reach }: { userId: string; addresses: readonly string[]; reach: Reach },
  limit: number,
): Promise<Record<ExportedList, ExportedRows>> {
  const mine = sql.join([...addresses]);
  const isShown = (column: string) => isInReach(column, reach);
  // The export is for the person, and only administrators may see legal holds.
  const forAdministrators = sql.join(holdKinds);
  const statements = {
    messages_sent: sql`select id, created_at, expires_at, state, size_bytes as size from messages
      where owner_id = ${userId} and origin = 'sent' order by created_at desc limit ${limit}`,
    messages_received: sql`select message_id as id, sent_at as created_at, address, role, state, read_at
      from message_recipients where address in (${mine}) and exists (select 1 from messages
        where messages.id = message_id and ${isShown('messages.owner_id')}) order by sent_at desc limit ${limit}`,
    deliveries: sql`select id, created_at, origin, sender from messages
      where owner_id = ${userId} and origin <> 'sent' order by created_at desc limit ${limit}`,
    files: sql`select id, created_at, size_bytes as size, content_type as type, state from attachments
      where owner_id = ${userId} order by created_at desc limit ${limit}`,
    links: sql`select id, created_at, expires_at, state from file_links
      where owner_id = ${userId} order by created_at desc limit ${limit}`,
    requests: sql`select id, created_at, expires_at, recipient, state from file_requests
      where (owner_id = ${userId} or recipient in (${mine})) and ${isShown('owner_id')}
      order by created_at desc limit ${limit}`,
    downloads: sql`select granted_at as created_at, coalesce(message_id, link_id) as transfer, attachment_id as file,
      recipient as address, sent_bytes as size, remote_ip as ip, browser, os, country_code as country from downloads
      where (recipient in (${mine}) or (owner_id = ${userId} and kind = 'owner')) and ${isShown('owner_id')}
      order by granted_at desc limit ${limit}`,
    download_requests: sql`select requests.started_at as created_at, coalesce(downloads.message_id, downloads.link_id) as transfer,
      downloads.attachment_id as file, requests.request, requests.ended_at, requests.range_start as first_byte,
      requests.range_end - 1 as last_byte, requests.taken_bytes as size, requests.remote_ip as ip, requests.user_agent as browser,
      requests.api_key_id as api_key, requests.proof_kind as proof from download_requests as requests
      join downloads on downloads.owner_id = requests.owner_id and downloads.number = requests.number
      where (downloads.recipient in (${mine}) or (downloads.owner_id = ${userId} and downloads.kind = 'owner'))
        and ${isShown('downloads.owner_id')} order by requests.started_at desc limit ${limit}`,
    visits: sql`select first_at as created_at, last_at, message_id as transfer, address, count, browser, device, network as ip
      from message_visits where address in (${mine}) and exists (select 1 from messages
        where messages.id = message_id and ${isShown('messages.owner_id')}) order by first_at desc limit ${limit}`,
    mails: sql`select created_at, kind, recipient as address, state from outbox
      where recipient in (${mine})
        and (coalesce(message_id, link_id, request_id) is null or ${isShown('owner_id')})
      order by created_at desc limit ${limit}`,
    passkeys: sql`select created_at, name, address, last_used_at, last_used_ip as ip from passkeys
      where user_id = ${userId} or (address in (${mine}) and address <> '') order by created_at desc limit ${limit}`,
    contacts: sql`select address, name, updated_at as created_at from contact_names
      where owner_id = ${userId} order by address limit ${limit}`,
    events: sql`select seq as number, at as created_at, action, object_kind as about, remote_ip as ip from events
      where (actor_id = ${userId} or owner_id = ${userId}) and action not in (${forAdministrators})
        and ${isShown('owner_id')} order by seq desc limit ${limit}`,
  } satisfies Record<string, ReturnType<typeof sql>>;
  const lists: Record<string, ExportedRows> = {};
  for (const [name, statement] of Object.entries(statements))
    lists[name] = (await statement.execute(db)).rows as ExportedRows;
  return lists as Record<keyof typeof statements, ExportedRows>;
}

/** How many messages and file requests to these addresses belong to users whom the caller may not see. */
export async function countLeftOut(
  db: Query,
  { addresses, reach }: { addresses: readonly string[]; reach: Reach },
): Promise<number> {
  const mine = sql.join([...addresses]);
  const { rows } = await sql<{ count: number }>`select
    (select count(distinct messages.id) from message_recipients join messages on messages.id = message_id
      where address in (${mine}) and not (${isInReach('messages.owner_id', reach)}))
    + (select count(*) from file_requests where recipient in (${mine}) and not (${isInReach('owner_id', reach)})) as count`.execute(
    db,
  );
  return Number(rows[0]!.count);
}
