// The tables as TypeScript types. Conventions: instants are milliseconds UTC, dates are `YYYY-MM-DD` text, booleans are
// 0 or 1, "never" and "unlimited" are null, sealed values are bytes. Changing a column: a migration, then this file.

import type { Kysely, Transaction } from 'kysely';
import type { Role } from '../../domain/roles.ts';
import type { Keyring } from '../../lib/keyring.ts';
import type { Db as Connection } from '../engine/db.ts';
import type { Flag } from '../flag.ts';
import type { AttemptsTable, SignInNetworksTable } from './attempts.ts';
import type {
  DownloadDaysTable,
  DownloadsTable,
  FileLinksTable,
  TicketFilesTable,
  TicketsTable,
  TransferReferencesTable,
} from './downloads.ts';
import type {
  ErasuresTable,
  EventsTable,
  EvidenceCheckpointsTable,
  EvidenceKeysTable,
  EvidenceLogTable,
  EvidenceWitnessesTable,
} from './evidence.ts';
import type { BackupRunsTable, JobsTable, ProcessesTable, StorageDaysTable, TasksTable } from './jobs.ts';
import type {
  CodesTable,
  ContactNamesTable,
  CountersTable,
  DropKeysTable,
  FileRequestsTable,
  MessageAttachmentsTable,
  MessageRecipientsTable,
  MessagesTable,
  MessageVisitsTable,
  OneTimeTokensTable,
  OutboxTable,
  PairingsTable,
  ProofsTable,
  ReceiptLinesTable,
  RemovedMessageFilesTable,
  SessionsTable,
  SystemDropsTable,
  UploaderReceiptsTable,
} from './messages.ts';
import type {
  AccountAccessTable,
  ConsoleViewsTable,
  HandOverConfirmationsTable,
  LegalHoldsTable,
  StatementsTable,
} from './statements.ts';

export type * from './attempts.ts';
export type * from './downloads.ts';
export type * from './evidence.ts';
export type * from './jobs.ts';
export type * from './messages.ts';
export type * from './statements.ts';

/** Small facts about the installation: key check value, clock high-water mark. */
export interface MetaTable {
  key: string;
  value: string;
}

/** What the administrator edits while it runs; one row, one document. */
export interface SettingsTable {
  id: number;
  document: string;
  version: number;
  updated_at: number;
}

/** Versions of the key that wraps file keys, each wrapped by the master key (security D6). */
export interface KeyEncryptionKeysTable {
  id: number;
  wrapped: Buffer;
  created_at: number;
}

export interface GroupsTable {
  id: string;
  name: string;
  is_local: Flag;
  role: Role;
  policy: string;
  /** The first group in this order whose domains fit takes a new person. */
  position: number;
  /** Domains of addresses that belong here, as a list. */
  domains: string;
  /** Grows with every change. */
  version: number;
  is_shipped: Flag;
  created_at: number;
  updated_at: number;
}

/** What groups have decided at some time, as documents: those that judged a send. */
export interface PolicyDocumentsTable {
  /** Hash of the document. */
  id: string;
  is_local: Flag;
  document: string;
}

/** What each message, link and request asked for, so that changed rules can be tried on it. Forgotten after 90 days. */
export interface SendsTable {
  /** Of the message, link or request. */
  id: string;
  kind: 'message' | 'link' | 'request';
  user_id: string;
  /** The sender's group at that time. */
  group_id: string;
  policy_id: string;
  /** Recipients, sizes, file extensions and choices; never a text or a name of a file. */
  facts: string;
  sent_at: number;
}

export interface UsersTable {
  id: string;
  email: string;
  name: string;
  group_id: string;
  state: 'active' | 'disabled' | 'deleted';
  password_hash: string | null;
  /** 1: an administrator has set the password, and the person chooses another one when they sign in. */
  must_change_password: Flag;
  sender_aliases: string;
  recipient_aliases: string;
  default_sender_alias: string;
  /** Which of the e-mail address and the aliases act, as a list: proven, or set by a System Administrator. */
  proven_addresses: string;
  /** Name, address and aliases as words are looked for in them: without capitals and accents. */
  search_text: string;
  client_key_sealed: Buffer | null;
  /** Bytes of files kept for this person, finished and unfinished. */
  stored_bytes: number;
  /** Bytes promised to uploads that are running; see `reservations`. */
  reserved_bytes: number;
  /** Random name of the person's drop page; null when it was never used. */
  drop_name: string | null;
  /** 1: the person has switched their drop page off. */
  is_drop_closed: Flag;
  /** Secret of the authenticator app, sealed; `totp_state` says whether it is in force. 'pending' is not used any more. */
  totp_sealed: Buffer | null;
  totp_state: 'off' | 'pending' | 'on';
  /** Last accepted time step, so that a code works once. */
  totp_last_step: number;
  /** Last number given to a line of this person's download log. */
  download_number: number;
  /** The language pages and mails speak to this person; null while they have not chosen one. */
  language: string | null;
  created_at: number;
  updated_at: number;
  last_seen_at: number | null;
}

/** Keys of people: one that is read back, and any number with names that are not (docs/adr/0030). */
export interface ApiKeysTable {
  id: string;
  user_id: string;
  lookup: Buffer;
  /** The key itself, for reading it back; no bytes for named keys, which are shown once. */
  sealed: Buffer;
  kind: 'account' | 'named';
  /** What its owner calls it; empty for the account's own. */
  name: string;
  /** First characters, to tell keys apart; empty for keys made before these were kept. */
  prefix: string;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  last_used_ip: string;
  /** A newer one has taken its place; it works until it expires. */
  replaced_at: number | null;
}

/** What a person chose for themselves; without a row the defaults of domain/preferences.ts apply. */
export interface PreferencesTable {
  user_id: string;
  /** Empty: that of the browser. */
  time_zone: string;
  theme: 'system' | 'light' | 'dark';
  has_shortcut_keys: Flag;
  /** How mails about downloads are collected. */
  receipts: 'at_once' | 'hourly' | 'daily' | 'off';
  has_reminders: Flag;
  /** Mails when files come by a request or the drop page. */
  has_request_notices: Flag;
  updated_at: number;
}

/** One upload being received (state machine SM1). Its id becomes the attachment's id. */
export interface UploadsTable {
  id: string;
  owner_id: string;
  family: 'message' | 'link';
  /** Who uploads it: '' for the owner, `drop:<key id>` or `request:<id>` for an outside person. */
  source: string;
  name_lookup: Buffer;
  name_sealed: Buffer;
  /** 1: found by name (clients that send no upload id); 0: found by id only. */
  is_named: Flag;
  /** Said by the client. */
  declared_type: string | null;
  /** Found in the first piece. */
  detected_type: string | null;
  chunks: number;
  state: 'open' | 'sealing' | 'ready' | 'failed' | 'abandoned';
  part_count: number;
  received_bytes: number;
  has_conflict: Flag;
  /** The piece that completed it. Null while pieces are missing, and once another upload of this name was begun. */
  last_part: number | null;
  data_key_wrapped: Buffer | null;
  key_encryption_key_id: number;
  created_at: number;
  active_at: number;
}

/** Stored pieces; they belong to an upload first, and to the attachment of the same id afterwards. */
export interface PartsTable {
  upload_id: string;
  number: number;
  blob_key: string;
  size_bytes: number;
  /** Empty; in clear only in rows of versions that did not seal checksums, until a job seals them. */
  sha256: string;
  /** 0; as `sha256`. */
  crc32: number;
  /** CRC-32 and SHA-256 of the chunk. Null in rows from before. */
  checksums_sealed: Buffer | null;
}

export interface AttachmentsTable {
  id: string;
  owner_id: string;
  /** As in uploads; only its own source may deliver it. Empty once delivered. */
  source: string;
  name_sealed: Buffer;
  size_bytes: number;
  content_type: string;
  /** Empty; in clear only in rows of versions that did not seal checksums, until a job seals them. */
  sha256: string;
  /** As `sha256`. */
  crc32: string;
  /** CRC-32, and SHA-256 once it is known. Null in rows from before, and once the owner was erased. */
  checksums_sealed: Buffer | null;
  state: 'sealing' | 'ready' | 'damaged' | 'failed' | 'erased';
  /** Live messages and links that hold it. */
  reference_count: number;
  /** Null once it is destroyed. With `erased` and a key, only a legal hold still keeps the file. */
  data_key_wrapped: Buffer | null;
  key_encryption_key_id: number;
  created_at: number;
  processed_at: number | null;
  /** Nothing holds the file: erased when the service's uptime reaches this (security D22). Null while it is held. */
  erase_after_uptime: number | null;
}

/** Stored bytes whose rows are gone and which still have to be removed from the store. */
export interface BlobErasuresTable {
  blob_key: string;
  erase_after: number;
}

/**
 * Bytes that have been arriving for minutes and that no row points at yet. The process that receives them renews the
 * lease; the sweep for orphans erases nothing under a lease that has not expired.
 */
export interface BlobLeasesTable {
  blob_key: string;
  /** The process that receives the bytes. */
  holder: string;
  expires_at: number;
}

/** Bytes promised to a request in flight; survives a crash and is then taken back. */
export interface ReservationsTable {
  id: string;
  owner_id: string;
  reserved_bytes: number;
  expires_at: number;
  /** `drop:<key id>`: promised out of the reserve of a drop page; empty: out of the owner's quota. */
  source: string;
}

/** Remembered answers of creations sent with an Idempotency-Key (security D27). */
export interface IdempotencyTable {
  owner_id: string;
  key_hash: Buffer;
  request_hash: Buffer;
  answer_sealed: Buffer;
  created_at: number;
}

/** Which programs call with an API key. */
export interface ClientSightingsTable {
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  /** Name of the program, from its user agent. */
  client: string;
  version: string;
  /** '' for calls that went well, else the code of the refusal. */
  code: string;
  calls: number;
}

export interface Tables {
  meta: MetaTable;
  settings: SettingsTable;
  key_encryption_keys: KeyEncryptionKeysTable;
  groups: GroupsTable;
  users: UsersTable;
  api_keys: ApiKeysTable;
  preferences: PreferencesTable;
  uploads: UploadsTable;
  parts: PartsTable;
  attachments: AttachmentsTable;
  blob_erasures: BlobErasuresTable;
  blob_leases: BlobLeasesTable;
  file_links: FileLinksTable;
  transfer_references: TransferReferencesTable;
  tickets: TicketsTable;
  ticket_files: TicketFilesTable;
  downloads: DownloadsTable;
  download_days: DownloadDaysTable;
  reservations: ReservationsTable;
  events: EventsTable;
  erasures: ErasuresTable;
  evidence_log: EvidenceLogTable;
  evidence_checkpoints: EvidenceCheckpointsTable;
  evidence_keys: EvidenceKeysTable;
  evidence_witnesses: EvidenceWitnessesTable;
  idempotency: IdempotencyTable;
  attempts: AttemptsTable;
  sign_in_networks: SignInNetworksTable;
  client_sightings: ClientSightingsTable;
  jobs: JobsTable;
  processes: ProcessesTable;
  tasks: TasksTable;
  messages: MessagesTable;
  message_recipients: MessageRecipientsTable;
  message_attachments: MessageAttachmentsTable;
  removed_message_files: RemovedMessageFilesTable;
  message_visits: MessageVisitsTable;
  counters: CountersTable;
  codes: CodesTable;
  proofs: ProofsTable;
  sessions: SessionsTable;
  one_time_tokens: OneTimeTokensTable;
  pairings: PairingsTable;
  file_requests: FileRequestsTable;
  drop_keys: DropKeysTable;
  system_drops: SystemDropsTable;
  storage_days: StorageDaysTable;
  backup_runs: BackupRunsTable;
  outbox: OutboxTable;
  receipt_lines: ReceiptLinesTable;
  uploader_receipts: UploaderReceiptsTable;
  contact_names: ContactNamesTable;
  policy_documents: PolicyDocumentsTable;
  sends: SendsTable;
  statements: StatementsTable;
  legal_holds: LegalHoldsTable;
  account_access: AccountAccessTable;
  console_views: ConsoleViewsTable;
  hand_over_confirmations: HandOverConfirmationsTable;
}

/** A connection before the installation's keys are known: enough for migrations and the installation's own facts. */
export type LockedDb = Connection<Tables>;

/** What a kept statement is built from: it sees tables, never values. */
export type Builder = Kysely<Tables>;

/** Seals and opens columns. It belongs to the connection, so that queries take and give plain text. */
export type Sealer = Pick<Keyring, 'seal' | 'open' | 'sealText' | 'openText'>;

/** Either side of the connection: for queries that run inside or outside a transaction. */
export type Query = Kysely<Tables> & { readonly keys: Sealer };
export type Tx = Transaction<Tables> & { readonly keys: Sealer };

/** What actions and jobs get: see `LockedDb` for the meaning of the rest. */
export interface Db extends Omit<LockedDb, 'read' | 'write'> {
  read: Query;
  write<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
}
