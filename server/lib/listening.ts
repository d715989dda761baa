// Where a process listens, in words: the address for people, and one sentence when it cannot listen there. And how it stops.
import { once } from 'node:events';
import { lstat, rm } from 'node:fs/promises';
import { connect, Server } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Listen } from './config-values.ts';
import { OperatorProblem } from './operator-problem.ts';

export class ListenProblem extends OperatorProblem {}

/** What to give to `listen`. */
export function listenOptions(listen: Listen): { host: string; port: number } | { path: string } {
  return listen.kind === 'port' ? { host: listen.host, port: listen.port } : { path: listen.path };
}

/**
 * To be called before listening. Removes the socket file that a killed process left behind. A socket
 * in use and any other file stay.
 */
export async function clearTheWay(listen: Listen): Promise<void> {
  if (listen.kind === 'port') return;
  const found = await lstat(listen.path).catch(() => null);
  if (found?.isSocket() !== true) return;
  const caller = connect(listen.path);
  const code = await once(caller, 'connect').then(
    () => null,
    (error: NodeJS.ErrnoException) => error.code,
  );
  caller.destroy();
  if (code === 'ECONNREFUSED') await rm(listen.path, { force: true });
}

/** As a person would type it. `address` is what the server says once it listens. */
export function listeningUrl(listen: Listen, address: string | { port: number } | null): string {
  if (listen.kind === 'socket' || typeof address === 'string' || address === null) return String(address ?? '');
  return `http://${listen.host.includes(':') ? `[${listen.host}]` : listen.host}:${address.port}`;
}

export function asListenProblem(error: unknown, listen: Listen, setting = 'WAYBILL_LISTEN'): unknown {
  const reason = reasons[(error as NodeJS.ErrnoException).code ?? ''];
  const place = listen.kind === 'port' ? `${listen.host}:${listen.port}` : listen.path;
  return reason === undefined ? error : new ListenProblem(`${setting} is ${place}, but ${reason}.`, { cause: error });
}

/** The accept queue counts as empty when a check that took no longer than this found no connection. */
const lookMs = 1;
const looksMax = 1000;

/**
 * Takes no more connections; those that are open stay. Closing a port resets connections that are still in its queue, perhaps with a
 * request already sent: so the queue is emptied first.
 */
export async function stopListening(server: Server): Promise<void> {
  let taken = 0;
  const count = () => {
    taken += 1;
  };
  server.on('connection', count);
  // Network events come before the next check; from now on checks run between two turns of the loop.
  await setImmediate();
  for (let looks = 0; looks < looksMax; looks++) {
    const [before, began] = [taken, performance.now()];
    await setImmediate();
    if (taken === before && performance.now() - began < lookMs) break;
  }
  server.off('connection', count);
  // Not the method of a web server, which also closes connections that are kept.
  Server.prototype.close.call(server);
}

const reasons: Record<string, string> = {
  EADDRINUSE: 'another program listens there already',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'this machine has no such address',
  EACCES: 'this user may not listen there',
  ENOENT: 'its folder does not exist',
};
