// What an account, key or address could open in a period and what was downloaded, computed from what is recorded. Pure: everything it needs is
// given, so that a model can be held against it. A span begins at `from` and ends before `to`.
import { overlapOf, type Span } from './spans.ts';
import { mostListed } from './statements.ts';
import type { TransferKind } from './transfers.ts';

/** A file of a transfer, and when it was taken out of it; null while it is in it. */
export interface ReachableFile {
  attachmentId: string;
  sizeBytes: number;
  removedAt: number | null;
}

/** `own`: it belonged to the account. `asked`: a File Request to the address. `touched`: the network was seen there. */
export type Way = 'own' | 'received' | 'asked' | 'touched';

/** A transfer with everything that decided about access to it. */
export interface ReachCandidate {
  id: string;
  kind: TransferKind;
  way: Way;
  ownerId: string;
  /** The address it came to; empty for one's own. */
  address: string;
  /** When it could be opened by those who had access. */
  open: Span[];
  /** When this person had access: theirs, sent to them, not taken away. */
  access: Span[];
  isOpenNow: boolean;
  files: ReachableFile[];
}

/** What a transfer is now; what it was is in the events. */
export interface KeptTransfer {
  id: string;
  kind: TransferKind;
  ownerId: string;
  createdAt: number;
  expiresAt: number;
  /** When its row says that it ended early; null when it did not. */
  stoppedAt: number | null;
  /** Not stopped, and its owner is active. */
  isOpen: boolean;
  /** Of a File Request: the first answer closes it. */
  isAnsweredOnce: boolean;
  /** For a received message: the address it was sent to, and when that was revoked. */
  address: string;
  revokedAt: number | null;
}

/** A line of the download log. */
export interface Departure {
  ownerId: string;
  number: number;
  kind: 'message' | 'link';
  targetId: string;
  attachmentId: string;
  sha256: string;
  sizeBytes: number;
  bytes: number;
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

/** The transfers that were reachable within the span, each with the part of it in which they were. */
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

export function summariseReach(reached: readonly Reached[]): ReachSummary {
  // The same transfer may be reached in two ways, and be open in one of them.
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
    list: reached.toSorted((one, other) => one.from - other.from || (one.id < other.id ? -1 : 1)).slice(0, mostListed),
  };
}

export interface LeftSummary {
  downloads: number;
  files: number;
  bytes: number;
  to: { address: string; ip: string; downloads: number; bytes: number }[];
  list: Departure[];
}

/** A download counts as a whole as soon as one moment of it was within the span. */
export function summariseLeft(departures: readonly Departure[]): LeftSummary {
  const groups = Map.groupBy(departures, ({ recipient, ip }) => `${recipient}\n${ip}`);
  const to = [...groups.values()].map((lines) => ({
    address: lines[0]!.recipient,
    ip: lines[0]!.ip,
    downloads: lines.length,
    bytes: sum(lines.map(({ bytes }) => bytes)),
  }));
  return {
    downloads: departures.length,
    files: new Set(departures.map(({ attachmentId }) => attachmentId)).size,
    bytes: sum(departures.map(({ bytes }) => bytes)),
    to: to
      .toSorted((one, other) => other.bytes - one.bytes || (one.address + one.ip < other.address + other.ip ? -1 : 1))
      .slice(0, mostListed),
    list: departures.slice(0, mostListed),
  };
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
