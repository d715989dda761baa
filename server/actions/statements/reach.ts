// Reconstructs from rows and log which transfers an account, address or network could have opened.

import {
  listAnswersOf,
  listChangesOf,
  listFilesOf,
  listHandOvers,
  listOwnTransfers,
  listReceivedTransfers,
  listSeenFrom,
} from '../../db/across/exposure.ts';
import type { RecordedEvent } from '../../db/events/events.ts';
import type { EventKind } from '../../domain/events.ts';
import type { AccessReason, ReachCandidate, TransferRecord } from '../../domain/exposure.ts';
import { activeSpans, always, type EndChange, onSpans, overlapOf, type Span, type Toggle } from '../../domain/spans.ts';
import { endOfDay, parseDate } from '../../lib/dates.ts';
import type { Ctx } from '../context.ts';

/** Events that end a transfer, change its last day, or change a recipient's access. */
const stops: readonly EventKind[] = ['message.revoked', 'message.files_deleted', 'link.deleted', 'request.closed'];
const moves: readonly EventKind[] = [
  'message.extended',
  'link.created',
  'link.changed',
  'request.extended',
  'request.reopened',
];
const people: readonly EventKind[] = [
  'message.recipient_added',
  'message.recipient_corrected',
  'message.recipient_revoked',
  'transfer.handed_over',
];

interface Known {
  row: TransferRecord;
  events: RecordedEvent[];
  answers: number[];
}

export async function candidatesOfUser(
  ctx: Ctx,
  user: { id: string; addresses: string[] },
  { to }: Span,
): Promise<ReachCandidate[]> {
  const handOvers = Map.groupBy(await listHandOvers(ctx.db.read, user.id), ({ objectId }) => objectId);
  const own = await listOwnTransfers(ctx.db.read, user.id, [...handOvers.keys()], to);
  const ownership = (id: string): Span[] =>
    onSpans((handOvers.get(id) ?? []).map(({ action, at }) => ({ at, isOn: action === 'transfer.taken_over' })));
  const received = await listReceivedTransfers(ctx.db.read, user.addresses, to);
  // The others are listed as own transfers.
  const fromOthers = received.filter(
    ({ id, kind, ownerId }) => !isHandedIn(kind) && (ownerId !== user.id || handOvers.has(id)),
  );
  return [
    ...(await describe(
      ctx,
      own,
      () => 'own',
      ({ row }) => ownership(row.id),
    )),
    ...(await describeReceived(ctx, fromOthers, [user.id])),
  ];
}

/** `holders`: accounts that have the address. */
export async function candidatesOfAddress(
  ctx: Ctx,
  { address, holders }: { address: string; holders: string[] },
  { to }: Span,
): Promise<ReachCandidate[]> {
  return describeReceived(ctx, await listReceivedTransfers(ctx.db.read, [address], to), holders);
}

export async function candidatesOfNetwork(
  ctx: Ctx,
  ip: string,
  span: Span,
): Promise<{ candidates: ReachCandidate[]; accounts: { id: string; events: number }[] }> {
  const { transferIds, accounts } = await listSeenFrom(ctx.db.read, ip, span);
  const rows = transferIds.length === 0 ? [] : await listOwnTransfers(ctx.db.read, '', transferIds, span.to);
  return {
    candidates: await describe(
      ctx,
      rows,
      () => 'touched',
      () => [...always],
    ),
    accounts,
  };
}

function describeReceived(ctx: Ctx, rows: TransferRecord[], holders: string[]): Promise<ReachCandidate[]> {
  const wayOf = ({ kind }: TransferRecord) => (kind === 'request' ? 'asked' : 'received');
  return describe(ctx, rows, wayOf, (known) => admissions(known, holders));
}

async function describe(
  ctx: Ctx,
  rows: TransferRecord[],
  wayOf: (row: TransferRecord) => AccessReason,
  accessTo: (known: Known) => Span[],
): Promise<ReachCandidate[]> {
  const ids = [...new Set(rows.map(({ id }) => id))];
  const files = await listFilesOf(ctx.db.read, ids);
  const all = await listChangesOf(ctx.db.read, ids, [...stops, ...moves, ...people]);
  const changes = Map.groupBy(all, ({ objectId }) => objectId);
  const closing = rows.filter(({ isAnsweredOnce }) => isAnsweredOnce).map(({ id }) => id);
  const answers = await listAnswersOf(ctx.db.read, closing);
  const now = ctx.clock.now();
  return rows.map((row) => {
    const known = { row, events: changes.get(row.id) ?? [], answers: answers.get(row.id) ?? [] };
    const access = accessTo(known);
    return {
      id: row.id,
      kind: row.kind,
      way: wayOf(row),
      ownerId: row.ownerId,
      address: row.address,
      open: openSpans(ctx, known),
      access,
      isOpenNow: row.isOpen && row.expiresAt > now && access.some(({ from, to }) => from <= now && now < to),
      files: files.get(row.id) ?? [],
    };
  });
}

/** Excludes periods in which it was expired or closed. */
function openSpans(ctx: Ctx, { row, events, answers }: Known): Span[] {
  const turns: Toggle[] = [
    ...events.filter(({ action }) => stops.includes(action)).map(({ at }) => ({ at, isOn: false })),
    ...answers.map((at) => ({ at, isOn: false })),
    ...events.filter(({ action }) => action === 'request.reopened').map(({ at }) => ({ at, isOn: true })),
  ].sort((one, other) => one.at - other.at);
  const isOpenAtTheEnd = turns.at(-1)?.isOn !== false;
  // The row has the time of a stop that has no event.
  if (isOpenAtTheEnd && row.stoppedAt !== null) turns.push({ at: row.stoppedAt, isOn: false });
  return overlapOf(activeSpans(row.createdAt, movesOf(ctx, events), row.expiresAt), onSpans(beginOpen(turns)));
}

/** Every transfer is open before its first event. */
function beginOpen(turns: Toggle[]): Toggle[] {
  return [{ at: 0, isOn: true }, ...turns];
}

export function admissions({ row, events }: Known, holders: string[]): Span[] {
  const turns: Toggle[] = [];
  for (const { action, at, facts } of events) {
    if (action === 'message.recipient_added' && facts.recipient === row.address) turns.push({ at, isOn: true });
    if (action === 'message.recipient_revoked' && facts.recipient === row.address) turns.push({ at, isOn: false });
    if (action === 'message.recipient_corrected') {
      if (facts.to === row.address) turns.push({ at, isOn: true });
      if (facts.recipient === row.address) turns.push({ at, isOn: false });
    }
    if (action === 'transfer.handed_over' && isHandedIn(row.kind)) {
      // The recipient of a submission changes with its owner.
      if (holders.includes(String(facts.to))) turns.push({ at, isOn: true });
      if (holders.includes(String(facts.from))) turns.push({ at, isOn: false });
    }
  }
  if (row.revokedAt !== null && turns.at(-1)?.isOn !== false) turns.push({ at: row.revokedAt, isOn: false });
  return onSpans(turns);
}

function isHandedIn(kind: TransferRecord['kind']): boolean {
  return kind === 'answer' || kind === 'drop';
}

/** With the end that applied until then. */
function movesOf(ctx: Ctx, events: RecordedEvent[]): EndChange[] {
  const found: EndChange[] = [];
  let lastDay = '';
  for (const { action, at, facts } of events) {
    if (!moves.includes(action)) continue;
    const next = action === 'message.extended' ? facts.to : facts.expires;
    if (typeof next !== 'string') continue;
    const before = typeof facts.from === 'string' ? facts.from : lastDay;
    const endedAt = parseDate(before) === null ? null : endOfDay(before, ctx.settings.surroundings.timeZone);
    if (action !== 'link.created') found.push({ at, endedAt });
    lastDay = next;
  }
  return found;
}
