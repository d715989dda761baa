// Events of the database beside the entries of the log, both in order: each event must make exactly the entry that was
// sealed. What is blank must have been erased, and the erasure must be in the log itself.
import { createHash, type Hash } from 'node:crypto';
import { listSealableAfter, type SealableEvent } from '../../db/events/sealable-events.ts';
import type { LogHead } from '../../db/evidence/evidence.ts';
import { entryOf } from '../../domain/evidence.ts';
import { isBlank } from '../../domain/evidence-erasure.ts';
import type { Ctx } from '../context.ts';
import { EvidenceFault } from './log.ts';

/** An entry as far as comparing needs it. */
interface Entry {
  seq: number;
  action: string;
  facts: Record<string, unknown>;
  personal: Record<string, string>;
  [name: string]: unknown;
}

export interface RowCheck {
  /** The next event, which is not taken yet; null at the end. */
  peek(): Promise<SealableEvent | null>;
  take(): void;
  /** Notes what an event says of erasures. */
  note(row: SealableEvent, entry: Entry): void;
  /** Nothing is left that was not in the log, and every erasure is accounted for. */
  finish(head: LogHead): Promise<void>;
}

const rowsAtOnce = 512;

export function createRowCheck(ctx: Ctx): RowCheck {
  const erasures = createErasureCheck();
  let page: SealableEvent[] = [];
  let at = 0;
  // Below every number that the database gives: somebody may have put rows there.
  let lastSeq = Number.MIN_SAFE_INTEGER;

  async function peek(): Promise<SealableEvent | null> {
    if (at === page.length) {
      page = await listSealableAfter(ctx.db.read, lastSeq, rowsAtOnce);
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
    const made = entryOf(row.event, row.salts);
    if (!made.equals(bytes)) throw changed(entry, JSON.parse(made.toString()) as Entry, bundle);
    const kept = Object.keys(row.salts.erased).find((field) => !isBlank(row.event, field));
    if (kept !== undefined)
      throw new EvidenceFault(`event ${entry.seq} was changed: ${kept} was erased and has a value again`);
    rows.note(row, entry);
    rows.take();
  }
}

function inserted(seq: number): EvidenceFault {
  return new EvidenceFault(`event ${seq} is in the database but not in the log: it was inserted afterwards`);
}

/** Which fields differ; or that the event stands in the place of another one. */
function changed(entry: Entry, made: Entry, bundle: readonly Buffer[]): EvidenceFault {
  const { seq } = entry;
  const asOf = (other: Entry) => JSON.stringify({ ...other, seq: 0 });
  const meant = bundle
    .map((bytes) => JSON.parse(bytes.toString()) as Entry)
    .find((other) => other.seq !== seq && asOf(other) === asOf(made));
  if (meant !== undefined)
    return new EvidenceFault(`event ${seq} was event ${meant.seq} when it was sealed: rows were reordered`);
  const fields = [
    ...differing(entry, made).filter((name) => name !== 'personal' && name !== 'facts'),
    ...differing(entry.facts, made.facts).map((name) => `facts.${name}`),
    ...differing(entry.personal, made.personal),
  ];
  return new EvidenceFault(`event ${seq} (${entry.action}) was changed after it was sealed: ${fields.join(', ')}`);
}

function differing(one: Record<string, unknown>, other: Record<string, unknown>): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
}

/** A running hash over what each erasure has blanked, in the order of events; the erasure itself is an event. */
export function erasureDigest(): { add(seq: number, field: string): void; digest(): string } {
  const hash: Hash = createHash('sha256');
  return {
    add: (seq, field) => void hash.update(`${seq} ${field}\n`),
    digest: () => hash.digest('hex'),
  };
}

function createErasureCheck() {
  const found = new Map<string, ReturnType<typeof erasureDigest> & { firstSeq: number }>();
  const told = new Map<string, string>();
  return {
    note({ event, salts }: SealableEvent, entry: Entry): void {
      for (const [field, { erasure }] of Object.entries(salts.erased).sort(([one], [other]) =>
        one < other ? -1 : 1,
      )) {
        if (!found.has(erasure)) found.set(erasure, { ...erasureDigest(), firstSeq: event.seq });
        found.get(erasure)!.add(event.seq, field);
      }
      if (entry.action === 'user.erased') told.set(String(entry.facts.erasure), String(entry.facts.digest));
    },
    finish(): void {
      for (const [erasure, { digest, firstSeq }] of found) {
        if (told.get(erasure) === digest()) continue;
        throw new EvidenceFault(
          told.has(erasure)
            ? `more or less was blanked than the erasure that blanked event ${firstSeq} says`
            : `event ${firstSeq} was blanked, but the log knows of no such erasure`,
        );
      }
    },
  };
}
