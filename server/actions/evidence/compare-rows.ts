// Compares database events with log entries. Blank fields must have been erased by an erasure in the log.
import { createHash, type Hash } from 'node:crypto';
import { listSealableAfter, type SealableEvent } from '../../db/events/sealable-events.ts';
import type { LogHead } from '../../db/evidence/evidence.ts';
import { entryOf } from '../../domain/evidence.ts';
import { isBlank } from '../../domain/evidence-erasure.ts';
import type { Ctx } from '../context.ts';
import { EvidenceFault } from './log.ts';

interface Entry {
  seq: number;
  action: string;
  facts: Record<string, unknown>;
  personal: Record<string, string>;
  [name: string]: unknown;
}

export interface RowCheck {
  /** The next event without consuming it; null at the end. */
  peek(): Promise<SealableEvent | null>;
  take(): void;
  /** Remembers what an event reveals about erasures. */
  note(row: SealableEvent, entry: Entry): void;
  /** Fails if the database has more events, or an erasure is unexplained. */
  finish(head: LogHead): Promise<void>;
}

const rowBatchSize = 512;

export function createRowCheck(ctx: Ctx): RowCheck {
  const erasures = createErasureCheck();
  let page: SealableEvent[] = [];
  let at = 0;
  // Below every generated number, to find rows inserted before the first.
  let lastSeq = Number.MIN_SAFE_INTEGER;

  async function peek(): Promise<SealableEvent | null> {
    if (at === page.length) {
      page = await listSealableAfter(ctx.db.read, lastSeq, rowBatchSize);
      at = 0;
    }
    return page[at] ?? null;
  }

  return {
    peek,
    take() {
      lastSeq = page[at]!.event.seq;
      at += 1;
    },
    note: erasures.note,
    async finish(head) {
      const left = await peek();
      if (left !== null && left.event.seq <= head.lastSeq) throw inserted(left.event.seq);
      erasures.finish();
    },
  };
}

export async function compareRows(rows: RowCheck, bundle: readonly Buffer[], head: LogHead): Promise<void> {
  for (const bytes of bundle) {
    const entry = JSON.parse(bytes.toString()) as Entry;
    const row = await rows.peek();
    if (row === null || row.event.seq > entry.seq)
      throw new EvidenceFault(`event ${entry.seq} (${entry.action}) is missing: its row was deleted`);
    if (row.event.seq < entry.seq) throw inserted(row.event.seq);
    if (row.event.seq > head.lastSeq) throw new EvidenceFault(`event ${entry.seq} is in the log before it was sealed`);
    const expected = entryOf(row.event, row.salts);
    if (!expected.equals(bytes)) throw changed(entry, JSON.parse(expected.toString()) as Entry, bundle);
    const restored = Object.keys(row.salts.erased).find((field) => !isBlank(row.event, field));
    if (restored !== undefined)
      throw new EvidenceFault(`event ${entry.seq} was changed: ${restored} was erased and has a value again`);
    rows.note(row, entry);
    rows.take();
  }
}

function inserted(seq: number): EvidenceFault {
  return new EvidenceFault(`event ${seq} is in the database but not in the log: it was inserted afterwards`);
}

/** Names the changed fields, or the event whose place was taken. */
function changed(entry: Entry, expected: Entry, bundle: readonly Buffer[]): EvidenceFault {
  const { seq } = entry;
  const asOf = (other: Entry) => JSON.stringify({ ...other, seq: 0 });
  const original = bundle
    .map((bytes) => JSON.parse(bytes.toString()) as Entry)
    .find((other) => other.seq !== seq && asOf(other) === asOf(expected));
  if (original !== undefined)
    return new EvidenceFault(`event ${seq} was event ${original.seq} when it was sealed: rows were reordered`);
  const fields = [
    ...differing(entry, expected).filter((name) => name !== 'personal' && name !== 'facts'),
    ...differing(entry.facts, expected.facts).map((name) => `facts.${name}`),
    ...differing(entry.personal, expected.personal),
  ];
  return new EvidenceFault(`event ${seq} (${entry.action}) was changed after it was sealed: ${fields.join(', ')}`);
}

function differing(a: Record<string, unknown>, b: Record<string, unknown>): string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => JSON.stringify(a[name]) !== JSON.stringify(b[name]));
}

/** Hashes the fields an erasure blanked, in the order of events. */
export function erasureDigest(): { add(seq: number, field: string): void; digest(): string } {
  const hash: Hash = createHash('sha256');
  return {
    add: (seq, field) => void hash.update(`${seq} ${field}\n`),
    digest: () => hash.digest('hex'),
  };
}

function createErasureCheck() {
  const found = new Map<string, ReturnType<typeof erasureDigest> & { firstSeq: number }>();
  const recorded = new Map<string, string>();
  return {
    note({ event, salts }: SealableEvent, entry: Entry): void {
      for (const [field, { erasure }] of Object.entries(salts.erased).sort(([one], [other]) =>
        one < other ? -1 : 1,
      )) {
        if (!found.has(erasure)) found.set(erasure, { ...erasureDigest(), firstSeq: event.seq });
        found.get(erasure)!.add(event.seq, field);
      }
      if (entry.action === 'user.erased') recorded.set(String(entry.facts.erasure), String(entry.facts.digest));
    },
    finish(): void {
      for (const [erasure, { digest, firstSeq }] of found) {
        if (recorded.get(erasure) === digest()) continue;
        throw new EvidenceFault(
          recorded.has(erasure)
            ? `more or less was blanked than the erasure that blanked event ${firstSeq} says`
            : `event ${firstSeq} was blanked, but the log knows of no such erasure`,
        );
      }
    },
  };
}
