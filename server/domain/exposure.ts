// What could be opened in a period, and what was downloaded. A span excludes `to`.
import { distinctBytes, type RequestedBytes } from './download-requests.ts';
import { overlapOf, type Span } from './spans.ts';
import { maxListed } from './statements.ts';
import type { TransferKind } from './transfers.ts';

/** Null while it is part of the transfer. */
export interface ReachableFile {
  attachmentId: string;
  sizeBytes: number;
  removedAt: number | null;
}

/** `own`: it belonged to the account. `asked`: a File Request. `touched`: the network accessed it. */
export type AccessReason = 'own' | 'received' | 'asked' | 'touched';

export interface ReachCandidate {
  id: string;
  kind: TransferKind;
  way: AccessReason;
  ownerId: string;
  /** Empty for one's own. */
  address: string;
  open: Span[];
  access: Span[];
  isOpenNow: boolean;
  files: ReachableFile[];
}

/** The events have its past. */
export interface TransferRecord {
  id: string;
  kind: TransferKind;
  ownerId: string;
  createdAt: number;
  expiresAt: number;
  /** The recorded early end; null if there was none. */
  stoppedAt: number | null;
  /** Not stopped, and its owner is active. */
  isOpen: boolean;
  /** The first answer closes it. */
  isAnsweredOnce: boolean;
  /** For a received message. */
  address: string;
  revokedAt: number | null;
}

/** One file of a download. Without requests if an earlier version logged it. */
export interface DownloadRecord extends RequestedBytes {
  ownerId: string;
  number: number;
  kind: 'message' | 'link';
  targetId: string;
  attachmentId: string;
  sha256: string;
  sizeBytes: number;
  recipient: string;
  isByOwner: boolean;
  ip: string;
  at: number;
  endedAt: number | null;
}

export interface Reached extends ReachCandidate {
  from: number;
  until: number;
}

/** With the part of the span in which it was reachable. */
export function reachedIn(candidates: readonly ReachCandidate[], span: Span): Reached[] {
  return candidates.flatMap((candidate) => {
    const live = overlapOf(overlapOf(candidate.open, candidate.access), [span]);
    const [first, last] = [live[0], live.at(-1)];
    if (first === undefined || last === undefined) return [];
    const files = candidate.files.filter(({ removedAt }) => removedAt === null || removedAt > first.from);
    return [{ ...candidate, files, from: first.from, until: last.to }];
  });
}

export interface ReachSummary {
  transfers: number;
  files: number;
  bytes: number;
  closed: number;
  open: number;
  list: Reached[];
}

export function summarizeReach(reached: readonly Reached[]): ReachSummary {
  // A transfer may be reached in two ways, and be open in one of them.
  const transfers = new Map<string, boolean>();
  for (const { id, isOpenNow } of reached) transfers.set(id, isOpenNow || transfers.get(id) === true);
  const files = new Map(reached.flatMap((one) => one.files.map((file) => [file.attachmentId, file.sizeBytes])));
  const open = [...transfers.values()].filter((isOpen) => isOpen).length;
  return {
    transfers: transfers.size,
    files: files.size,
    bytes: sum([...files.values()]),
    closed: transfers.size - open,
    open,
    list: reached.toSorted((one, other) => one.from - other.from || (one.id < other.id ? -1 : 1)).slice(0, maxListed),
  };
}

export interface DownloadSummary {
  downloads: number;
  files: number;
  bytes: number;
  total: number;
  to: { address: string; ip: string; downloads: number; bytes: number }[];
  list: DownloadRecord[];
}

/** A request counts fully if any moment of it was within the span. */
export function summarizeDownloads(downloads: readonly DownloadRecord[]): DownloadSummary {
  const shares = downloads.flatMap(sharesOf);
  const to = [...Map.groupBy(shares, ({ address, ip }) => `${address}\n${ip}`).values()].map((group) => ({
    address: group[0]!.address,
    ip: group[0]!.ip,
    downloads: group.length,
    bytes: sum(group.map(({ bytes }) => bytes)),
  }));
  return {
    downloads: downloads.length,
    files: new Set(downloads.map(({ attachmentId }) => attachmentId)).size,
    bytes: sum(downloads.map(({ bytes }) => bytes)),
    total: sum(downloads.map(({ totalBytes }) => totalBytes)),
    to: to
      .toSorted((one, other) => other.bytes - one.bytes || (one.address + one.ip < other.address + other.ip ? -1 : 1))
      .slice(0, maxListed),
    list: downloads.slice(0, maxListed),
  };
}

/** The distinct bytes of one download by network address. */
function sharesOf({ recipient: address, ip, bytes, requests }: DownloadRecord) {
  if (requests.length === 0) return [{ address, ip, bytes }];
  return [...Map.groupBy(requests, (request) => request.ip)].map(([from, group]) => ({
    address,
    ip: from,
    bytes: distinctBytes(group),
  }));
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
