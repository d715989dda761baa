// Refetches queries of changed topics, and everything after a reconnect, because events may have been missed.
import type { QueryClient } from '@tanstack/react-query';
import type { LiveEventBody } from '#contract/app/live.ts';
import { connection, suspectConnection } from './connection.ts';
import { basePath } from './host-page.ts';

const firstWaitMs = 1_000;
const longestWaitMs = 30_000;

export function listenToServer(known: QueryClient): void {
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = firstWaitMs;
  let wasLost = false;

  const open = () => {
    source = new EventSource(`${basePath}/app-api/events`);
    source.onopen = () => {
      waitMs = firstWaitMs;
      // Queries from before the connection opened may be stale.
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
      // EventSource reconnects, but not when the response is no stream.
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

/** Unknown events have no topics. */
function topicsOf(data: string): LiveEventBody['topics'] {
  try {
    const { topics } = JSON.parse(data) as Partial<LiveEventBody>;
    return Array.isArray(topics) ? topics : [];
  } catch {
    return [];
  }
}
