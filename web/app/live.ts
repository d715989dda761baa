// The server says that something changed, and what was read about it is read again. Reconnects after a lost connection or a
// server that starts again, and then reads everything again, since words may have been missed.
import type { QueryClient } from '@tanstack/react-query';
import type { LiveEventBody } from '#contract/app/live.ts';
import { connection, suspectConnection } from './connection.ts';
import { basePath } from './host-page.ts';

const firstWaitMs = 1_000;
const longestWaitMs = 30_000;

/** Called once, at the start; `known` is everything that was read. */
export function listenToServer(known: QueryClient): void {
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = firstWaitMs;
  let wasLost = false;

  const open = () => {
    source = new EventSource(`${basePath}/app-api/events`);
    source.onopen = () => {
      waitMs = firstWaitMs;
      // Also what was read before the connection was open: it may have changed since.
      if (wasLost) void known.invalidateQueries();
      else void known.invalidateQueries({ predicate: ({ state }) => state.data !== undefined });
      wasLost = false;
    };
    source.onmessage = ({ data }: MessageEvent<string>) => {
      for (const topic of topicsOf(data))
        void known.invalidateQueries(topic === 'everything' ? {} : { queryKey: [topic] });
    };
    source.onerror = () => {
      wasLost = true;
      suspectConnection();
      // The browser connects again after a lost connection, but gives up when the response is not a stream.
      if (source.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, waitMs * (0.75 + Math.random() / 2));
      waitMs = Math.min(longestWaitMs, waitMs * 2);
    };
  };

  open();
  connection.listen(() => {
    if (connection.read() !== 'online' || source.readyState === EventSource.OPEN) return;
    clearTimeout(timer);
    source.close();
    waitMs = firstWaitMs;
    open();
  });
}

/** Anything that is not an event of ours names no topics. */
function topicsOf(data: string): LiveEventBody['topics'] {
  try {
    const { topics } = JSON.parse(data) as Partial<LiveEventBody>;
    return Array.isArray(topics) ? topics : [];
  } catch {
    return [];
  }
}
