// Writes every event to syslog and to a file: at least once, in order. One process at a time has the job.

import { findStream, type StreamName, type StreamProgress, saveStream } from '../../db/event-receivers/streams.ts';
import { findLastSeq } from '../../db/events/events.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { cefOf, ocsfOf, severityOf } from '../../domain/event-mappings.ts';
import type { OutgoingEvent } from '../../domain/outgoing-events.ts';
import { Problem } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { SyslogFormat } from '../../domain/settings.ts';
import { retryDelayMs } from '../../domain/webhooks.ts';
import { isoInstant } from '../../lib/dates.ts';
import { appendLines } from '../../lib/lines-file.ts';
import { type SyslogMessage, sendSyslog } from '../../lib/syslog.ts';
import type { Ctx } from '../context.ts';
import { readOutgoing } from './outgoing.ts';

const batchSize = 500;
/** Batches of one run. */
const mostBatches = 20;
/** Streams are local, so they are retried soon. */
const longestDelayMs = 60_000;

interface Stream {
  target: string;
  format: SyslogFormat;
  write(ctx: Ctx, events: readonly OutgoingEvent[]): Promise<void>;
}

function findConfigured({ settings }: Pick<Ctx, 'settings'>, name: StreamName): Stream | null {
  const { syslog, file } = settings.surroundings.eventReceivers;
  if (name === 'file')
    return file === null
      ? null
      : { target: file, format: 'json', write: (_ctx, events) => appendLines(file, events.map(toLine)) };
  if (syslog === null) return null;
  const { url, format } = syslog;
  return {
    target: url.href,
    format,
    write: (ctx, events) =>
      sendSyslog(
        syslog,
        events.map((event) => messageOf(ctx, format, event)),
      ),
  };
}

const toLine = (event: OutgoingEvent) => JSON.stringify(event);

function messageOf({ settings }: Pick<Ctx, 'settings'>, format: SyslogFormat, event: OutgoingEvent): SyslogMessage {
  const { baseUrl, version } = settings.surroundings;
  const texts: Record<SyslogFormat, () => string> = {
    json: () => toLine(event),
    cef: () => cefOf(event, version),
    ocsf: () => JSON.stringify(ocsfOf(event, version)),
  };
  const cefSeverity = severityOf(event.action);
  return {
    at: event.at,
    host: new URL(baseUrl).hostname,
    messageId: event.action,
    severity: cefSeverity >= 7 ? 4 : cefSeverity >= 4 ? 5 : 6,
    text: texts[format](),
  };
}

export const writeSyslog = (ctx: Ctx): Promise<number> => writeStream(ctx, 'syslog');
export const writeEventsFile = (ctx: Ctx): Promise<number> => writeStream(ctx, 'file');

/** Returns the number of written events. */
async function writeStream(ctx: Ctx, name: StreamName): Promise<number> {
  const stream = findConfigured(ctx, name);
  if (stream === null) return 0;
  let written = 0;
  let progress = await openProgress(ctx, name);
  for (let batch = 0; batch < mostBatches && progress.nextAt <= ctx.clock.now(); batch++) {
    const { events, upToSeq } = await readOutgoing(ctx, progress.position, { actions: null, limit: batchSize });
    if (events.length === 0) break;
    progress = await writeBatch(ctx, stream, { progress, events, upToSeq });
    if (progress.attempts > 0) break;
    written += events.length;
  }
  return written;
}

/** A stream that is new begins with the next event. */
async function openProgress(ctx: Ctx, name: StreamName): Promise<StreamProgress> {
  const found = await findStream(ctx.db.read, name);
  if (found !== null) return found;
  const position = await findLastSeq(ctx.db.read);
  const fresh = { name, position, attempts: 0, firstFailedAt: null, nextAt: 0, lastError: '', deliveredAt: null };
  await ctx.db.write((tx) => saveStream(tx, fresh));
  return fresh;
}

async function writeBatch(
  ctx: Ctx,
  stream: Stream,
  { progress, events, upToSeq }: { progress: StreamProgress; events: readonly OutgoingEvent[]; upToSeq: number },
): Promise<StreamProgress> {
  const error = await stream.write(ctx, events).then(
    () => null,
    (reason: Error) => reason.message.slice(0, 300),
  );
  const now = ctx.clock.now();
  const attempts = progress.attempts + 1;
  if (error !== null && attempts === 1)
    ctx.log.warn({ stream: progress.name, err: error }, 'events could not be written to a stream');
  const next: StreamProgress =
    error === null
      ? { ...progress, position: upToSeq, attempts: 0, firstFailedAt: null, nextAt: 0, deliveredAt: now }
      : {
          ...progress,
          attempts,
          firstFailedAt: progress.firstFailedAt ?? now,
          nextAt: now + Math.min(retryDelayMs(attempts), longestDelayMs),
          lastError: error,
        };
  await ctx.db.write((tx) => saveStream(tx, next));
  return next;
}

export interface ShownStream extends StreamProgress {
  target: string;
  format: SyslogFormat;
  waiting: boolean;
}

const names: readonly StreamName[] = ['syslog', 'file'];

export async function listStreams(ctx: Ctx, caller: UserCaller): Promise<ShownStream[]> {
  requireRight(caller, 'system.read');
  const lastSeq = await findLastSeq(ctx.db.read);
  const shown: ShownStream[] = [];
  for (const name of names) {
    const stream = findConfigured(ctx, name);
    if (stream === null) continue;
    const found = await findStream(ctx.db.read, name);
    const progress = found ?? {
      name,
      position: lastSeq,
      attempts: 0,
      firstFailedAt: null,
      nextAt: 0,
      lastError: '',
      deliveredAt: null,
    };
    const { target, format } = stream;
    shown.push({ ...progress, target, format, waiting: progress.position < lastSeq });
  }
  return shown;
}

/** Of those that are configured. */
export async function listFailingStreams(ctx: Ctx): Promise<{ target: string; error: string; since: number }[]> {
  const failing = [];
  for (const name of names) {
    const stream = findConfigured(ctx, name);
    const progress = stream === null ? null : await findStream(ctx.db.read, name);
    if (stream === null || progress === null || progress.firstFailedAt === null) continue;
    failing.push({ target: stream.target, error: progress.lastError, since: progress.firstFailedAt });
  }
  return failing;
}

/** Writes an event of the kind `stream.tested`, which the log does not have. */
export async function testStream(ctx: Ctx, caller: UserCaller, name: string): Promise<{ error: string }> {
  requireRight(caller, 'system.change');
  const known = names.find((candidate) => candidate === name);
  const stream = known === undefined ? null : findConfigured(ctx, known);
  if (stream === null) throw new Problem('not_found', 'stream.not_found', 'This stream is not configured.');
  const event: OutgoingEvent = {
    id: 0,
    at: isoInstant(ctx.clock.now()),
    action: 'stream.tested',
    actor_kind: 'user',
    actor: { id: caller.userId, email: caller.email, name: caller.name },
    owner: null,
    object_kind: 'system',
    object_id: name,
    facts: {},
    remote_ip: caller.from.address,
    request_id: caller.from.requestId,
  };
  return stream.write(ctx, [event]).then(
    () => ({ error: '' }),
    (reason: Error) => ({ error: reason.message.slice(0, 300) }),
  );
}
