// Every instant in the tables, and how it is corrected after a clock that was ahead: most are records, others make
// something wait. A missing column or name in `meta` does not compile.
import { type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely';
import type { Query, Tables } from '../schema/schema.ts';

type Db = Pick<Query, 'selectFrom' | 'getExecutor'>;
type Tx = Transaction<Tables>;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Machines may differ by this much. */
const toleranceMs = minuteMs;
/** A time step of a code of an authenticator app. */
const totpStepMs = 30_000;

export interface Wait {
  /** Wrong when it is later than now by more than this. */
  laterThanMs: number;
  /** Its new value: now, 0, now plus the permitted time; or the row is deleted. */
  becomes: 'now' | 'free' | 'limit' | 'gone';
  where?: RawBuilder<SqlBool>;
  /** The unit of the column; milliseconds by default. */
  unitMs?: number;
}

/** `record`: nothing waits for it. `with`: an end that moves with the beginning in that column. */
type Rule<Column> = 'record' | Wait | { with: Column };

type InstantOf<Table> = Extract<
  keyof Table & string,
  `${string}_at` | `${string}_since` | 'at' | 'erase_after' | 'totp_last_step'
>;
type Instants = {
  [Name in keyof Tables as InstantOf<Tables[Name]> extends never ? never : Name]: {
    [Column in InstantOf<Tables[Name]>]: Rule<InstantOf<Tables[Name]>>;
  };
};

const record = 'record';
const past: Wait = { laterThanMs: 0, becomes: 'now' };
const forgotten: Wait = { laterThanMs: toleranceMs, becomes: 'gone' };
const lease: Wait = { laterThanMs: hourMs, becomes: 'free' };
const isWaiting = sql<SqlBool>`state in ('pending', 'sending')`;

/** A date that a user or operator chose, such as the end of a link, is a record: it was shown to them. */
export const instants: Instants = {
  settings: { updated_at: record },
  key_encryption_keys: { created_at: past },
  groups: { created_at: record, updated_at: record },
  users: {
    created_at: record,
    updated_at: record,
    last_seen_at: past,
    totp_last_step: { ...past, unitMs: totpStepMs },
  },
  api_keys: { created_at: record, last_used_at: past, replaced_at: past, expires_at: { with: 'replaced_at' } },
  preferences: { updated_at: record },
  uploads: { created_at: record, active_at: past },
  attachments: { created_at: record, processed_at: record },
  file_scans: {
    requested_at: record,
    next_at: { laterThanMs: hourMs, becomes: 'now' },
    scanned_at: record,
    held_at: record,
    released_at: record,
  },
  scan_verdicts: { scanned_at: past },
  file_contents: { inspected_at: past },
  message_reviews: { requested_at: record, decided_at: record },
  blob_erasures: { erase_after: past },
  blob_leases: { expires_at: { laterThanMs: hourMs, becomes: 'limit' } },
  file_links: { created_at: record, updated_at: record, expires_at: record },
  tickets: { issued_at: past, expires_at: { with: 'issued_at' }, progress_at: past },
  downloads: { granted_at: record, finished_at: record },
  download_requests: { started_at: record, ended_at: record, progress_at: record },
  reservations: { expires_at: { laterThanMs: 25 * hourMs, becomes: 'limit' } },
  events: { at: record },
  erasures: { created_at: past },
  evidence_log: { sealed_at: record },
  evidence_checkpoints: { created_at: record },
  evidence_keys: { created_at: record },
  evidence_witnesses: { witnessed_at: record, created_at: record, failing_since: record },
  idempotency: { created_at: past },
  attempts: { began_at: forgotten, window_ends_at: { laterThanMs: 25 * hourMs, becomes: 'gone' } },
  sign_in_networks: { last_at: past },
  console_views: { viewed_at: forgotten },
  jobs: { lease_ends_at: lease, last_run_at: record, failed_at: record },
  tasks: { created_at: record, updated_at: record, finished_at: record },
  messages: {
    created_at: record,
    updated_at: record,
    expires_at: record,
    expiry_told_at: record,
  },
  message_recipients: { read_at: record, revoked_at: record, reminded_at: record, sent_at: record },
  removed_message_files: { removed_at: record },
  message_visits: { first_at: past, last_at: past },
  codes: { created_at: past, expires_at: { with: 'created_at' } },
  proofs: { created_at: past, expires_at: { with: 'created_at' } },
  sessions: { created_at: past, active_at: past, expires_at: { with: 'created_at' } },
  passkeys: { created_at: record, last_used_at: record },
  used_challenges: { used_at: past },
  recovery_codes: { created_at: record },
  remembered_browsers: { created_at: past, used_at: past, expires_at: { with: 'created_at' } },
  one_time_tokens: { created_at: past, expires_at: { with: 'created_at' }, used_at: record },
  pairings: { created_at: past, expires_at: { with: 'created_at' } },
  file_requests: { created_at: record, updated_at: record, expires_at: record, answered_at: record },
  drop_keys: { created_at: past, expires_at: { with: 'created_at' }, opened_at: past, active_at: past },
  system_drops: { created_at: record, updated_at: record },
  storage_days: { at: forgotten },
  // The next backup and the next restore test depend on it.
  backup_runs: { started_at: forgotten, finished_at: record },
  outbox: {
    created_at: past,
    expires_at: { with: 'created_at' },
    next_at: { laterThanMs: 5 * hourMs, becomes: 'now', where: isWaiting },
    lease_ends_at: { ...lease, where: isWaiting },
    finished_at: past,
  },
  mail_tokens: {
    renew_at: { laterThanMs: 25 * hourMs, becomes: 'free' },
    expires_at: { laterThanMs: 25 * hourMs, becomes: 'free' },
    lease_ends_at: lease,
  },
  webhooks: {
    previous_secret_ends_at: record,
    first_failed_at: past,
    next_at: { laterThanMs: 2 * hourMs, becomes: 'now' },
    delivered_at: record,
    lease_ends_at: lease,
    created_at: record,
    updated_at: record,
  },
  webhook_deliveries: { at: record },
  event_streams: { first_failed_at: past, next_at: { laterThanMs: 2 * hourMs, becomes: 'now' }, delivered_at: record },
  sign_in_services: { created_at: record, updated_at: record },
  identities: { created_at: record, last_used_at: past, disabled_at: record },
  directory_syncs: { synced_at: past },
  saml_states: { fetched_at: past },
  used_assertions: { ends_at: record },
  scim_tokens: { created_at: record, last_used_at: past },
  scim_users: { created_at: record, updated_at: record, moved_at: past },
  scim_groups: { created_at: record, updated_at: record },
  sign_in_attempts: { at: past },
  sign_in_tests: { expires_at: { laterThanMs: hourMs, becomes: 'gone' } },
  receipt_lines: { created_at: record, mailed_at: record },
  uploader_receipts: { created_at: record, expires_at: record },
  contact_names: { updated_at: record },
  sends: { sent_at: record },
  statements: { created_at: { ...past, where: sql<SqlBool>`state = 'open'` }, finished_at: record },
  legal_holds: { set_at: record, lifted_at: record },
  account_access: { given_at: past },
  hand_over_confirmations: { asked_at: record, confirmed_at: record },
};

/** Names in `meta`, with a star for any ending: an instant that something waits for, a record, or no instant. */
export const metaKinds = {
  mail_rate_used_until: 'wait',
  'alerted/*': 'wait',
  certificate_end: 'record',
  credential_ends: 'other',
  checksums_in_clear: 'record',
  rewriting_owed_since: 'record',
  set_up: 'record',
  // Correcting the clock writes a new one.
  clock_high_water: 'record',
  'clock_high_water/*': 'record',
  acme_account: 'other',
  acme_certificate: 'other',
  acme_challenges: 'other',
  checksums_to_seal: 'other',
  clock_mended: 'other',
  database_place: 'other',
  installation_id: 'other',
  key_check: 'other',
  key_rotation: 'other',
  'logo_*': 'other',
  'named_until.*': 'other',
  quarantine: 'other',
  root_key: 'other',
  scanner_status: 'other',
  setup_token: 'other',
  shipped_groups: 'other',
  store_beat: 'other',
  uptime: 'other',
} as const;

type Named<Key> = Key extends `${infer Start}*` ? `${Start}${string}` : Key;
export type MetaKey = Named<keyof typeof metaKinds>;

const metaWaits = Object.entries(metaKinds).flatMap(([key, kind]) => (kind === 'wait' ? [key.replace('*', '%')] : []));

interface Place extends Wait {
  table: string;
  column: string;
  /** Columns whose distance from this one stays the same. */
  ends: string[];
}

const places: Place[] = Object.entries(instants).flatMap(([table, columns]) => {
  const rules = Object.entries(columns) as [string, Rule<string>][];
  return rules.flatMap(([column, rule]) => {
    if (rule === 'record' || 'with' in rule) return [];
    const ends = rules.flatMap(([end, other]) =>
      typeof other === 'object' && 'with' in other && other.with === column ? [end] : [],
    );
    return [{ ...rule, table, column, ends }];
  });
});

function isLater({ column, laterThanMs, unitMs = 1, where }: Place, now: number): RawBuilder<SqlBool> {
  const later = sql<SqlBool>`${sql.ref(column)} > ${Math.floor((now + laterThanMs) / unitMs)}`;
  return where === undefined ? later : sql<SqlBool>`${later} and ${where}`;
}

/** Corrects what a clock that was ahead has delayed, and deletes what is only true of a later time. */
export async function endFutureWaits(tx: Tx, now: number): Promise<void> {
  for (const place of places) {
    const { table, column, becomes, laterThanMs, unitMs = 1, ends } = place;
    const instant = Math.floor(becomes === 'free' ? 0 : (now + (becomes === 'limit' ? laterThanMs : 0)) / unitMs);
    const moved = ends.map((end) => sql`, ${sql.ref(end)} = ${instant} + (${sql.ref(end)} - ${sql.ref(column)})`);
    const change =
      becomes === 'gone'
        ? sql`delete from ${sql.table(table)}`
        : sql`update ${sql.table(table)} set ${sql.ref(column)} = ${instant}${sql.join(moved, sql``)}`;
    await sql`${change} where ${isLater(place, now)}`.execute(tx);
  }
  for (const { key } of await listFutureMeta(tx, now)) await tx.deleteFrom('meta').where('key', '=', key).execute();
}

export interface FutureInstant {
  /** Table and column, or the name in `meta`. */
  place: string;
  instant: number;
}

/** Small tables, and those with a suitable index. */
const watched: readonly string[] = ['jobs', 'outbox', 'backup_runs', 'storage_days', 'attempts', 'key_encryption_keys'];

/** What `endFutureWaits` would change; without `isThorough` only where the search is cheap. */
export async function listFutureInstants(db: Db, now: number, { isThorough = false } = {}): Promise<FutureInstant[]> {
  const found: FutureInstant[] = [];
  for (const place of places.filter(({ table }) => isThorough || watched.includes(table))) {
    const { table, column, unitMs = 1 } = place;
    // Small differences between machines are permitted.
    const late = isLater({ ...place, laterThanMs: Math.max(place.laterThanMs, toleranceMs) }, now);
    const { rows } = await sql<{ latest: number | null }>`
      select max(${sql.ref(column)}) as latest from ${sql.table(table)} where ${late}`.execute(db as Query);
    const latest = rows[0]?.latest ?? null;
    if (latest !== null) found.push({ place: `${table}.${column}`, instant: Number(latest) * unitMs });
  }
  const meta = await listFutureMeta(db, now);
  return [...found, ...meta.map(({ key, instant }) => ({ place: key, instant }))];
}

async function listFutureMeta(db: Db, now: number): Promise<{ key: string; instant: number }[]> {
  const rows = await db
    .selectFrom('meta')
    .selectAll()
    .where((eb) => eb.or(metaWaits.map((pattern) => eb('key', 'like', pattern))))
    .execute();
  return rows
    .map(({ key, value }) => ({ key, instant: Number(value) }))
    .filter(({ instant }) => instant > now + toleranceMs);
}
