import type { WrappedKey } from '../lib/keyring.ts';
import type { HeldFile } from './messages.ts';

/** Only a hash of its id is stored. */
export interface Ticket {
  idHash: Buffer;
  /** Of an archive the first file. */
  attachmentId: string;
  isArchive: boolean;
  ownerId: string;
  linkId: string | null;
  messageId: string | null;
  /** May be empty. */
  recipient: string;
  kind: 'visitor' | 'owner';
  /** '' for all visitors of a message open to anyone. */
  identity: string;
  /** Null if a code proved the address, or nothing did. */
  accountId: string | null;
  /** Of the visitor cookie or session; null for programs. */
  visitorHash: Buffer | null;
  network: string;
  /** At that time. */
  passwordVersion: number;
  issuedAt: number;
  expiresAt: number;
  /** Over all requests. */
  servedBytes: number;
  /** Requests that are not logged yet, in all processes. */
  unsettled: number;
}

export interface TicketBearer {
  /** Of its cookies. */
  browserHashes: Buffer[];
  /** The request had none of our cookies. */
  isBare: boolean;
  /** The account of the request's API key. */
  accountId: string | null;
  network: string;
}

export interface TicketUse {
  /** Required where the link alone does not grant access. */
  isHome: boolean;
  isBare: boolean;
  /** A phone's download helper may send no cookies. */
  isHelper: boolean;
}

/** After the click. */
const helperMs = 15 * 60_000;

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

export interface TicketFile extends HeldFile {
  /** Null once the file is erased. */
  dataKey: WrappedKey | null;
  createdAt: number;
}

/** Unknown texts are empty. */
export interface Visitor {
  address: string;
  /** Host name, confirmed in both directions; may be empty. */
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

/** How much of the granted bytes was sent. */
export interface TakenBytes {
  /** This is logged. */
  certain: number;
  /** The rest is given back. */
  possible: number;
}

export const ticketLifetimeMs = 24 * 3_600_000;

/** Per ticket, over all requests: twice the file. */
export function maxServedBytes(sizeBytes: number): number {
  return sizeBytes * 2;
}
