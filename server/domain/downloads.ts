// What leads to a download and what is logged of it: tickets, the lines of the log, and what a request tells about a
// visitor.
import type { WrappedKey } from '../lib/keyring.ts';
import type { HeldFile } from './messages.ts';

/** The right to fetch one file or one archive, handed out by a press on Download. Only a hash of its id is kept. */
export interface Ticket {
  idHash: Buffer;
  /** Of an archive the first file. */
  attachmentId: string;
  isArchive: boolean;
  ownerId: string;
  linkId: string | null;
  messageId: string | null;
  /** Proven address of the visitor who requested the download; empty when unknown. */
  recipient: string;
  kind: 'visitor' | 'owner';
  /** Whose counter it uses: '' for all visitors where anyone may open the message. */
  identity: string;
  /** The account whose address that is; null when a code proved it, or nothing did. */
  accountId: string | null;
  /** Of the browser it was issued to: of its visitor cookie, or of its session; null for programs. */
  visitorHash: Buffer | null;
  /** Where it was issued. */
  network: string;
  /** Which password of its link was in force then. */
  passwordVersion: number;
  issuedAt: number;
  expiresAt: number;
  /** Granted so far, over all requests. */
  servedBytes: number;
  /** Requests, of any process, that were granted bytes and are not in the log yet. */
  unsettled: number;
}

/** Who comes with a ticket, as far as the request tells. */
export interface TicketBearer {
  /** What the browser is known by. */
  browserHashes: Buffer[];
  /** Whether the request had none of our cookies. */
  isBare: boolean;
  /** The account of the API key that came along. */
  accountId: string | null;
  network: string;
}

/** What a ticket is good for in these hands. */
export interface TicketUse {
  /** Bound to the visitor it was issued to: needed where the link alone does not grant access. */
  isHome: boolean;
  isBare: boolean;
  /** Perhaps the download helper of a phone, which takes over from the browser and sends no cookies. */
  isHelper: boolean;
}

/** How long after the press a helper may begin. */
const helperMs = 15 * 60_000;

/** A caller who sent their API key with this request. */
export const ownUse: TicketUse = { isHome: true, isBare: false, isHelper: false };

export function resolveUse(ticket: Ticket, bearer: TicketBearer, now: number): TicketUse {
  const { visitorHash, accountId } = ticket;
  const isOwnBrowser = visitorHash !== null && bearer.browserHashes.some((hash) => hash.equals(visitorHash));
  const isOwnAccount = accountId !== null && bearer.accountId === accountId;
  const isBare = bearer.isBare && bearer.accountId === null;
  const isNear = ticket.network !== '' && bearer.network === ticket.network && now - ticket.issuedAt <= helperMs;
  const isHelper = isBare && isNear;
  return { isHome: isOwnBrowser || isOwnAccount || isHelper, isBare, isHelper };
}

/** A file that a ticket leads to. */
export interface TicketFile extends HeldFile {
  /** Null once the file is erased. */
  dataKey: WrappedKey | null;
  createdAt: number;
}

/** Where a request came from, as far as it can be known; texts are empty when unknown. */
export interface Visitor {
  address: string;
  /** Name of the host, confirmed both ways; empty when not looked up. */
  host: string;
  agent: string;
  browser: string;
  os: string;
  platform: string;
  location: string;
  longitude: number | null;
  latitude: number | null;
  countryCode: string;
  countryName: string;
  city: string;
  regionCode: string;
  regionName: string;
}

/** One line of the log. */
export interface Download extends Visitor {
  number: number;
  attachmentId: string;
  messageId: string | null;
  linkId: string | null;
  fileName: string;
  sizeBytes: number;
  contentType: string;
  sha256: string;
  crc32: string;
  downloadedAt: number;
  ownerId: string;
  recipient: string;
  durationMs: number;
  sentBytes: number;
}

/** How much of what a request was granted has left us. */
export interface TakenBytes {
  /** With the network, for sure: what the log tells. */
  certain: number;
  /** All but what is still in our own buffers, for sure: the rest is given back. */
  possible: number;
}

/** How long a press on Download is good for resuming (state machine SM4). */
export const ticketLifetimeMs = 24 * 3_600_000;

/** Most bytes one ticket serves, over all requests: twice the file (invariant I11). */
export function mostServedBytes(sizeBytes: number): number {
  return sizeBytes * 2;
}
