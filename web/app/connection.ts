// The one state of the connection, for the whole app: online, offline (the browser says so), unreachable (no answer), or
// restarting (something in front of the server says that it is away). Found out by asking the server itself, and left
// again without anybody's help. Reads and changes wait while it is lost; uploads pause.
import { onlineManager } from '@tanstack/react-query';
import { basePath } from './host-page.ts';
import { createStore } from './store.ts';

export type Connection = 'online' | 'offline' | 'unreachable' | 'restarting';

export const connection = createStore<Connection>('online');

/** Sent by a server that is shutting down, and by a proxy whose server is gone. */
const awayStatuses = [502, 503, 504];

export function isAwayStatus(status: number): boolean {
  return status === 0 || awayStatuses.includes(status);
}

const probeTimeoutMs = 10_000;
const firstWaitMs = 1_500;
const longestWaitMs = 15_000;

let isLooking = false;
let wake = () => {};

/** Called once, before the first screen. */
export function watchConnection(): void {
  // The browser's own events are not enough: they say nothing about a server that is down.
  onlineManager.setEventListener((setOnline) => connection.listen(() => setOnline(connection.read() === 'online')));
  addEventListener('offline', () => {
    connection.change(() => 'offline');
    suspectConnection();
  });
  addEventListener('online', () => wake());
  document.addEventListener('visibilitychange', () => wake());
}

/** A call got no answer, or one that says the server is away: find out, and keep asking until it is back. */
export function suspectConnection(): void {
  if (isLooking) return;
  isLooking = true;
  void keepAsking().finally(() => {
    isLooking = false;
  });
}

async function keepAsking(): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const found = await probe();
    if (found === 'online') {
      connection.change(() => found);
      return;
    }
    // One lost request is not a lost connection, unless the browser says so too.
    if (attempt > 0 || found === 'offline') connection.change(() => found);
    await wait(Math.min(longestWaitMs, firstWaitMs * 1.5 ** attempt));
  }
}

async function probe(): Promise<Connection> {
  try {
    const signal = AbortSignal.timeout(probeTimeoutMs);
    const { status } = await fetch(`${basePath}/healthz`, { cache: 'no-store', signal });
    return awayStatuses.includes(status) ? 'restarting' : 'online';
  } catch {
    return navigator.onLine ? 'unreachable' : 'offline';
  }
}

/** Shorter when the browser says that it is online again, or when people come back to the tab. */
function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

/** Does the server answer at this moment? */
export async function isReachable(): Promise<boolean> {
  return (await probe()) === 'online';
}

/** Resolves when there is a connection; at once when there is one. */
export function untilOnline(): Promise<void> {
  return new Promise((resolve) => {
    if (connection.read() === 'online') return resolve();
    const stop = connection.listen(() => {
      if (connection.read() !== 'online') return;
      stop();
      resolve();
    });
  });
}
