// The log of everything that happened, for administrators and auditors.
import type { z } from 'zod';
import type { EventBody, eventsExportQuery } from '#contract/admin/events.ts';
import { type EventWishes, type LoggedEvent, listLog, readLog } from '../../../actions/audit/audit.ts';
import type { Ctx } from '../../../actions/context.ts';
import { invalid } from '../../../domain/problem.ts';
import { csvLine } from '../../../lib/csv.ts';
import { readCursor, writeCursor } from '../../../lib/cursor.ts';
import { endOfDay, isoInstant, startOfDay } from '../../../lib/dates.ts';
import { alreadySent, type Serve } from '../../endpoint.ts';
import { sendChunks } from '../../transport/answers.ts';

const usualSize = 50;
const dayMs = 86_400_000;

export function serveEvents(serve: Serve): void {
  serve('listEvents', async ({ ctx, caller, query }) => {
    const page = { beforeSeq: placeOf(query.after), size: query.size ?? usualSize };
    const { events, next } = await listLog(ctx, caller, wishesOf(ctx, query), page);
    return { events: events.map(eventBody), next: next === null ? null : writeCursor([next]) };
  });

  serve('exportEvents', async ({ ctx, caller, query, response, requestId }) => {
    const headers = {
      'content-disposition': 'attachment; filename="activity.csv"',
      'content-type': 'text/csv; charset=utf-8; header=present',
    };
    await sendChunks({ response, requestId, headers }, csvOf(readLog(ctx, caller, wishesOf(ctx, query))));
    return alreadySent;
  });
}

const columns = [
  'id',
  'at',
  'action',
  'actor',
  'owner',
  'object_kind',
  'object_id',
  'facts',
  'remote_ip',
  'request_id',
];

/** The names of the fields come with the first lines, so that a fault before them is still an answer. */
async function* csvOf(pages: AsyncGenerator<LoggedEvent[]>): AsyncGenerator<string> {
  let head = csvLine(columns);
  for await (const page of pages) {
    yield head + page.map((event) => csvLine(cellsOf(event))).join('');
    head = '';
  }
  if (head !== '') yield head;
}

function cellsOf(event: LoggedEvent): (string | number)[] {
  return [
    event.seq,
    isoInstant(event.at),
    event.action,
    event.actor === null ? event.actorKind : event.actor.email || event.actor.id,
    event.owner === null ? '' : event.owner.email || event.owner.id,
    event.objectKind,
    event.objectId,
    JSON.stringify(event.facts),
    event.remoteIp,
    event.requestId,
  ];
}

function placeOf(after: string | undefined): number | null {
  if (after === undefined || after === '') return null;
  const values = readCursor(after, ['number']);
  if (values === null)
    throw invalid('list.bad_place', 'The list can’t go on from here. Start again from its first page.', 'after');
  return Number(values[0]);
}

/** Days are those of the installation. */
function wishesOf(ctx: Ctx, query: z.output<typeof eventsExportQuery>): EventWishes {
  const { person, action, object, from, to, days } = query;
  const { timeZone } = ctx.settings.surroundings;
  if (from !== undefined && to !== undefined && from > to)
    throw invalid('log.bad_range', 'The first day must not be after the last one.', 'from');
  const since = days === undefined ? null : ctx.clock.now() - days * dayMs;
  return {
    person,
    action,
    object,
    from: from === undefined ? since : startOfDay(from, timeZone),
    to: to === undefined ? null : endOfDay(to, timeZone),
  };
}

function eventBody(event: LoggedEvent): EventBody {
  return {
    id: event.seq,
    at: isoInstant(event.at),
    action: event.action,
    actor_kind: event.actorKind,
    actor: event.actor,
    owner: event.owner,
    object_kind: event.objectKind,
    object_id: event.objectId,
    changes: event.changes.map(({ field, from, to }) => ({ field, from: from ?? null, to: to ?? null })),
    facts: event.facts,
    remote_ip: event.remoteIp,
    request_id: event.requestId,
  };
}
