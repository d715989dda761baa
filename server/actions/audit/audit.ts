// The event log, for administrators and auditors. Reads only.
import { type EventFilter, findAccountNames, listAllEvents, listAllEventsAfter } from '../../db/events/event-lists.ts';
import { isAboutTransfer, type RecordedEvent } from '../../db/events/events.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { type EventKind, eventKinds, isEventKind } from '../../domain/events.ts';
import { invalid } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import { withoutSealedFacts } from '../../domain/sealed-facts.ts';
import { endOfDay, startOfDay } from '../../lib/dates.ts';
import type { Ctx } from '../context.ts';
import { findFinalSeq } from '../final-events.ts';
import { findByReference, withReferences } from '../transfers/references.ts';
import { findOwner, scopeOf } from '../transfers/transfers.ts';

export interface EventQuery {
  /** Id or address of the actor or owner. */
  person?: string | undefined;
  /** A kind of event, or its prefix before the dot. */
  action?: string | undefined;
  /** An id, or a text that contains one. */
  object?: string | undefined;
  /** First and last day. */
  from?: string | undefined;
  to?: string | undefined;
  /** Without `from`: this many days until now. */
  days?: number | undefined;
}

export interface Person {
  id: string;
  /** Empty for a user out of the caller's reach. */
  email: string;
  name: string;
}

export interface LoggedEvent extends RecordedEvent {
  actor: Person | null;
  owner: Person | null;
  changes: Change[];
}

export interface Change {
  field: string;
  from: unknown;
  to: unknown;
}

export async function listLog(
  ctx: Ctx,
  caller: UserCaller,
  query: EventQuery,
  page: { beforeSeq: number | null; size: number },
): Promise<{ events: LoggedEvent[]; next: number | null }> {
  requireRight(caller, 'console.read');
  const filter = await resolveFilter(ctx, caller, query);
  const found = await listAllEvents(ctx.db.read, filter, { beforeSeq: page.beforeSeq, limit: page.size + 1 });
  const shown = found.slice(0, page.size);
  return {
    events: await withNames(ctx, shown, filter),
    next: found.length > page.size ? shown.at(-1)!.seq : null,
  };
}

/**
 * Oldest first, for programs that follow the log. `next` is the position for the next call, also if no event was found.
 * A caller who continues there misses no event, however many processes write.
 */
export async function followLog(
  ctx: Ctx,
  caller: UserCaller,
  query: EventQuery,
  page: { afterSeq: number; limit: number },
): Promise<{ events: LoggedEvent[]; next: number }> {
  requireRight(caller, 'console.read');
  const filter = await resolveFilter(ctx, caller, query);
  const upToSeq = await findFinalSeq(ctx, page.afterSeq, page.limit);
  const found = await listAllEventsAfter(ctx.db.read, filter, { ...page, upToSeq });
  return {
    events: await withNames(ctx, found, filter),
    next: found.length === page.limit ? found.at(-1)!.seq : upToSeq,
  };
}

const exportSize = 500;

export async function* readLog(ctx: Ctx, caller: UserCaller, query: EventQuery): AsyncGenerator<LoggedEvent[]> {
  for (let beforeSeq: number | null = null; ; ) {
    const { events, next }: { events: LoggedEvent[]; next: number | null } = await listLog(ctx, caller, query, {
      beforeSeq,
      size: exportSize,
    });
    if (events.length > 0) yield events;
    if (next === null) return;
    beforeSeq = next;
  }
}

const idPattern = /[A-Za-z0-9]{22}/;
const dayMs = 86_400_000;

async function resolveFilter(ctx: Ctx, caller: UserCaller, query: EventQuery): Promise<EventFilter> {
  const { hiddenGroupIds } = await scopeOf(ctx, caller);
  const nonEmpty = (text: string | undefined) => (text === undefined || text.trim() === '' ? null : text.trim());
  const person = nonEmpty(query.person);
  const object = nonEmpty(query.object);
  const { from, to } = timeOf(ctx, query);
  return {
    personId: person === null ? null : (await findOwner(ctx, caller, person)).id,
    actions: actionsOf(nonEmpty(query.action)),
    // Ids of groups and users are readable; others are extracted from the text.
    objectId: object === null ? null : await findObjectId(ctx, object),
    from,
    to,
    hiddenGroupIds,
    callerId: caller.userId,
  };
}

/** Days of the installation's time zone. */
function timeOf(ctx: Ctx, { from, to, days }: EventQuery): { from: number | null; to: number | null } {
  const { timeZone } = ctx.settings.surroundings;
  if (from !== undefined && to !== undefined && from > to)
    throw invalid('log.bad_range', 'The first day must not be after the last one.', 'from');
  const since = days === undefined ? null : ctx.clock.now() - days * dayMs;
  return {
    from: from === undefined ? since : startOfDay(from, timeZone),
    to: to === undefined ? null : endOfDay(to, timeZone),
  };
}

/** A transfer's reference, an id within the text, or the text. */
async function findObjectId(ctx: Ctx, text: string): Promise<string> {
  return (await findByReference(ctx.db.read, text)) ?? idPattern.exec(text)?.[0] ?? text;
}

function actionsOf(action: string | null): EventKind[] | null {
  if (action === null) return null;
  if (isEventKind(action)) return [action];
  const kinds = (Object.keys(eventKinds) as EventKind[]).filter((kind) => kind.startsWith(`${action}.`));
  if (kinds.length === 0) throw invalid('event.unknown_action', 'There is no such kind of event.', 'action');
  return kinds;
}

/** With people of the filter's reach, and references instead of ids of transfers. */
export async function withNames(ctx: Ctx, events: RecordedEvent[], filter: EventFilter): Promise<LoggedEvent[]> {
  const ids = [...new Set(events.flatMap(({ actorId, ownerId }) => [actorId, ownerId]))].filter((id) => id !== '');
  const names = await findAccountNames(ctx.db.read, ids, filter);
  const shown = await withReferences(ctx, events.map(withReferenceAsId));
  const personOf = (id: string) => (id === '' ? null : { id, ...(names.get(id) ?? { email: '', name: '' }) });
  return shown.map(({ facts: { reference: _, ...all }, ...event }) => {
    const facts = withoutSealedFacts(event.action, all);
    return {
      ...event,
      facts,
      actor: personOf(event.actorId),
      owner: personOf(event.ownerId),
      // The version of a group is not a change.
      changes: changesIn(facts).filter(({ field }) => field !== 'version'),
    };
  });
}

/** Older events have no reference. */
function withReferenceAsId(event: RecordedEvent): RecordedEvent {
  const { reference } = event.facts;
  return isAboutTransfer(event) && typeof reference === 'string' ? { ...event, objectId: reference } : event;
}

/** Collects all `{ from, to }` at any depth, by name. */
export function changesIn(facts: Record<string, unknown>, name = ''): Change[] {
  if ('from' in facts && ('to' in facts || 'expires' in facts))
    return [{ field: name, from: facts.from ?? null, to: facts.to ?? facts.expires ?? null }];
  return Object.entries(facts).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? changesIn(value as Record<string, unknown>, name === '' ? key : `${name}.${key}`)
      : [],
  );
}
