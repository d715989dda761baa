// Reads and changes wait while the connection is lost; uploads pause.
import { onlineManager } from '@tanstack/react-query';
import { basePath } from './host-page.ts';
import { createStore } from './store.ts';

export type Connection = 'online' | 'offline' | 'unreachable' | 'restarting';

export const connection = createStore<Connection>('online');

/** A server that shuts down, or a proxy without a server, sends them. */
const unavailableStatuses = [502, 503, 504];

export function isUnavailableStatus(status: number): boolean {
  return status === 0 || unavailableStatuses.includes(status);
}

const probeTimeoutMs = 10_000;
const firstWaitMs = 1_500;
const longestWaitMs = 15_000;

let isProbing = false;
let wake = () => {};

/** Called once, before the first screen. */
export function watchConnection(): void {
  // The browser's own events do not detect a server that is down.
  onlineManager.setEventListener((setOnline) => connection.listen(() => setOnline(connection.read() === 'online')));
  addEventListener('offline', () => {
    connection.change(() => 'offline');
    suspectConnection();
  });
  addEventListener('online', () => wake());
  document.addEventListener('visibilitychange', () => wake());
}

/** Probes until the server responds. */
export function suspectConnection(): void {
  if (isProbing) return;
  isProbing = true;
  void probeUntilAvailable().finally(() => {
    isProbing = false;
  });
}

async function probeUntilAvailable(): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const found = await probe();
    if (found === 'online') {
      connection.change(() => found);
      return;
    }
    // One failed request is not a lost connection.
    if (attempt > 0 || found === 'offline') connection.change(() => found);
    await wait(Math.min(longestWaitMs, firstWaitMs * 1.5 ** attempt));
  }
}

async function probe(): Promise<Connection> {
  try {
    const signal = AbortSignal.timeout(probeTimeoutMs);
    const { status } = await fetch(`${basePath}/healthz`, { cache: 'no-store', signal });
    return unavailableStatuses.includes(status) ? 'restarting' : 'online';
  } catch {
    return navigator.onLine ? 'unreachable' : 'offline';
  }
}

/** Ends early when the browser is online or the tab visible again. */
function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

export async function isReachable(): Promise<boolean> {
  return (await probe()) === 'online';
}

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
