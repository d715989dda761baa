// The tables of links, of the tickets that hand files out, and of what was downloaded; the conventions of schema.ts.
import type { Flag } from '../flag.ts';

export interface FileLinksTable {
  id: string;
  owner_id: string;
  attachment_id: string;
  expires_on: string;
  /** First instant after the last day. */
  expires_at: number;
  password_hash: string | null;
  /** How often a password was set: tickets issued before the latest are void. */
  password_version: number;
  send_receipt: Flag;
  require_sign_in: Flag;
  state: 'active' | 'released' | 'deleted';
  created_at: number;
  updated_at: number;
}

/** The right to fetch one file or one archive, handed out by a press on Download; only a hash of its id is kept. */
export interface TicketsTable {
  id_hash: Buffer;
  /** Of an archive the first file. */
  attachment_id: string;
  /** 1: one archive of the files in `ticket_files`. */
  is_archive: Flag;
  owner_id: string;
  link_id: string | null;
  message_id: string | null;
  recipient: string;
  kind: 'visitor' | 'owner';
  /** Who the counter belongs to: '' for all visitors at level 0, else the proven address. */
  identity: string;
  /** The account through which the recipient's address was theirs; null when a code proved it, or nothing did. */
  account_id: string | null;
  issued_at: number;
  expires_at: number;
  /** Number of the log line, once the first byte was granted; the files of an archive follow it one by one. */
  download_number: number | null;
  /** Bytes handed to the network under this ticket, over all requests. */
  served_bytes: number;
  /** Of the browser it was issued to: of its visitor cookie, or of its session; null for programs. */
  visitor_hash: Buffer | null;
  /** Where it was issued; empty for those from before this was kept. */
  network: string;
  /** 1: something without that browser's cookies has fetched bytes under it, like a phone's download helper. */
  is_helped: Flag;
  /** `password_version` of its link when it was issued. */
  password_version: number;
  /** Requests that were granted bytes and are not in the log yet; too high after a crash. Of no meaning once the body is whole. */
  unsettled: number;
  /** When a request under it last said that bytes flow: a ticket in use is not deleted. */
  progress_at: number | null;
}

/** What an archive holds, in its order. */
export interface TicketFilesTable {
  id_hash: Buffer;
  position: number;
  attachment_id: string;
}

/** The download log (state machine SM4). Numbered per owner, so that a number tells nothing about others. */
export interface DownloadsTable {
  owner_id: string;
  number: number;
  attachment_id: string;
  message_id: string | null;
  link_id: string | null;
  kind: 'visitor' | 'owner';
  recipient: string;
  /** The API key that fetched it; empty for browsers, and for lines from before this was kept. */
  api_key_id: string;
  outcome: 'granted' | 'complete' | 'partial' | 'cut' | 'refunded';
  granted_at: number;
  finished_at: number | null;
  /** Different bytes of the file that the network has taken, over all requests. */
  sent_bytes: number;
  /**
   * On the first line of a download: which bytes of its body the network has taken, as intervals `0-100,250-300` joined
   * over all requests, or `all`. Of an archive the body is the archive.
   */
  delivered: string;
  duration_ms: number;
  /** The process that serves it, or served it first; empty for lines from before this was stored. */
  served_by: string;
  /** 1: its process died while it ran; `sent_bytes` is what was recorded by then. */
  is_crashed: Flag;
  remote_ip: string;
  remote_host: string;
  user_agent: string;
  browser: string;
  os: string;
  platform: string;
  location: string;
  longitude: number | null;
  latitude: number | null;
  country_code: string;
  country_name: string;
  city: string;
  region_code: string;
  region_name: string;
}

/** Sums of one UTC day of the download log, once the day no longer changes; a change of a line removes them. */
export interface DownloadDaysTable {
  /** The owner of the log; '' for the row that says that the day has been summed. */
  owner_id: string;
  /** Days since 1970. */
  day: number;
  /** By quarter of an hour, by place and device, by file or owner, as JSON; '' while the day is being summed. */
  sums: string;
  /** Four bytes for each different known address. */
  people: Buffer;
}

/** The public reference of each transfer: what administrators, events and documents name it by. It opens nothing. */
export interface TransferReferencesTable {
  /** Id of the message, link or File Request. */
  transfer_id: string;
  /** Ten characters in groups, such as `K7QM-2XPD-94`. */
  reference: string;
}
