// All messages, links, file requests and deliveries of all users, newest first. Each of the three tables is read by an
// index in order of time and merged here, so a page takes the same time after years. Decrypts nothing.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type {
  TransferFilter,
  TransferHead,
  TransferKind,
  TransferPlace,
  TransferScope,
  TransferState,
} from '../../domain/transfers.ts';
import type { Query } from '../schema/schema.ts';
import { isInReach } from '../users/reach.ts';

type Condition = RawBuilder<SqlBool>;
type Wanted = TransferFilter & { scope: TransferScope };

interface HeadRow {
  id: string;
  owner_id: string;
  kind: TransferKind;
  state: string;
  sender: string | null;
  size_bytes: number;
  expires_on: string;
  expires_at: number;
  created_at: number;
}

/** One of the three tables: its kinds, its names of states, and its rows. */
interface Source {
  kinds: readonly TransferKind[];
  /** Null: no row has this state. */
  states: Record<TransferState, (now: number) => Condition | null>;
  /** If it has more than one kind. */
  kindIs(kinds: readonly TransferKind[]): Condition[];
  columns: RawBuilder<unknown>;
  /** `t` is the table; `r`, if any, leads to it in order of time. */
  from(wanted: Wanted): { tables: RawBuilder<unknown>; conditions: Condition[]; time: RawBuilder<unknown> };
}

const plainTime = sql`t.created_at, t.id`;
const shared = (stopped: string): Source['states'] => ({
  // The concatenation prevents the use of an index by state, which would find and sort all of them.
  open: (now) => sql`(t.state || '') = 'active' and t.expires_at > ${now}`,
  expired: (now) => sql`(t.state || '') in ('active', 'released') and t.expires_at <= ${now}`,
  stopped: () => sql`t.state = ${sql.lit(stopped)}`,
  answered: () => null,
});

const originOf = { message: 'sent', answer: 'request', drop: 'filedrop' } as const;

const messages: Source = {
  kinds: ['message', 'answer', 'drop'],
  states: shared('revoked'),
  kindIs(kinds) {
    const origins = (['message', 'answer', 'drop'] as const).filter((kind) => kinds.includes(kind));
    if (origins.length === 3) return [];
    const isOrigin: Condition = sql`t.origin in (${sql.join(origins.map((kind) => sql.lit(originOf[kind])))})`;
    // The condition of the partial index, so that it is used.
    return origins.includes('message') ? [isOrigin] : [isOrigin, sql`t.origin <> 'sent'`];
  },
  columns: sql`t.id, t.owner_id, case t.origin when 'sent' then 'message' when 'request' then 'answer' else 'drop' end as kind,
    t.state, case when t.origin = 'sent' then null else t.sender end as sender, t.size_bytes, t.expires_on, t.expires_at,
    t.created_at`,
  from({ recipient, domain }) {
    if (recipient === null && domain === null) return { tables: sql`messages as t`, conditions: [], time: plainTime };
    const conditions: Condition[] = [sql`t.id = r.message_id`, sql`r.state = 'active'`];
    if (recipient !== null) conditions.push(sql`r.address = ${recipient}`);
    if (domain !== null) conditions.push(sql`r.domain = ${domain}`);
    // With a cross join SQLite keeps this order, in which an index returns the rows by time.
    return {
      tables: sql`message_recipients as r cross join messages as t`,
      conditions,
      time: sql`r.sent_at, r.message_id`,
    };
  },
};

const links: Source = {
  kinds: ['link'],
  states: shared('deleted'),
  kindIs: () => [],
  columns: sql`t.id, t.owner_id, 'link' as kind, t.state, null as sender,
    (select size_bytes from attachments where attachments.id = t.attachment_id) as size_bytes, t.expires_on, t.expires_at,
    t.created_at`,
  from({ recipient, domain }) {
    const conditions: Condition[] = recipient === null && domain === null ? [] : [sql`1 = 0`];
    return { tables: sql`file_links as t`, conditions, time: plainTime };
  },
};

const requests: Source = {
  kinds: ['request'],
  states: {
    open: (now) => sql`t.state = 'open' and t.expires_at > ${now}`,
    expired: (now) => sql`t.state = 'open' and t.expires_at <= ${now}`,
    stopped: () => sql`t.state = 'closed'`,
    answered: () => sql`t.state = 'used'`,
  },
  kindIs: () => [],
  columns: sql`t.id, t.owner_id, 'request' as kind, t.state, null as sender, 0 as size_bytes, t.expires_on, t.expires_at,
    t.created_at`,
  from({ recipient, domain }) {
    const conditions: Condition[] = [];
    if (recipient !== null) conditions.push(sql`t.recipient = ${recipient}`);
    if (domain !== null) conditions.push(sql`t.recipient_domain = ${domain}`);
    return { tables: sql`file_requests as t`, conditions, time: plainTime };
  },
};

const sources = [messages, links, requests];

/** Newest first, after `before`. */
export async function listTransfers(
  db: Query,
  wanted: Wanted,
  page: { before: TransferPlace | null; limit: number },
): Promise<TransferHead[]> {
  const found: TransferHead[] = [];
  for (const source of sourcesFor(wanted)) found.push(...(await readSource(db, source, wanted, page)));
  return found.sort(newestFirst).slice(0, page.limit);
}

export async function countTransfers(db: Query, wanted: Wanted): Promise<Map<TransferKind, number>> {
  const counts = new Map<TransferKind, number>();
  for (const source of sourcesFor(wanted)) {
    const { tables, conditions } = await selection(db, source, wanted);
    const { rows } = await sql<{ kind: TransferKind; count: number }>`
      select kind, count(*) as count from (select distinct ${source.columns} from ${tables} where ${all(conditions)}) as found
      group by kind`.execute(db);
    for (const row of rows) counts.set(row.kind, Number(row.count));
  }
  return counts;
}

function sourcesFor({ kinds, state }: Wanted): Source[] {
  return sources.filter(
    (source) =>
      source.kinds.some((kind) => kinds.includes(kind)) && (state === null || source.states[state](0) !== null),
  );
}

async function readSource(
  db: Query,
  source: Source,
  wanted: Wanted,
  { before, limit }: { before: TransferPlace | null; limit: number },
): Promise<TransferHead[]> {
  const { tables, conditions, time } = await selection(db, source, wanted);
  const descending = sql.join(
    time === plainTime ? [sql`t.created_at desc`, sql`t.id desc`] : [sql`r.sent_at desc`, sql`r.message_id desc`],
  );
  const found = new Map<string, TransferHead>();
  // Several recipients of one domain lead to the same message, so more rows must be read.
  for (let place = before; ; ) {
    const behind = place === null ? [] : [sql<SqlBool>`(${time}) < (${place.createdAt}, ${place.id})`];
    const { rows } = await sql<HeadRow>`select ${source.columns} from ${tables}
      where ${all([...conditions, ...behind])} order by ${descending} limit ${limit}`.execute(db);
    for (const row of rows) found.set(row.id, headOf(row, wanted.scope.now));
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit || found.size >= limit) return [...found.values()];
    place = { createdAt: Number(last.created_at), id: last.id };
  }
}

async function selection(db: Query, source: Source, wanted: Wanted) {
  const { tables, conditions, time } = source.from(wanted);
  const { scope } = wanted;
  const all: Condition[] = [...conditions, ...source.kindIs(wanted.kinds), isInReach('t.owner_id', scope)];
  if (wanted.ids !== null) all.push(wanted.ids.length === 0 ? sql`1 = 0` : sql`t.id in (${sql.join(wanted.ids)})`);
  if (wanted.ownerId !== null) all.push(sql`t.owner_id = ${wanted.ownerId}`);
  if (wanted.groupId !== null) all.push(await ownedByGroup(db, tables, wanted.groupId));
  if (wanted.createdFrom !== null) all.push(sql`t.created_at >= ${wanted.createdFrom}`);
  if (wanted.createdBefore !== null) all.push(sql`t.created_at < ${wanted.createdBefore}`);
  const isState = wanted.state === null ? null : source.states[wanted.state](scope.now);
  if (isState !== null) all.push(isState);
  return { tables, conditions: all, time };
}

/** With more members or transfers than this, reading all transfers in order of time is fast enough. */
const fewMembers = 2000;
const fewTransfers = 5000;

/** Few are found by owner and sorted; many by time, with a lookup of each owner. */
async function ownedByGroup(db: Query, tables: RawBuilder<unknown>, groupId: string): Promise<Condition> {
  const isMember: Condition = sql`exists (select 1 from users where users.id = t.owner_id and users.group_id = ${groupId})`;
  const members = sql`select id from users where group_id = ${groupId}`;
  if (await hasMoreThan(db, members, fewMembers)) return isMember;
  const theirs = sql`select 1 from ${tables} where t.owner_id in (${members})`;
  return (await hasMoreThan(db, theirs, fewTransfers)) ? isMember : sql`t.owner_id in (${members})`;
}

async function hasMoreThan(db: Query, rows: RawBuilder<unknown>, limit: number): Promise<boolean> {
  const { rows: counted } = await sql<{ count: number }>`select count(*) as count from
    (${rows} limit ${limit + 1}) as first_ones`.execute(db);
  return Number(counted[0]?.count) > limit;
}

function all(conditions: Condition[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` and `);
}

function newestFirst(one: TransferHead, other: TransferHead): number {
  return other.createdAt - one.createdAt || (other.id < one.id ? -1 : 1);
}

function headOf(row: HeadRow, now: number): TransferHead {
  return {
    id: row.id,
    kind: row.kind,
    state: stateOf(row.state, Number(row.expires_at) <= now),
    ownerId: row.owner_id,
    sender: row.sender,
    sizeBytes: Number(row.size_bytes ?? 0),
    expiresOn: row.expires_on,
    createdAt: Number(row.created_at),
  };
}

function stateOf(stored: string, isOver: boolean): TransferState {
  if (stored === 'revoked' || stored === 'deleted' || stored === 'closed') return 'stopped';
  if (stored === 'used') return 'answered';
  return stored === 'released' || isOver ? 'expired' : 'open';
}
