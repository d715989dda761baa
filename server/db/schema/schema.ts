// The tables as TypeScript types. Instants are milliseconds UTC, dates are `YYYY-MM-DD` text, booleans are 0 or 1,
// "never" and "unlimited" are null, encrypted values are bytes. To change a column, add a migration first.

import type { Kysely, Transaction } from 'kysely';
import type { Role } from '../../domain/roles.ts';
import type { ScanState } from '../../domain/scanning.ts';
import type { Keyring } from '../../lib/keyring.ts';
import type { Db as Connection } from '../engine/db.ts';
import type { Flag } from '../flag.ts';
import type { ApiKeysTable, PreferencesTable } from './accounts.ts';
import type { AttemptsTable, SignInNetworksTable } from './attempts.ts';
import type {
  DownloadDaysTable,
  DownloadRequestsTable,
  DownloadsTable,
  FileLinksTable,
  TicketFilesTable,
  TicketsTable,
  TransferReferencesTable,
} from './downloads.ts';
import type { EventStreamsTable, WebhookDeliveriesTable, WebhooksTable } from './event-receivers.ts';
import type {
  ErasuresTable,
  EventsTable,
  EvidenceCheckpointsTable,
  EvidenceKeysTable,
  EvidenceLogTable,
  EvidenceWitnessesTable,
} from './evidence.ts';
import type {
  DirectorySyncsTable,
  IdentitiesTable,
  SamlStatesTable,
  SignInAttemptsTable,
  SignInServicesTable,
  SignInTestsTable,
  UsedAssertionsTable,
} from './identity.ts';
import type { KeyEncryptionKeysTable, MailTokensTable, MetaTable, SettingsTable } from './installation.ts';
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
import type { PasskeysTable, RecoveryCodesTable, RememberedBrowsersTable, UsedChallengesTable } from './passkeys.ts';
import type { FileContentsTable, FileScansTable, MessageReviewsTable, ScanVerdictsTable } from './scanning.ts';
import type { ScimGroupsTable, ScimMembersTable, ScimTokensTable, ScimUsersTable } from './scim.ts';
import type { PolicyDocumentsTable, SendsTable } from './sends.ts';
import type {
  AccountAccessTable,
  ConsoleViewsTable,
  HandOverConfirmationsTable,
  LegalHoldsTable,
  StatementsTable,
} from './statements.ts';

export type * from './accounts.ts';
export type * from './attempts.ts';
export type * from './downloads.ts';
export type * from './event-receivers.ts';
export type * from './evidence.ts';
export type * from './identity.ts';
export type * from './installation.ts';
export type * from './jobs.ts';
export type * from './messages.ts';
export type * from './passkeys.ts';
export type * from './scanning.ts';
export type * from './scim.ts';
export type * from './sends.ts';
export type * from './statements.ts';

export interface GroupsTable {
  id: string;
  name: string;
  is_local: Flag;
  role: Role;
  policy: string;
  /** A new user joins the first group in this order whose domains match. */
  position: number;
  /** Domains of addresses of this group, as a list. */
  domains: string;
  /** Names or DNs of directory groups whose people belong to this group, as a list. */
  match_groups: string;
  /** Increases with every change. */
  version: number;
  is_shipped: Flag;
  created_at: number;
  updated_at: number;
}

export interface UsersTable {
  id: string;
  email: string;
  name: string;
  group_id: string;
  /**
   * 1: an administrator assigned the group, and no directory changes it. Null in rows of earlier versions: assigned
   * unless it is a default group.
   */
  is_group_assigned: Flag | null;
  state: 'active' | 'disabled' | 'deleted';
  password_hash: string | null;
  /** 1: an administrator has set the password, and the user must change it at the next sign-in. */
  must_change_password: Flag;
  sender_aliases: string;
  recipient_aliases: string;
  default_sender_alias: string;
  /** Which of the e-mail address and the aliases are confirmed, as a list. */
  proven_addresses: string;
  /** Name, address and aliases for searches: without capitals and accents. */
  search_text: string;
  client_key_sealed: Buffer | null;
  /** Bytes of the user's files, finished and unfinished. */
  stored_bytes: number;
  /** Bytes reserved for running uploads; see `reservations`. */
  reserved_bytes: number;
  /** Random name of the user's drop page; null if it was never used. */
  drop_name: string | null;
  /** 1: the user has closed the drop page. */
  is_drop_closed: Flag;
  /**
   * Secret of the authenticator app, encrypted; `totp_state` says whether it is in use. 'pending' is no longer used.
   */
  totp_sealed: Buffer | null;
  totp_state: 'off' | 'pending' | 'on';
  /** Last accepted time step, so that a code works once. */
  totp_last_step: number;
  /** Number of rows in `passkeys`. */
  passkey_count: number;
  /** Last number in the user's download log. */
  download_number: number;
  /** The language of pages and mails for this user; null if they have not chosen one. */
  language: string | null;
  created_at: number;
  updated_at: number;
  last_seen_at: number | null;
}

/** An unfinished upload. Its id becomes the id of the attachment. */
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
  /** As declared by the client. */
  declared_type: string | null;
  /** As detected in the first chunk. */
  detected_type: string | null;
  chunks: number;
  state: 'open' | 'sealing' | 'ready' | 'failed' | 'abandoned';
  part_count: number;
  received_bytes: number;
  has_conflict: Flag;
  /** The chunk that completed it. Null while chunks are missing, and once another upload of this name has begun. */
  last_part: number | null;
  data_key_wrapped: Buffer | null;
  key_encryption_key_id: number;
  created_at: number;
  active_at: number;
}

/** Stored chunks of an upload, and then of the attachment with the same id. */
export interface PartsTable {
  upload_id: string;
  number: number;
  blob_key: string;
  size_bytes: number;
  /** Empty; in clear only in rows of versions that did not seal checksums, until a job seals them. */
  sha256: string;
  /** 0; as `sha256`. */
  crc32: number;
  /** CRC-32 and SHA-256 of the chunk. Null in old rows. */
  checksums_sealed: Buffer | null;
}

export interface AttachmentsTable {
  id: string;
  owner_id: string;
  /** As in uploads; only this source may deliver it. Empty once delivered. */
  source: string;
  name_sealed: Buffer;
  size_bytes: number;
  content_type: string;
  /** Empty; in clear only in rows of versions that did not seal checksums, until a job seals them. */
  sha256: string;
  /** As `sha256`. */
  crc32: string;
  /** CRC-32, and SHA-256 once it is known. Null in old rows, and once the owner was erased. */
  checksums_sealed: Buffer | null;
  state: 'sealing' | 'ready' | 'damaged' | 'failed' | 'erased';
  /** Number of live messages and links that share it. */
  reference_count: number;
  /** Null once it is destroyed. If `erased` with a key, only a legal hold retains the file. */
  data_key_wrapped: Buffer | null;
  key_encryption_key_id: number;
  created_at: number;
  processed_at: number | null;
  /** Erased when the uptime of the service reaches this. Null while a message or link shares the file. */
  erase_after_uptime: number | null;
  /** Whether others than the uploader may have it: `waiting` for a verdict, `held` in quarantine. */
  scan_state: ScanState;
  /** 1: its owner received it from a person outside. */
  is_from_outside: Flag;
}

/** Stored bytes whose rows are gone and which must be removed from the store. */
export interface BlobErasuresTable {
  blob_key: string;
  erase_after: number;
}

/**
 * Bytes that are being received and have no row yet. The receiving process renews the lease; the sweep for orphaned
 * bytes skips them until it expires.
 */
export interface BlobLeasesTable {
  blob_key: string;
  /** The receiving process. */
  holder: string;
  expires_at: number;
}

/** Bytes reserved for a running request; released when it expires. */
export interface ReservationsTable {
  id: string;
  owner_id: string;
  reserved_bytes: number;
  expires_at: number;
  /** `drop:<key id>`: reserved from the limit of a drop page; empty: from the owner's quota. */
  source: string;
}

/** Stored answers of requests with an Idempotency-Key. */
export interface IdempotencyTable {
  owner_id: string;
  key_hash: Buffer;
  request_hash: Buffer;
  answer_sealed: Buffer;
  created_at: number;
}

/** Programs that call with an API key. */
export interface ClientSightingsTable {
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  /** Name of the program, from its user agent. */
  client: string;
  version: string;
  /** '' for successful calls, else the code of the refusal. */
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
  file_contents: FileContentsTable;
  file_scans: FileScansTable;
  message_reviews: MessageReviewsTable;
  scan_verdicts: ScanVerdictsTable;
  blob_erasures: BlobErasuresTable;
  blob_leases: BlobLeasesTable;
  file_links: FileLinksTable;
  transfer_references: TransferReferencesTable;
  tickets: TicketsTable;
  ticket_files: TicketFilesTable;
  downloads: DownloadsTable;
  download_days: DownloadDaysTable;
  download_requests: DownloadRequestsTable;
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
  mail_tokens: MailTokensTable;
  sign_in_services: SignInServicesTable;
  identities: IdentitiesTable;
  directory_syncs: DirectorySyncsTable;
  saml_states: SamlStatesTable;
  used_assertions: UsedAssertionsTable;
  scim_tokens: ScimTokensTable;
  scim_users: ScimUsersTable;
  scim_groups: ScimGroupsTable;
  scim_members: ScimMembersTable;
  sign_in_attempts: SignInAttemptsTable;
  sign_in_tests: SignInTestsTable;
  webhooks: WebhooksTable;
  webhook_deliveries: WebhookDeliveriesTable;
  event_streams: EventStreamsTable;
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
  passkeys: PasskeysTable;
  used_challenges: UsedChallengesTable;
  recovery_codes: RecoveryCodesTable;
  remembered_browsers: RememberedBrowsersTable;
}

/** A connection without the keys of the installation: enough for migrations and a few facts. */
export type LockedDb = Connection<Tables>;

/** The parameter of a prepared query: it knows tables, but no values. */
export type Builder = Kysely<Tables>;

/** Encrypts and decrypts columns. Part of the connection, so that queries take and return plain text. */
export type Sealer = Pick<Keyring, 'seal' | 'open' | 'sealText' | 'openText'>;

/** A connection or a transaction. */
export type Query = Kysely<Tables> & { readonly keys: Sealer };
export type Tx = Transaction<Tables> & { readonly keys: Sealer };

/** The connection for actions and jobs. */
export interface Db extends Omit<LockedDb, 'read' | 'write'> {
  read: Query;
  write<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
}
