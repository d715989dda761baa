// Reads events for webhooks and streams, in order and without gaps.
import { type EventFilter, listAllEventsAfter } from '../../db/events/event-lists.ts';
import type { EventKind } from '../../domain/events.ts';
import type { OutgoingEvent } from '../../domain/outgoing-events.ts';
import { isoInstant } from '../../lib/dates.ts';
import { type LoggedEvent, withNames } from '../audit/audit.ts';
import type { Ctx } from '../context.ts';
import { findFinalSeq } from '../final-events.ts';

/** With more kinds than this, all events are read. */
const mostKinds = 8;
/** Unsealed events whose numbers are checked for gaps in one read. */
const mostNumbers = 2000;

export interface OutgoingBatch {
  events: OutgoingEvent[];
  /** Every event up to here is in this batch, was before it, or is of another kind. */
  upToSeq: number;
}

/** `actions`: null for all. */
export async function readOutgoing(
  ctx: Ctx,
  afterSeq: number,
  { actions, limit }: { actions: readonly EventKind[] | null; limit: number },
): Promise<OutgoingBatch> {
  const finalSeq = await findFinalSeq(ctx, afterSeq, mostNumbers);
  if (finalSeq === afterSeq) return { events: [], upToSeq: afterSeq };
  const isSelective = actions !== null && actions.length <= mostKinds;
  const filter: EventFilter = { ...everything, actions: isSelective ? actions : null };
  const found = await listAllEventsAfter(ctx.db.read, filter, { afterSeq, upToSeq: finalSeq, limit });
  const wanted = actions === null ? found : found.filter(({ action }) => actions.includes(action));
  const described = await withNames(ctx, wanted, filter);
  return {
    events: described.map(outgoingOf),
    upToSeq: found.length === limit ? found.at(-1)!.seq : finalSeq,
  };
}

const everything: EventFilter = {
  personId: null,
  actions: null,
  objectId: null,
  from: null,
  to: null,
  hiddenGroupIds: [],
  callerId: '',
};

function outgoingOf(event: LoggedEvent): OutgoingEvent {
  return {
    id: event.seq,
    at: isoInstant(event.at),
    action: event.action,
    actor_kind: event.actorKind,
    actor: event.actor,
    owner: event.owner,
    object_kind: event.objectKind,
    object_id: event.objectId,
    facts: event.facts,
    remote_ip: event.remoteIp,
    request_id: event.requestId,
  };
}
