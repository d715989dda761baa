// The transfers that an account, an address or a network could have reached: from rows as they are now, put back into
// the past by what the log says about them.

import type { RecordedEvent } from '../../db/events.ts';
import {
  listChangesOf,
  listFilesOf,
  listHandOvers,
  listOwnTransfers,
  listReceivedTransfers,
  listSeenFrom,
} from '../../db/exposure.ts';
import type { EventKind } from '../../domain/events.ts';
import type { KeptTransfer, ReachCandidate, Span, Way } from '../../domain/exposure.ts';
import { endOfDay, parseDate } from '../../lib/dates.ts';
import type { Ctx } from '../context.ts';

/** Kinds that end a transfer, and kinds that move its last day. */
const stops: readonly EventKind[] = ['message.revoked', 'message.files_deleted', 'link.deleted', 'request.closed'];
const moves: readonly EventKind[] = [
  'message.extended',
  'link.created',
  'link.changed',
  'request.extended',
  'request.reopened',
];
const additions: readonly EventKind[] = ['message.recipient_added', 'message.recipient_corrected'];

/** Access of one person to one transfer, where it is not as long as the transfer lives. */
interface Access {
  from: number;
  until: number | null;
}

export async function candidatesOfUser(
  ctx: Ctx,
  user: { id: string; addresses: string[] },
  { to }: Span,
): Promise<ReachCandidate[]> {
  const ownership = new Map<string, Access>();
  for (const { action, objectId, at } of await listHandOvers(ctx.db.read, user.id)) {
    const before = ownership.get(objectId) ?? { from: 0, until: null };
    ownership.set(objectId, action === 'transfer.handed_over' ? { ...before, until: at } : { from: at, until: null });
  }
  const own = await listOwnTransfers(ctx.db.read, user.id, [...ownership.keys()], to);
  const received = await listReceivedTransfers(ctx.db.read, user.addresses, to);
  return [
    ...(await describe(ctx, own, () => 'own', ownership)),
    // What somebody sent to themselves is their own.
    ...(await describeReceived(
      ctx,
      received.filter(({ ownerId }) => ownerId !== user.id),
    )),
  ];
}

export async function candidatesOfAddress(ctx: Ctx, address: string, { to }: Span): Promise<ReachCandidate[]> {
  return describeReceived(ctx, await listReceivedTransfers(ctx.db.read, [address], to));
}

export async function candidatesOfNetwork(
  ctx: Ctx,
  ip: string,
  span: Span,
): Promise<{ candidates: ReachCandidate[]; accounts: { id: string; events: number }[] }> {
  const { transferIds, accounts } = await listSeenFrom(ctx.db.read, ip, span);
  const rows = transferIds.length === 0 ? [] : await listOwnTransfers(ctx.db.read, '', transferIds, span.to);
  return { candidates: await describe(ctx, rows, () => 'touched', new Map()), accounts };
}

function describeReceived(ctx: Ctx, rows: KeptTransfer[]): Promise<ReachCandidate[]> {
  return describe(ctx, rows, ({ kind }) => (kind === 'request' ? 'asked' : 'received'), new Map());
}

async function describe(
  ctx: Ctx,
  rows: KeptTransfer[],
  wayOf: (row: KeptTransfer) => Way,
  access: ReadonlyMap<string, Access>,
): Promise<ReachCandidate[]> {
  const ids = [...new Set(rows.map(({ id }) => id))];
  const files = await listFilesOf(ctx.db.read, ids);
  const changes = Map.groupBy(
    await listChangesOf(ctx.db.read, ids, [...stops, ...moves, ...additions]),
    ({ objectId }) => objectId,
  );
  return rows.map((row) => {
    const events = changes.get(row.id) ?? [];
    const stoppedAt = row.stoppedAt === null ? null : (lastStop(events) ?? row.stoppedAt);
    const own = access.get(row.id);
    return {
      id: row.id,
      kind: row.kind,
      way: wayOf(row),
      ownerId: row.ownerId,
      address: row.address,
      createdAt: row.createdAt,
      endsAt: Math.min(row.expiresAt, stoppedAt ?? row.expiresAt),
      extensions: extensionsOf(ctx, events),
      accessFrom: own?.from ?? addedAt(events, row),
      accessUntil: own?.until ?? row.revokedAt,
      isOpenNow: row.isOpen && row.expiresAt > ctx.clock.now() && (own?.until ?? row.revokedAt) === null,
      files: files.get(row.id) ?? [],
    };
  });
}

function lastStop(events: RecordedEvent[]): number | null {
  return events.findLast(({ action }) => stops.includes(action))?.at ?? null;
}

function addedAt(events: RecordedEvent[], { address }: KeptTransfer): number {
  if (address === '') return 0;
  const added = events.findLast(
    ({ action, facts }) =>
      (action === 'message.recipient_added' && facts.recipient === address) ||
      (action === 'message.recipient_corrected' && facts.to === address),
  );
  return added?.at ?? 0;
}

/** Each later last day, with the end that was in force until then. */
function extensionsOf(ctx: Ctx, events: RecordedEvent[]): { at: number; endedAt: number }[] {
  const extensions: { at: number; endedAt: number }[] = [];
  let lastDay = '';
  for (const { action, at, facts } of events) {
    if (!moves.includes(action)) continue;
    const next = action === 'message.extended' ? facts.to : facts.expires;
    if (typeof next !== 'string') continue;
    const before = typeof facts.from === 'string' ? facts.from : lastDay;
    if (parseDate(before) !== null)
      extensions.push({ at, endedAt: endOfDay(before, ctx.settings.surroundings.timeZone) });
    lastDay = next;
  }
  return extensions;
}
