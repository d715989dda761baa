// Where a process listens, in words: the address for people, and one sentence when it cannot listen there.

import type { Listen } from './config-values.ts';

/** A start that cannot continue; the message is for the operator. */
export class ListenProblem extends Error {}

/** What to give to `listen`. */
export function listenOptions(listen: Listen): { host: string; port: number } | { path: string } {
  return listen.kind === 'port' ? { host: listen.host, port: listen.port } : { path: listen.path };
}

/** As a person would type it. `address` is what the server says once it listens. */
export function listeningUrl(listen: Listen, address: string | { port: number } | null): string {
  if (listen.kind === 'socket' || typeof address === 'string' || address === null) return String(address ?? '');
  const host = listen.host === '0.0.0.0' || listen.host === '::' ? 'localhost' : listen.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

export function asListenProblem(error: unknown, listen: Listen, setting = 'WAYBILL_LISTEN'): unknown {
  const reason = reasons[(error as NodeJS.ErrnoException).code ?? ''];
  const place = listen.kind === 'port' ? `${listen.host}:${listen.port}` : listen.path;
  return reason === undefined ? error : new ListenProblem(`${setting} is ${place}, but ${reason}.`, { cause: error });
}

const reasons: Record<string, string> = {
  EADDRINUSE: 'another program listens there already',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'this machine has no such address',
  EACCES: 'this user may not listen there',
  ENOENT: 'its folder does not exist',
};
