// Follows server-sent events as a browser does: remembers the last event id and can reconnect with it.
import { type LiveEventBody, liveEvent } from '#contract/app/live.ts';
import type { ApiClient } from './client.ts';
import type { SignedIn } from './signed-in.ts';

export interface Following {
  status: number;
  /** Body of a refusal; empty for a stream. */
  refusal: string;
  topics: LiveEventBody['topics'];
  lastId: string;
  /** Comments of the stream, which keep the connection open. */
  signsOfLife: number;
  saw(topic: LiveEventBody['topics'][number]): Promise<void>;
  ended: Promise<void>;
  leave(): void;
}

export async function follow(client: ApiClient | SignedIn, headers: Record<string, string> = {}): Promise<Following> {
  const stop = new AbortController();
  const shown = 'shown' in client ? client.shown : { authorization: `Bearer ${client.key}` };
  const all: Record<string, string> = { accept: 'text/event-stream', ...shown, ...headers };
  const response = await fetch(`${client.url}/app-api/events`, {
    headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
    signal: stop.signal,
  });
  const waiting = new Set<() => void>();
  const following: Following = {
    status: response.status,
    refusal: response.ok ? '' : await response.text(),
    topics: [],
    lastId: '',
    signsOfLife: 0,
    ended: Promise.resolve(),
    async saw(topic) {
      while (!following.topics.includes(topic)) await new Promise<void>((resolve) => waiting.add(resolve));
    },
    leave: () => stop.abort(),
  };
  if (!response.ok) return following;
  const hello = Promise.withResolvers<void>();
  following.ended = (async () => {
    let text = '';
    try {
      for await (const chunk of response.body!) {
        text += Buffer.from(chunk).toString();
        const events = text.split('\n\n');
        text = events.pop()!;
        for (const event of events) take(following, event);
        if (following.lastId !== '') hello.resolve();
        for (const wake of waiting) wake();
        waiting.clear();
      }
    } catch (error) {
      if (!stop.signal.aborted && !/terminated/.test(String(error))) throw error;
    } finally {
      hello.resolve();
    }
  })();
  await hello.promise;
  return following;
}

function take(following: Following, event: string): void {
  for (const line of event.split('\n')) {
    if (line.startsWith(':')) following.signsOfLife += 1;
    if (line.startsWith('id: ')) following.lastId = line.slice(4);
    if (line.startsWith('data: ')) following.topics.push(...liveEvent.parse(JSON.parse(line.slice(6))).topics);
  }
}
