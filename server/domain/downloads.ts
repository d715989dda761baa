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
  /** Proven address of whoever pressed Download; empty when unknown. */
  recipient: string;
  kind: 'visitor' | 'owner';
  /** Whose counter it uses: '' for everybody where anyone may open the message. */
  identity: string;
  /** The account whose address that is; null when a code proved it, or nothing did. */
  accountId: string | null;
  /** Of the browser it was issued to; null for programs. */
  visitorHash: Buffer | null;
  issuedAt: number;
  expiresAt: number;
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

/** How long a press on Download is good for resuming (state machine SM4). */
export const ticketLifetimeMs = 24 * 3_600_000;

/** Most bytes one ticket serves, over all requests: twice the file (invariant I11). */
export function mostServedBytes(sizeBytes: number): number {
  return sizeBytes * 2;
}
