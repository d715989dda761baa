// Tables of messages and everything around them: recipients, proofs, sessions, requests, drops, mail. The conventions
// are those of schema.ts.
import type { Flag } from '../flag.ts';

/** A secure message (state machine SM3). Subject and text are sealed; addresses are not, because they are looked up. */
export interface MessagesTable {
  id: string;
  /** Who may withdraw it: the sender, or for answers and drops the person who received it. */
  owner_id: string;
  /** `sent` by the owner, or a submission to them. */
  origin: 'sent' | 'request' | 'filedrop';
  sender: string;
  sender_name: string;
  /** 0 when an outside sender's address was typed and never proven. */
  is_sender_confirmed: Flag;
  subject_sealed: Buffer;
  /** Always plain text; of a formatted message what it says without its format. */
  body_sealed: Buffer;
  /** The same as cleaned HTML, when it was sent as such. */
  html_sealed: Buffer | null;
  audience: number;
  download_limit: number | null;
  is_private: Flag;
  send_receipts: Flag;
  /** The language its sender chose for the mails; empty when they chose none. */
  mail_language: string;
  expires_on: string;
  expires_at: number;
  size_bytes: number;
  state: 'active' | 'released' | 'revoked';
  /** The File Request it answers. */
  request_id: string | null;
  /** The drop page of a function where it was handed in. */
  system_drop_id: string | null;
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
  /** First press on Read message, for private messages. */
  read_at: number | null;
  /** How often a private message was opened; limited like downloads. */
  read_count: number;
  revoked_at: number | null;
  /** The right address, when this one was corrected; empty otherwise. */
  replaced_by: string;
  /** Download limit of this recipient; null for that of the message. */
  download_limit: number | null;
  reminder_count: number;
  reminded_at: number | null;
  /** Of the address, so that everything sent to a domain is found. */
  domain: string;
  /** `created_at` of the message, so that what was sent to an address or a domain is found in order of time. */
  sent_at: number;
}

/** Who looked at the page of a message. A log: nothing depends on it, and it has a limit for each message. */
export interface MessageVisitsTable {
  message_id: string;
  /** The confirmed address, or a hash of network and browser for unknown visitors. */
  visitor: string;
  /** Proven address; empty when unknown. */
  address: string;
  first_at: number;
  last_at: number;
  count: number;
  browser: string;
  device: string;
  network: string;
  country: string;
  /** 1: looks like a program that follows links in mails. */
  is_scanner: Flag;
}

export interface MessageAttachmentsTable {
  message_id: string;
  attachment_id: string;
  position: number;
}

/** Files that the sender removed from a sent message: no longer available, still listed in the tracker. */
export interface RemovedMessageFilesTable {
  message_id: string;
  attachment_id: string;
  position: number;
  removed_at: number;
}

/** Downloads used: one row for all visitors at level 0, one per proven address otherwise (state machine SM4). */
export interface CountersTable {
  message_id: string;
  attachment_id: string;
  identity: string;
  used: number;
}

/** Codes mailed to prove an address (security D10). Only keyed hashes are kept. */
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
  /** Of the token in the mail's button; null for codes made before there was one. */
  link_hash: Buffer | null;
  /** The button serves once, apart from the code. */
  link_state: 'open' | 'used';
  /** The delivery to a drop page that waits for this address to be proven. */
  drop_key_id: string | null;
  /** 1: there is no such target, so that it does not count against the address. */
  is_unknown: Flag;
}

/** A browser that has proven an address (security D3: never shared with sessions). */
export interface ProofsTable {
  id_hash: Buffer;
  address: string;
  created_at: number;
  expires_at: number;
}

export interface SessionsTable {
  id_hash: Buffer;
  user_id: string;
  /** `pending` waits for the second factor and opens nothing. */
  state: 'active' | 'pending';
  /** "Keep me signed in": ends by its age alone, not by being idle. */
  is_kept: Flag;
  created_at: number;
  active_at: number;
  expires_at: number;
  remote_ip: string;
  user_agent: string;
}

/** Reset and invitation links: single use, only a keyed hash is kept (state machine SM8). */
export interface OneTimeTokensTable {
  id_hash: Buffer;
  kind: 'reset' | 'invitation';
  user_id: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

/** A program that waits to be signed in through a browser. Only keyed hashes of its token and its code are kept. */
export interface PairingsTable {
  token_hash: Buffer;
  code_hash: Buffer;
  /** What the program calls itself; the name of its key. */
  name: string;
  /** Where it runs, shown to the person before they confirm. */
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

/** The drop page of a function; people have theirs in `users`. */
export interface SystemDropsTable {
  id: string;
  /** The last part of its address. */
  name: string;
  title: string;
  intro: string;
  /** Ids of people, as a list: the first who can receive keeps the files. */
  receivers: string;
  /** MB; null for what the group of the first receiver permits. */
  max_size: number | null;
  /** Empty for what that group permits. */
  file_types: string;
  confirms_sender: Flag;
  is_open: Flag;
  created_at: number;
  updated_at: number;
}

/** Keys handed to programs that deliver to a drop page: one day, one delivery (security D28). */
export interface DropKeysTable {
  id: string;
  lookup: Buffer;
  owner_id: string;
  drop_name: string;
  /** A delivery that waits until its sender has proven their address. */
  pending_sealed: Buffer | null;
  state: 'open' | 'used';
  created_at: number;
  expires_at: number;
  /** Where the first file under it came from. */
  network: string;
  /** When that was; null while nothing was uploaded under it. */
  opened_at: number | null;
  /** When something last was. */
  active_at: number;
}

/** The name a user gave to a contact; shown to that user only. */
export interface ContactNamesTable {
  owner_id: string;
  address: string;
  name: string;
  updated_at: number;
}

/** What the person who handed files in can look at afterwards: who got them, when, which, with checksums. */
export interface UploaderReceiptsTable {
  /** Also the secret address of its page; not the reference in mails. */
  id: string;
  /** Of the place and the files: the same delivery, sent again after a lost answer, finds its receipt. */
  submission_hash: Buffer;
  owner_id: string;
  receipt_sealed: Buffer;
  created_at: number;
  expires_at: number;
}

/** Queued mails (state machine SM7). The payload is sealed; one row, one mail, one person. */
export interface OutboxTable {
  id: string;
  kind: string;
  recipient: string;
  owner_id: string;
  message_id: string | null;
  link_id: string | null;
  request_id: string | null;
  /** Rows of one key are merged into one mail while they wait. */
  group_key: string | null;
  payload_sealed: Buffer;
  state: 'pending' | 'sending' | 'sent' | 'failed' | 'cancelled';
  attempts: number;
  next_at: number;
  lease_ends_at: number;
  /** After this there is no point in sending it (codes). */
  expires_at: number | null;
  server_text: string;
  created_at: number;
  finished_at: number | null;
}

/** First downloads, one row per target, file and person: what receipts tell, each once. */
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
