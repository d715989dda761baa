// Tables of messages, recipients, confirmed addresses, sessions, file requests, drop pages and mails. The conventions
// are those of schema.ts.
import type { Flag } from '../flag.ts';

/** A secure message. Subject and text are encrypted; addresses are not, because they are looked up. */
export interface MessagesTable {
  id: string;
  /** The sender, or for answers and deliveries the user who received it. */
  owner_id: string;
  /** `sent` by the owner, or delivered to them by an outside person. */
  origin: 'sent' | 'request' | 'filedrop';
  sender: string;
  sender_name: string;
  /** 0 when an outside sender did not confirm the address. */
  is_sender_confirmed: Flag;
  subject_sealed: Buffer;
  /** Always plain text, also of a formatted message. */
  body_sealed: Buffer;
  /** The formatted text as sanitised HTML. */
  html_sealed: Buffer | null;
  audience: number;
  download_limit: number | null;
  is_private: Flag;
  send_receipts: Flag;
  /** The language that the sender chose for the mails; empty for none. */
  mail_language: string;
  expires_on: string;
  expires_at: number;
  size_bytes: number;
  state: 'active' | 'released' | 'revoked';
  /** The file request that it answers. */
  request_id: string | null;
  /** The drop page of a function to which it was delivered. */
  system_drop_id: string | null;
  /** `waiting`: a second person decides before anyone else gets it. Null if none has to. */
  review_state: 'waiting' | 'released' | 'refused' | null;
  /** When the job checked whether to send the expiry notice; no notice if all recipients had downloaded. */
  expiry_told_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface MessageRecipientsTable {
  message_id: string;
  address: string;
  role: 'to' | 'cc' | 'bcc';
  position: number;
  state: 'active' | 'revoked';
  /** When a private message was first opened. */
  read_at: number | null;
  /** How often a private message was opened; limited like downloads. */
  read_count: number;
  revoked_at: number | null;
  /** The correct address, if this one was corrected; else empty. */
  replaced_by: string;
  /** Download limit of this recipient; null for that of the message. */
  download_limit: number | null;
  reminder_count: number;
  reminded_at: number | null;
  /** The domain of the address, for searches. */
  domain: string;
  /** `created_at` of the message, for searches in order of time. */
  sent_at: number;
}

/** Visitors of the page of a message. Only a log, limited for each message. */
export interface MessageVisitsTable {
  message_id: string;
  /** The confirmed address, or a hash of network and program for unknown visitors. */
  visitor: string;
  /** Confirmed address; empty if unknown. */
  address: string;
  first_at: number;
  last_at: number;
  count: number;
  browser: string;
  device: string;
  network: string;
  country: string;
  /** 1: probably a program that follows links in mails. */
  is_scanner: Flag;
}

export interface MessageAttachmentsTable {
  message_id: string;
  attachment_id: string;
  position: number;
}

/** Files that the sender removed from a sent message; the tracker still shows their names. */
export interface RemovedMessageFilesTable {
  message_id: string;
  attachment_id: string;
  position: number;
  removed_at: number;
}

/** Downloads used: one row for all visitors at level 0, else one per confirmed address. */
export interface CountersTable {
  message_id: string;
  attachment_id: string;
  identity: string;
  used: number;
}

/** Codes mailed to confirm an address. Only keyed hashes are stored. */
export interface CodesTable {
  id: string;
  address: string;
  target: string;
  nonce_hash: Buffer;
  code_hash: Buffer;
  tries: number;
  state: 'issued' | 'used' | 'burned';
  created_at: number;
  expires_at: number;
  network: string;
  /** Of the token in the button of the mail; null in old rows. */
  link_hash: Buffer | null;
  /** The button works once, independently of the code. */
  link_state: 'open' | 'used';
  /** The delivery to a drop page that waits for this address to be confirmed. */
  drop_key_id: string | null;
  /** 1: the target does not exist, so the code does not count against the address. */
  is_unknown: Flag;
}

/** A browser that has confirmed an address; separate from sessions. */
export interface ProofsTable {
  id_hash: Buffer;
  address: string;
  /** The passkey that proved the address; empty for a mailed code. */
  passkey_id: string;
  created_at: number;
  expires_at: number;
}

export interface SessionsTable {
  id_hash: Buffer;
  user_id: string;
  /** `pending` waits for the second factor and grants no access. */
  state: 'active' | 'pending';
  /** "Keep me signed in": ends by age only, not after inactivity. */
  is_kept: Flag;
  /** 1: it began with a second step that is no authenticator app, such as that of a sign-in service. */
  has_second_step: Flag;
  created_at: number;
  active_at: number;
  expires_at: number;
  remote_ip: string;
  user_agent: string;
}

/** Links to choose a password, for invitations and resets: single use, only a keyed hash is stored. */
export interface OneTimeTokensTable {
  id_hash: Buffer;
  kind: 'reset' | 'invitation';
  user_id: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

/** A program that waits to be signed in through a browser. Only keyed hashes of its token and its code are stored. */
export interface PairingsTable {
  token_hash: Buffer;
  code_hash: Buffer;
  /** The name that the program gives itself, and that of its key. */
  name: string;
  /** Where it runs, shown to the user before they confirm. */
  address: string;
  state: 'waiting' | 'allowed' | 'refused' | 'claimed';
  /** Who confirmed or refused. */
  user_id: string | null;
  created_at: number;
  expires_at: number;
}

export interface FileRequestsTable {
  id: string;
  owner_id: string;
  recipient: string;
  recipient_domain: string;
  subject_sealed: Buffer;
  body_sealed: Buffer;
  is_reusable: Flag;
  expires_on: string;
  expires_at: number;
  state: 'open' | 'used' | 'closed';
  answered_at: number | null;
  created_at: number;
  updated_at: number;
}

/** The drop page of a function; those of users are in `users`. */
export interface SystemDropsTable {
  id: string;
  /** The last part of its address. */
  name: string;
  title: string;
  intro: string;
  /** Ids of users, as a list: the first who can receive owns the files. */
  receivers: string;
  /** MB; null for the limit of the group of the first receiver. */
  max_size: number | null;
  /** Empty for what that group permits. */
  file_types: string;
  confirms_sender: Flag;
  is_open: Flag;
  created_at: number;
  updated_at: number;
}

/** Keys of programs that deliver to a drop page: valid for one day and one delivery. */
export interface DropKeysTable {
  id: string;
  lookup: Buffer;
  owner_id: string;
  drop_name: string;
  /** A delivery that waits until its sender has confirmed the address. */
  pending_sealed: Buffer | null;
  state: 'open' | 'used';
  created_at: number;
  expires_at: number;
  /** The network of the first upload. */
  network: string;
  /** The time of the first upload; null if there is none. */
  opened_at: number | null;
  /** The time of the last upload. */
  active_at: number;
}

/** The name that a user gave to a contact; only that user sees it. */
export interface ContactNamesTable {
  owner_id: string;
  address: string;
  name: string;
  updated_at: number;
}

/** What outside senders can see after a delivery: receivers, time, files with checksums. */
export interface UploaderReceiptsTable {
  /** Also the secret address of its page; not the reference in mails. */
  id: string;
  /** Hash of place and files: a delivery that is sent again after a lost answer finds its receipt. */
  submission_hash: Buffer;
  owner_id: string;
  receipt_sealed: Buffer;
  created_at: number;
  expires_at: number;
}

/** Queued mails. One row is one mail to one person; the payload is encrypted. */
export interface OutboxTable {
  id: string;
  kind: string;
  recipient: string;
  owner_id: string;
  message_id: string | null;
  link_id: string | null;
  request_id: string | null;
  /** Rows with the same key are merged into one mail while they wait. */
  group_key: string | null;
  payload_sealed: Buffer;
  /** `held`: waited when the installation was restored; an administrator sends or drops it. */
  state: 'pending' | 'sending' | 'sent' | 'failed' | 'cancelled' | 'held';
  attempts: number;
  next_at: number;
  lease_ends_at: number;
  /** After this the mail is useless (codes). */
  expires_at: number | null;
  server_text: string;
  created_at: number;
  finished_at: number | null;
}

/** First downloads, one row per target, file and person, so that receipts report each once. */
export interface ReceiptLinesTable {
  /** `message:<id>` or `link:<id>`. */
  target: string;
  attachment_id: string;
  recipient: string;
  owner_id: string;
  download_number: number;
  created_at: number;
  mailed_at: number | null;
}
