// Compares the download log and erased files with the recorded events, both ways, in pages: each event has its row, and
// each row its event.
import type { SealableEvent } from '../../db/events/sealable-events.ts';
import {
  type LineKey,
  listErasedAmong,
  listErasedFilesAfter,
  listEventsOfKind,
  listEventsOfTarget,
  listEventsWithin,
  listLinesAfter,
  listLinesOfTarget,
  listReadableFiles,
  listRecordedErasures,
  type Target,
} from '../../db/receipts/recorded-downloads.ts';
import type { Query } from '../../db/schema/schema.ts';
import {
  type ComparedLine,
  compareBegun,
  compareEnded,
  compareLine,
  lineOf,
  toleranceMs,
} from '../../domain/download-contradictions.ts';

export interface Contradiction {
  target: Target;
  ownerId: string;
  /** Number of the line; null for the erasure of a file. */
  line: number | null;
  field: string;
  /** Number of the event; null if none says it. */
  event: number | null;
}

const pageSize = 250;

/** The first contradiction of any row or event; null if there is none. */
export async function findAnyContradiction(db: Query): Promise<Contradiction | null> {
  return (
    (await compareEventsOf(db, 'file.downloaded')) ??
    (await compareEventsOf(db, 'download.ended')) ??
    (await compareLines(db)) ??
    (await compareErasures(db))
  );
}

/** Of events about downloads within a span that concern a subject. */
export async function findContradictionWithin(
  db: Query,
  span: { from: number; to: number },
  isMeant: (event: SealableEvent['event']) => boolean,
): Promise<Contradiction | null> {
  for (let after = { at: span.from, seq: Number.MIN_SAFE_INTEGER }; ; ) {
    const page = await listEventsWithin(db, span, after, pageSize);
    const found = await compareEvents(
      db,
      page.filter((each) => isOfDownload(each) && isMeant(each.event)),
    );
    if (found !== null) return found;
    const last = page.at(-1);
    if (last === undefined) return null;
    after = { at: last.event.at, seq: last.event.seq };
  }
}

/** Of one transfer, with all of its events and these lines. */
export async function findContradictionOf(
  db: Query,
  target: Target,
  numbers: readonly number[],
): Promise<Contradiction | null> {
  for (let seq = 0; ; ) {
    const page = await listEventsOfTarget(db, target, seq, pageSize);
    const found = await compareEvents(db, page.filter(isOfDownload));
    if (found !== null) return found;
    const last = page.at(-1);
    if (last === undefined) break;
    seq = last.event.seq;
  }
  return findContradictionOfLines(db, target, numbers);
}

export async function findContradictionOfLines(
  db: Query,
  target: Target,
  numbers: readonly number[],
): Promise<Contradiction | null> {
  for (let start = 0; start < numbers.length; start += pageSize) {
    const lines = await listLinesOfTarget(db, target, numbers.slice(start, start + pageSize));
    const found = await compareWithEvents(db, lines);
    if (found !== null) return found;
  }
  return null;
}

const isOfDownload = ({ event }: SealableEvent) =>
  event.action === 'file.downloaded' || event.action === 'download.ended';

async function compareEventsOf(db: Query, action: 'file.downloaded' | 'download.ended'): Promise<Contradiction | null> {
  for (let seq = Number.MIN_SAFE_INTEGER; ; ) {
    const page = await listEventsOfKind(db, action, seq, pageSize);
    const last = page.at(-1);
    if (last === undefined) return null;
    const found = await compareEvents(db, page);
    if (found !== null) return found;
    seq = last.event.seq;
  }
}

/** Rows are read after the events, so they are never older. */
async function compareEvents(db: Query, page: readonly SealableEvent[]): Promise<Contradiction | null> {
  const byTarget = Map.groupBy(page, ({ event }) => `${event.objectKind} ${event.objectId}`);
  for (const events of byTarget.values()) {
    const { objectKind, objectId } = events[0]!.event;
    const target = { kind: objectKind, id: objectId };
    const numbers = [...new Set(events.map(({ event }) => Number(event.facts.download)))];
    const lines = await listLinesOfTarget(db, target, numbers);
    for (const recorded of events) {
      const { event } = recorded;
      const line = lineOf(event, lines);
      const isBegun = event.action === 'file.downloaded';
      let field = line === undefined ? 'line' : (isBegun ? compareBegun : compareEnded)(recorded, line);
      // A receipt does not list a line that is refunded.
      if (field === null && isBegun && compareLine(line!) !== null) field = await compareAgain(db, line!);
      const number = Number(event.facts.download);
      if (field !== null) return { target, ownerId: event.ownerId, line: number, field, event: event.seq };
    }
  }
  return null;
}

async function compareLines(db: Query): Promise<Contradiction | null> {
  for (let after: LineKey = { ownerId: '', number: Number.MIN_SAFE_INTEGER }; ; ) {
    const lines = await listLinesAfter(db, after, pageSize);
    const last = lines.at(-1);
    if (last === undefined) return null;
    const found = await compareWithEvents(db, lines);
    if (found !== null) return found;
    after = last;
  }
}

/** Each line and each ended request needs its event. Events are read after the rows. */
async function compareWithEvents(db: Query, lines: readonly ComparedLine[]): Promise<Contradiction | null> {
  const begun = await findEventsNear(
    db,
    'file.downloaded',
    lines.map(({ grantedAt }) => grantedAt),
  );
  const ends = lines.flatMap(({ requests }) => requests.flatMap(({ endedAt }) => endedAt ?? []));
  const ended = await findEventsNear(db, 'download.ended', ends);
  for (const line of lines) {
    const faultOf = (field: string): Contradiction => ({
      target: line.target,
      ownerId: line.ownerId,
      line: line.number,
      field,
      event: null,
    });
    if (!hasEvent(begun, line, '')) return faultOf('event');
    const missing = line.requests.find(
      (each) => each.outcome !== 'running' && isFirstTouched(line, each) && !hasEvent(ended, line, `${each.request}`),
    );
    if (missing !== undefined) return faultOf(`request ${missing.request}`);
    const field = compareLine(line) && (await compareAgain(db, line));
    if (field !== null) return faultOf(field);
  }
  return null;
}

/** A line and its requests are read by two statements, between which a request may have ended. */
async function compareAgain(db: Query, { target, number, ownerId }: ComparedLine): Promise<string | null> {
  const lines = await listLinesOfTarget(db, target, [number]);
  const line = lines.find((each) => each.ownerId === ownerId);
  return line === undefined ? null : compareLine(line);
}

/** Whether the request has an event for this line: not for files of an archive that it did not reach. */
function isFirstTouched({ bodyStart, sizeBytes }: ComparedLine, request: ComparedLine['requests'][number]): boolean {
  if (request.files === 1) return true;
  const end = request.rangeStart + request.takenBytes;
  return request.rangeStart < bodyStart + sizeBytes && bodyStart < end;
}

type Recorded = ReadonlySet<string>;

/** By transfer, owner, line and request. */
function keyOf(target: Target, ownerId: string, number: unknown, request: string): string {
  return `${target.kind} ${target.id} ${ownerId} ${number} ${request}`;
}

function hasEvent(recorded: Recorded, { target, ownerId, number }: ComparedLine, request: string): boolean {
  return [ownerId, ''].some((owner) => recorded.has(keyOf(target, owner, number, request)));
}

async function findEventsNear(
  db: Query,
  action: 'file.downloaded' | 'download.ended',
  instants: readonly number[],
): Promise<Recorded> {
  const found = new Set<string>();
  for (const span of spansAround(instants)) {
    for (let after = { at: span.from, seq: Number.MIN_SAFE_INTEGER }; ; ) {
      const page = await listEventsWithin(db, span, after, pageSize);
      for (const { event } of page)
        if (event.action === action) {
          const target = { kind: event.objectKind, id: event.objectId };
          found.add(keyOf(target, event.ownerId, event.facts.download, `${event.facts.request ?? ''}`));
        }
      const last = page.at(-1);
      if (last === undefined) break;
      after = { at: last.event.at, seq: last.event.seq };
    }
  }
  return found;
}

/** Joined where they overlap. */
function spansAround(instants: readonly number[]): { from: number; to: number }[] {
  const spans: { from: number; to: number }[] = [];
  for (const at of instants.toSorted((one, other) => one - other)) {
    const last = spans.at(-1);
    if (last !== undefined && at - toleranceMs <= last.to) last.to = at + toleranceMs;
    else spans.push({ from: at - toleranceMs, to: at + toleranceMs });
  }
  return spans;
}

async function compareErasures(db: Query): Promise<Contradiction | null> {
  for (let seq = Number.MIN_SAFE_INTEGER; ; ) {
    const page = await listEventsOfKind(db, 'attachment.erased', seq, pageSize);
    const last = page.at(-1);
    if (last === undefined) break;
    const ids = page.map(({ event }) => event.objectId);
    const found = await findErasureContradiction(db, ids);
    if (found !== null) return found;
    seq = last.event.seq;
  }
  for (let after = ''; ; ) {
    const ids = await listErasedFilesAfter(db, after, pageSize);
    const last = ids.at(-1);
    if (last === undefined) return null;
    const found = await findErasureContradiction(db, ids);
    if (found !== null) return found;
    after = last;
  }
}

/** Of these files: a recorded erasure and a key, or neither. */
export async function findErasureContradiction(db: Query, ids: readonly string[]): Promise<Contradiction | null> {
  if (ids.length === 0) return null;
  // Events are read after the rows of erased files and before those of readable ones.
  const erased = await listErasedAmong(db, ids);
  const recorded = await listRecordedErasures(db, ids);
  const readable = await listReadableFiles(db, [...recorded]);
  const id = readable[0] ?? erased.find((each) => !recorded.has(each));
  if (id === undefined) return null;
  return { target: { kind: 'attachment', id }, ownerId: '', line: null, field: 'attachment.erased', event: null };
}
