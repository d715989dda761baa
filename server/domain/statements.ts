// A signed document is never rewritten.
import type { TransferKind } from './transfers.ts';

export type StatementKind = 'leave' | 'exposure';

/** As at the time of the statement. */
export interface NamedPerson {
  id: string;
  email: string;
  name: string;
}

/** The list has the first of them. */
export interface TransferCounts {
  messages: number;
  links: number;
  requests: number;
  deliveries: number;
  bytes: number;
  transfers: { id: string; kind: TransferKind; size: number }[];
}

export interface EndedAccess {
  api_keys: number;
  sessions: number;
  password_links: number;
  proven_browsers: number;
  drop_page: boolean;
  drop_keys: number;
  uploads: number;
  downloads: number;
}

export interface LeaveFindings {
  hand_over_to: NamedPerson | null;
  reason: string;
  ended: EndedAccess;
  handed_over: TransferCounts;
  stopped: TransferCounts;
  /** Kept for the new owner; until then no one can open them. */
  kept_deliveries: number;
}

/** Counts include all. */
export const maxListed = 1000;

export function countTransfers(
  transfers: readonly { id: string; kind: TransferKind; sizeBytes: number }[],
): TransferCounts {
  const count = (...kinds: TransferKind[]) => transfers.filter(({ kind }) => kinds.includes(kind)).length;
  return {
    messages: count('message'),
    links: count('link'),
    requests: count('request'),
    deliveries: count('answer', 'drop'),
    bytes: transfers.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    transfers: transfers.slice(0, maxListed).map(({ id, kind, sizeBytes }) => ({ id, kind, size: sizeBytes })),
  };
}

/** `findings` depends on the kind of statement. */
export interface StatementDocument {
  format: 'waybill-statement/1';
  id: string;
  kind: StatementKind;
  organisation: string;
  service: string;
  /** ISO 8601, UTC. */
  made_at: string;
  made_by: NamedPerson;
  about: Record<string, unknown>;
  findings: Record<string, unknown>;
}

export interface Statement {
  id: string;
  kind: StatementKind;
  state: 'open' | 'made';
  aboutUserId: string;
  madeBy: string;
  begunSeq: number;
  /** For an open statement the findings so far. */
  documentText: string;
  note: string;
  createdAt: number;
  finishedAt: number | null;
}
