// Part `admin`: the lists of the console over 100,000 people, a million transfers and a million events, with each filter. The rows
// are inserted while the server is stopped.
import { join } from 'node:path';
import { sql } from 'kysely';
import { connect } from '#server/db/engine/connect.ts';
import type { LockedDb, Tables } from '#server/db/schema/schema.ts';
import type { Bench } from './bench.ts';
import { limitRow, median, type Row } from './table.ts';
import { startWaybill, type Waybill } from './waybill.ts';

const people = 100_000;
const batchRows = 50_000;
const mostMs = 300;

export async function measureAdmin(bench: Bench): Promise<Row[]> {
  const rowCount = bench.sizes.logRows;
  const first = await startWaybill(bench, { name: 'admin', workers: 1 });
  await first.stop();
  bench.say(`writing ${rowCount.toLocaleString('en')} transfers and as many events`);
  await writeEverything(join(first.dataDir, 'waybill.db'), rowCount);
  const server = await startWaybill(bench, { name: 'admin', workers: 1, dataDir: first.dataDir });
  const rows: Row[] = [];
  for (const [name, path] of Object.entries(lists)) {
    bench.say(name);
    const times: number[] = [];
    for (let round = 0; round < bench.sizes.rounds + 1; round++) times.push(await timed(server, path));
    rows.push(limitRow(name, 's', median(times), { must: mostMs, aim: mostMs }));
  }
  await server.stop();
  return rows;
}

const lists: Record<string, string> = {
  'people, first page of 100,000': '/admin/people',
  'people by name, last ones first': '/admin/people?sort=-name',
  'people by search words': '/admin/people?q=person%20777',
  'people who never signed in': '/admin/people?seen=never&sort=-storage',
  overview: '/admin/overview',
  'transfers, first page of 1,000,000': '/admin/transfers',
  'transfers of a person': '/admin/transfers?person=person7@example.com',
  'transfers of a large group': '/admin/transfers?group=local-users',
  'transfers of a small group': '/admin/transfers?group=external-users',
  'transfers to an address': '/admin/transfers?recipient=to7@harbour7.example',
  'transfers to a domain': '/admin/transfers?domain=harbour7.example',
  'transfers that were stopped': '/admin/transfers?state=stopped',
  'transfers that have expired': '/admin/transfers?state=expired',
  'transfers older than a year': '/admin/transfers?older_than=365',
  'transfers by an unknown id': '/admin/transfers?id=AAAAAAAAAAAAAAAAAAAAAA',
  'transfers by reference': '/admin/transfers?id=0000-0000-07',
  'open transfers to outside people': '/admin/transfers/outside',
  'events, first page of 1,000,000': '/admin/events',
  'events of a person': '/admin/events?person=person7@example.com',
  'events of a rare kind': '/admin/events?action=branding',
  'events of a common kind': '/admin/events?action=message',
  'events of one object': '/admin/events?object=0000-0000-07',
  'events of some days': '/admin/events?from=2025-01-01&to=2025-01-07',
};

async function timed(server: Waybill, path: string): Promise<number> {
  const startedAt = performance.now();
  const response = await server.call('GET', path);
  await response.text();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  return performance.now() - startedAt;
}

/** The database generates the rows, which is faster than inserting a million objects. */
async function writeEverything(path: string, rowCount: number): Promise<void> {
  const db: LockedDb = await connect<Tables>(`sqlite:${path}`);
  // Evenly over the last three years; transfers younger than 30 days are open.
  const now = Date.now();
  const step = Math.floor((3 * 365 * 86_400_000) / rowCount);
  try {
    await sql`pragma synchronous = off`.execute(db.read);
    // Creating indexes at the end is many times faster than updating them for each row.
    const indexes = await dropIndexes(db);
    await db.write((tx) => insertPeople(now).execute(tx));
    for (let after = 0; after < rowCount; after += batchRows) {
      const line = sql`with recursive line (n) as (select ${whole(after + 1)} union all select n + 1 from line where n < ${whole(after + batchRows)})`;
      const at = sql`${whole(now)} - n * ${whole(step)}`;
      await db.write(async (tx) => {
        for (const statement of [
          messages(line, at, now),
          recipients(line, at),
          requests(line, at, now),
          references(line),
          events(line, sql`${whole(now)} - (${whole(rowCount)} - n) * ${whole(step)}`),
        ])
          await statement.execute(tx);
      });
    }
    for (const index of indexes) await db.write((tx) => sql.raw(index).execute(tx));
  } finally {
    await db.close();
  }
}

const filled = ['users', 'messages', 'message_recipients', 'file_requests', 'transfer_references', 'events'];

/** Returns the statements that create them again. */
async function dropIndexes(db: LockedDb): Promise<string[]> {
  const { rows } = await sql<{ name: string; sql: string }>`select name, sql from sqlite_master
    where type = 'index' and sql is not null and tbl_name in (${sql.join(filled)})`.execute(db.read);
  for (const { name } of rows) await db.write((tx) => sql`drop index ${sql.id(name)}`.execute(tx));
  return rows.map((row) => row.sql);
}

type Part = ReturnType<typeof sql>;

/** As a parameter it would be a floating-point number, and so would ids that are computed with it. */
function whole(value: number): Part {
  return sql.raw(String(value));
}

/** One in a thousand is an outside user. */
function insertPeople(now: number): Part {
  return sql`with recursive line (n) as (select 1 union all select n + 1 from line where n < ${whole(people)})
    insert into users (id, email, name, group_id, state, password_hash, sender_aliases, recipient_aliases,
      default_sender_alias, stored_bytes, reserved_bytes, download_number, proven_addresses, search_text, created_at, updated_at)
    select 'person' || n, 'person' || n || '@example.com', 'Person ' || n,
      case when n % 1000 = 0 then 'external-users' else 'local-users' end, 'active', null, '[]', '[]', '', 0, 0, 0,
      '["person' || n || '@example.com"]', 'person ' || n || char(10) || 'person' || n || '@example.com', ${now}, ${now}
    from line`;
}

const ownerOf = sql`'person' || (1 + n % ${whole(people)})`;
/** Four in five are messages, the others file requests; one in five thousand was withdrawn. */
const isMessage = sql`n % 5 <> 0`;

function messages(line: Part, at: Part, now: number): Part {
  return sql`${line} insert into messages (id, owner_id, origin, sender, sender_name, is_sender_confirmed, subject_sealed,
      body_sealed, audience, is_private, send_receipts, mail_language, expires_on, expires_at, size_bytes, state, created_at,
      updated_at)
    select 'm' || substr('000000000000000000000' || n, -21), ${ownerOf}, 'sent', '', '', 1, x'00', x'00', 3, 0, 0, '',
      '2027-01-01', ${at} + 2592000000, 1000,
      case when n % 5000 = 1 then 'revoked' when ${at} + 2592000000 < ${now} then 'released' else 'active' end, ${at}, ${at}
    from line where ${isMessage}`;
}

function recipients(line: Part, at: Part): Part {
  return sql`${line} insert into message_recipients (message_id, address, role, position, state, read_count, domain, sent_at)
    select 'm' || substr('000000000000000000000' || n, -21), 'to' || (n % 50000) || '@harbour' || (n % 500) || '.example',
      'to', 0, 'active', 0, 'harbour' || (n % 500) || '.example', ${at} from line where ${isMessage}`;
}

function requests(line: Part, at: Part, now: number): Part {
  return sql`${line} insert into file_requests (id, owner_id, recipient, recipient_domain, subject_sealed, body_sealed,
      is_reusable, expires_on, expires_at, state, created_at, updated_at)
    select 'r' || substr('000000000000000000000' || n, -21), ${ownerOf}, 'to' || (n % 50000) || '@harbour' || (n % 500) || '.example',
      'harbour' || (n % 500) || '.example', x'00', x'00', 0, '2027-01-01', ${at} + 1209600000,
      case when ${at} + 1209600000 < ${now} and n % 2 = 0 then 'used' else 'open' end, ${at}, ${at}
    from line where not (${isMessage})`;
}

/** Numbers in the form of references. */
function references(line: Part): Part {
  const digits = sql`printf('%010d', n)`;
  return sql`${line} insert into transfer_references (transfer_id, reference)
    select case when ${isMessage} then 'm' else 'r' end || substr('000000000000000000000' || n, -21),
      substr(${digits}, 1, 4) || '-' || substr(${digits}, 5, 4) || '-' || substr(${digits}, 9, 2) from line`;
}

function events(line: Part, at: Part): Part {
  return sql`${line} insert into events (at, action, actor_kind, actor_id, object_kind, object_id, owner_id, facts, remote_ip,
      request_id)
    select ${at}, case when n % 100000 = 0 then 'branding.changed' when n % 3 = 0 then 'file.downloaded' else 'message.sent' end,
      'user', ${ownerOf}, 'message', 'm' || substr('000000000000000000000' || n, -21), ${ownerOf}, '{}', '192.0.2.1', ''
    from line`;
}
