// The tables of file links, download tickets and downloads. The conventions are those of schema.ts.
import type { Flag } from '../flag.ts';

export interface FileLinksTable {
  id: string;
  owner_id: string;
  attachment_id: string;
  expires_on: string;
  /** First instant after the last day. */
  expires_at: number;
  password_hash: string | null;
  /** Counts changes of the password; tickets issued before the last one are void. */
  password_version: number;
  send_receipt: Flag;
  require_sign_in: Flag;
  state: 'active' | 'released' | 'deleted';
  created_at: number;
  updated_at: number;
}

/** The right to download one file or one archive. Only a hash of its id is stored. */
export interface TicketsTable {
  id_hash: Buffer;
  /** The first file of an archive. */
  attachment_id: string;
  /** 1: an archive of the files in `ticket_files`. */
  is_archive: Flag;
  owner_id: string;
  link_id: string | null;
  message_id: string | null;
  recipient: string;
  kind: 'visitor' | 'owner';
  /** The owner of the counter: '' for all visitors at level 0, else the confirmed address. */
  identity: string;
  /** The account to which the recipient's address belonged; null when a code confirmed it, or nothing did. */
  account_id: string | null;
  issued_at: number;
  expires_at: number;
  /** Number of the download, once the first byte was granted; the other files of an archive follow. */
  download_number: number | null;
  /** Bytes sent under this ticket, over all requests. */
  served_bytes: number;
  /** Keyed hash of the visitor cookie or the session of the browser; null for programs. */
  visitor_hash: Buffer | null;
  /** The network it was issued to; empty in old rows. */
  network: string;
  /** 1: a client without the cookies of the browser has fetched bytes, such as the download helper of a phone. */
  is_helped: Flag;
  /** `password_version` of its link when it was issued. */
  password_version: number;
  /**
   * Requests that were granted bytes and are not in the log yet; too high after a crash. Meaningless once the body is
   * complete.
   */
  unsettled: number;
  /** When a request last reported that bytes flow: a ticket in use is not deleted. */
  progress_at: number | null;
}

/** The files of an archive, in order. */
export interface TicketFilesTable {
  id_hash: Buffer;
  position: number;
  attachment_id: string;
}

/** The download log. Numbered per owner, so a number reveals nothing about other owners. */
export interface DownloadsTable {
  owner_id: string;
  number: number;
  attachment_id: string;
  message_id: string | null;
  link_id: string | null;
  kind: 'visitor' | 'owner';
  recipient: string;
  /** The API key that was used; empty for browsers and in old rows. */
  api_key_id: string;
  outcome: 'granted' | 'complete' | 'partial' | 'cut' | 'refunded';
  granted_at: number;
  finished_at: number | null;
  /** Distinct bytes of the file that were delivered, over all requests. */
  sent_bytes: number;
  /**
   * In the first row of a download: the delivered bytes of its body (of the archive, if it is one), as intervals
   * `0-100,250-300` joined over all requests, or `all`.
   */
  delivered: string;
  duration_ms: number;
  /** The process that serves it, or served it first; empty in old rows. */
  served_by: string;
  /** 1: its process died while it ran; `sent_bytes` is what was recorded by then. */
  is_crashed: Flag;
  /** Of the file among those of an archive; the first line of the download has this number less. */
  position: number;
  /** Where the file begins in the body; 0 unless it is in an archive. */
  body_start: number;
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

/** One granted request for bytes of a download. Downloads from before this table have none. */
export interface DownloadRequestsTable {
  /** Of the download log. */
  owner_id: string;
  /** Of the first line of its download. */
  number: number;
  /** 1, 2 and so on within the download. */
  request: number;
  /** Lines of its download, which follow the first one by one. */
  files: number;
  started_at: number;
  /** Null while it runs. */
  ended_at: number | null;
  /** `complete`: everything granted was handed to the network. `refunded`: nothing was, and the download does not count. */
  outcome: 'running' | 'complete' | 'partial' | 'cut' | 'crashed' | 'refunded';
  /** Granted bytes of the body: from this one. */
  range_start: number;
  /** To this one, exclusive. */
  range_end: number;
  /** Handed to the network, from `range_start` on. While it runs, and after a crash, what was recorded. */
  taken_bytes: number;
  /** What may have been handed to the network, where `taken_bytes` is not certain to be all; else null. */
  at_most_bytes: number | null;
  /** When `taken_bytes` last grew; null before. */
  progress_at: number | null;
  /** The process that serves it, or served it. */
  served_by: string;
  remote_ip: string;
  user_agent: string;
  /** The API key that was shown; empty without one. */
  api_key_id: string;
  /** What proved the recipient's address at this request; empty where nothing had to. */
  proof_kind: '' | 'api_key' | 'session' | 'code' | 'account';
  /** Of the API key its id; of a session or of a browser that confirmed a code 16 hex digits of the keyed hash. */
  proof_id: string;
}

/** Sums of one UTC day of the download log, once the day no longer changes; a change of a row removes them. */
export interface DownloadDaysTable {
  /** The owner of the log; '' for the row that marks the day as summed. */
  owner_id: string;
  /** Days since 1970. */
  day: number;
  /** JSON by quarter of an hour, by place and device, by file or owner; '' while the day is being summed. */
  sums: string;
  /** Four bytes for each different known address. */
  people: Buffer;
}

/** The public reference of each transfer, which administrators, events and documents use. It opens nothing. */
export interface TransferReferencesTable {
  /** Id of the message, file link or file request. */
  transfer_id: string;
  /** Ten characters in groups, such as `K7QM-2XPD-94`. */
  reference: string;
}
