import { followLog, type LoggedEvent, listLog, readLog } from '../../../actions/audit/audit.ts';
import { readPageMarker } from '../../../actions/listing.ts';
import { writeCursor } from '../../../lib/cursor.ts';
import { isoInstant } from '../../../lib/dates.ts';
import { alreadySent, type Serve } from '../../endpoint.ts';
import { sendCsv } from '../../transport/exports.ts';

/** Markers of pages are never digits alone. */
const position = /^\d{1,15}$/;

export function serveEvents(serve: Serve): void {
  serve('listEvents', async ({ ctx, caller, query: { after, size, limit, ...filter } }) => {
    if (position.test(after)) {
      const followed = await followLog(ctx, caller, filter, { afterSeq: Number(after), limit: limit ?? 100 });
      return { events: followed.events, next: String(followed.next) };
    }
    const place = readPageMarker(after, ['number']);
    const page = { beforeSeq: place === null ? null : Number(place[0]), size };
    const { events, next } = await listLog(ctx, caller, filter, page);
    return { events, next: next === null ? null : writeCursor([next]) };
  });

  serve('exportEvents', async ({ ctx, caller, query, response, requestId }) => {
    await sendCsv({ response, requestId }, 'activity', readLog(ctx, caller, query), { columns, cells });
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

function cells(event: LoggedEvent): (string | number)[] {
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
