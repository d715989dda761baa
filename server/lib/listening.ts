import { once } from 'node:events';
import { lstat, rm } from 'node:fs/promises';
import { connect, Server } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Listen } from './config-values.ts';
import { OperatorProblem } from './operator-problem.ts';

export class ListenProblem extends OperatorProblem {}

export function listenOptions(listen: Listen): { host: string; port: number } | { path: string } {
  return listen.kind === 'port' ? { host: listen.host, port: listen.port } : { path: listen.path };
}

/** Removes the socket file of a killed process, never a socket in use or any other file. */
export async function removeStaleSocket(listen: Listen): Promise<void> {
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

/** `address` is what the listening server returns. */
export function listeningUrl(
  listen: Listen,
  address: string | { port: number } | null,
  scheme: 'http' | 'https' = 'http',
): string {
  if (listen.kind === 'socket' || typeof address === 'string' || address === null) return String(address ?? '');
  return `${scheme}://${listen.host.includes(':') ? `[${listen.host}]` : listen.host}:${address.port}`;
}

export function asListenProblem(error: unknown, listen: Listen, setting = 'WAYBILL_LISTEN'): unknown {
  const reason = reasons[(error as NodeJS.ErrnoException).code ?? ''];
  const place = listen.kind === 'port' ? `${listen.host}:${listen.port}` : listen.path;
  return reason === undefined ? error : new ListenProblem(`${setting} is ${place}, but ${reason}.`, { cause: error });
}

/** The accept queue counts as empty if a poll of this length finds no connection. */
const pollMs = 1;
const maxPolls = 1000;

/** Keeps open connections. Closing a port would reset connections in its queue, so the queue is emptied first. */
export async function stopListening(server: Server): Promise<void> {
  let taken = 0;
  const count = () => {
    taken += 1;
  };
  server.on('connection', count);
  // From now on checks run between two turns of the event loop.
  await setImmediate();
  for (let polls = 0; polls < maxPolls; polls++) {
    const [before, began] = [taken, performance.now()];
    await setImmediate();
    if (taken === before && performance.now() - began < pollMs) break;
  }
  server.off('connection', count);
  // The method of web servers would also close idle connections.
  Server.prototype.close.call(server);
}

const reasons: Record<string, string> = {
  EADDRINUSE: 'another program listens there already',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'this machine has no such address',
  EACCES: 'this user may not listen there',
  ENOENT: 'its folder does not exist',
};
