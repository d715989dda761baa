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
  /** Keyed hashes of the browser's cookies. */
  visitorHash: Buffer | null;
  sessionHash: Buffer | null;
  proofHash: Buffer | null;
  apiKeyId: string | null;
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
  const isOwnBrowser =
    visitorHash !== null && [bearer.visitorHash, bearer.sessionHash].some((hash) => hash?.equals(visitorHash));
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

export type RequestOutcome = 'running' | 'complete' | 'partial' | 'cut' | 'crashed' | 'refunded';

/** What proved the recipient's address at a request; `kind` is empty where nothing had to. */
export interface RequestProof {
  kind: '' | 'api_key' | 'session' | 'code' | 'account';
  /** Names it without giving access; may be empty. */
  id: string;
  /** The API key that was shown; may be empty. */
  apiKeyId: string;
}

/** One granted request for bytes of a download. */
export interface DownloadRequest {
  ownerId: string;
  /** Of the first line of its download. */
  number: number;
  /** 1, 2 and so on within the download. */
  request: number;
  /** Lines of its download. */
  files: number;
  startedAt: number;
  /** Null while it runs. */
  endedAt: number | null;
  outcome: RequestOutcome;
  /** The granted part of the body. */
  rangeStart: number;
  rangeEnd: number;
  /** Handed to the network, from `rangeStart` on. */
  takenBytes: number;
  /** What may have been handed to the network, where that is not certain; else null. */
  atMostBytes: number | null;
  progressAt: number | null;
  servedBy: string;
  ip: string;
  agent: string;
  apiKeyId: string;
  proofKind: RequestProof['kind'];
  proofId: string;
}

/** How much of the granted bytes was sent. */
export interface TakenBytes {
  /** This is logged. */
  certain: number;
  /** The rest is given back. */
  possible: number;
}

export const ticketLifetimeMs = 24 * 3_600_000;

/** Of a keyed hash: enough to find the same session or browser again, and of no use to anyone else. */
export function proofIdOf(hash: Buffer): string {
  return hash.toString('hex').slice(0, 16);
}

const mebibyte = 2 ** 20;

/** Per download: more than programs that fetch small parts of large files send. */
export function mostRequests(sizeBytes: number): number {
  return 10_000 + Math.ceil(sizeBytes / mebibyte);
}

/** Per ticket, over all requests: twice the file. */
export function maxServedBytes(sizeBytes: number): number {
  return sizeBytes * 2;
}
