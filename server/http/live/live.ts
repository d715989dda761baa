// Server-sent events with the topics that changed. One reader of events serves all pages of a process; a page that
// reconnects names its last event.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LiveEventBody } from '#contract/app/live.ts';
import { findCaller } from '../../actions/api-keys/api-keys.ts';
import {
  catchUp,
  type Follower,
  followerOf,
  listInactive,
  type NewsCursor,
  openCursor,
  readNews,
} from '../../actions/live/news.ts';
import { isSessionAlive } from '../../actions/sessions/identities.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { Problem } from '../../domain/problem.ts';
import type { HttpDeps } from '../deps.ts';
import { keyOf } from '../identity/credentials.ts';
import { sessionOf } from '../identity/session-calls.ts';
import { atEnd } from '../transport/answer-end.ts';

export interface Live {
  follow(call: {
    raw: IncomingMessage;
    response: ServerResponse;
    requestId: string;
    signal: AbortSignal;
    caller: UserCaller;
  }): Promise<void>;
  close(): void;
}

interface Stream {
  follower: Follower;
  response: ServerResponse;
  /** Events that came before the stream began; null afterwards. */
  held: string[] | null;
}

const pollMs = 1000;
const heartbeatMs = 15_000;
/** A page that stops reading is disconnected; it reconnects and catches up. */
const maxPendingBytes = 64 * 1024;

export function createLive(deps: HttpDeps): Live {
  const streams = new Set<Stream>();
  const reader = createReader(deps, streams);
  let isClosed = false;

  return {
    async follow({ raw, response, requestId, signal, caller }) {
      const leave = deps.limits.eventStreams.enter(caller.userId);
      if (leave === null)
        throw new Problem('rate_limited', 'events.too_many', 'Too many tabs of this app are open. Close some.', {
          retryAfterSeconds: 30,
        });
      atEnd(response, leave);
      const follower = await followerOf(deps.ctx, caller);
      signal.throwIfAborted();
      const stream: Stream = { follower, response, held: [] };
      // From here on nothing is lost: new events are held during the catch-up.
      streams.add(stream);
      atEnd(response, () => {
        streams.delete(stream);
        if (streams.size === 0) reader.stop();
      });
      try {
        const known = await reader.start();
        const missed = await missedSince(deps, caller, raw.headers['last-event-id']);
        signal.throwIfAborted();
        if (isClosed || raw.method === 'HEAD') return end(response, requestId);
        begin(response, requestId);
        response.write(`retry: 2000\n\n${eventText(known, missed)}${stream.held!.join('')}`);
        stream.held = null;
      } catch (error) {
        streams.delete(stream);
        throw error;
      }
      const beat = setInterval(() => checkOn(deps, raw, stream), heartbeatMs);
      beat.unref();
      atEnd(response, () => clearInterval(beat));
    },
    close() {
      isClosed = true;
      reader.stop();
      for (const stream of streams) if (stream.held === null) stream.response.end();
    },
  };
}

function begin(response: ServerResponse, requestId: string): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-accel-buffering': 'no',
    vary: 'Accept, Authorization, Cookie',
    'x-request-id': requestId,
  });
}

function end(response: ServerResponse, requestId: string): void {
  begin(response, requestId);
  response.end();
}

async function missedSince(
  deps: HttpDeps,
  caller: UserCaller,
  lastEventId: string | string[] | undefined,
): Promise<LiveEventBody['topics']> {
  if (typeof lastEventId !== 'string' || !/^\d{1,15}$/.test(lastEventId)) return [];
  return catchUp(deps.ctx, caller, Number(lastEventId));
}

function eventText(seq: number, topics: LiveEventBody['topics']): string {
  return `id: ${seq}\ndata: ${JSON.stringify({ topics } satisfies LiveEventBody)}\n\n`;
}

/** Following does not count as activity. */
function checkOn(deps: HttpDeps, raw: IncomingMessage, { response }: Stream): void {
  const session = raw.headers.authorization === undefined ? sessionOf(deps, raw) : undefined;
  const from = { address: '', agent: '', requestId: '' };
  const isStill =
    session === undefined
      ? findCaller(deps.ctx, keyOf(raw) ?? '', from).then((caller) => caller !== null)
      : isSessionAlive(deps.ctx, session);
  isStill.then(
    (isAlive) => {
      if (!isAlive) response.end();
      else if (!response.writableEnded) response.write(': still here\n\n');
    },
    (error: unknown) => deps.ctx.log.warn({ err: String(error) }, 'a stream of events could not be checked'),
  );
}

/** One read for all followers, a second after the last one ended. */
function createReader(deps: HttpDeps, streams: Set<Stream>) {
  let cursor: Promise<NewsCursor> | null = null;
  let timer: NodeJS.Timeout | null = null;

  /** A signed-out user follows for at most 5 s, on any process. */
  const endUnpermitted = async (followers: Follower[]) => {
    const inactive = await listInactive(deps.ctx, followers);
    for (const stream of streams) if (inactive.has(stream.follower.userId)) stream.response.destroy();
  };
  const read = async (position: NewsCursor) => {
    const followers = [...streams].map((stream) => stream.follower);
    await endUnpermitted(followers);
    const news = await readNews(deps.ctx, position, followers);
    for (const stream of streams) {
      const own = news.filter((one) => one.userId === stream.follower.userId);
      if (own.length === 0) continue;
      const topics = [...new Set(own.flatMap((one) => one.topics))];
      const text = eventText(Math.max(...own.map((one) => one.seq)), topics);
      if (stream.held !== null) stream.held.push(text);
      else if (stream.response.writableLength > maxPendingBytes) stream.response.destroy();
      else stream.response.write(text);
    }
  };
  const again = (position: Promise<NewsCursor>) => {
    timer = setTimeout(async () => {
      await position
        .then(read)
        .catch((error: unknown) => deps.ctx.log.warn({ err: String(error) }, 'new events could not be read'));
      if (cursor === position) again(position);
    }, pollMs);
    timer.unref();
  };

  return {
    /** Returns the number of the last known event. */
    async start(): Promise<number> {
      if (cursor === null) {
        cursor = openCursor(deps.ctx);
        cursor.catch(() => {
          cursor = null;
        });
        again(cursor);
      }
      return (await cursor).last;
    },
    stop(): void {
      cursor = null;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
