// Connections and their shutdown. Closing an idle connection too early would lose a request that a proxy has just sent
// and may not retry.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as PortServer, Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

export interface Connections {
  /** Serves a connection that another process has accepted. */
  take(connection: Socket): void;
  /**
   * Each answer becomes the last of its connection. Resolves when no connection is left, or none had a request for
   * `quietMs`.
   */
  drain(quietMs: number): Promise<void>;
  /** Closes idle connections and resolves when none is open. */
  ended(): Promise<void>;
}

const pollMs = 50;

/** `port` accepts the connections; it is another server than `server` with TLS. */
export function takeConnections(server: Server, port: PortServer = server): Connections {
  /** By connection, its latest unfinished answer. */
  const open = new Map<Socket, ServerResponse | null>();
  /** Pipelined answers, which Node does not close with their connection. */
  const queued = new WeakMap<Socket, Set<ServerResponse>>();
  let isDraining = false;
  let askedAt = 0;
  server.on('connection', (socket: Socket) => {
    open.set(socket, null);
    socket.once('close', () => {
      open.delete(socket);
      for (const response of queued.get(socket) ?? []) response.destroy();
    });
  });
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    // A key whose value changes: a changing set would rebuild its table every few requests. This answers 1.5 times as
    // many `GET /account` over 64 connections.
    if (open.has(socket)) open.set(socket, response);
    if (response.socket === null) enqueue(queued, socket, response);
    response.once('close', () => {
      if (open.get(socket) === response) open.set(socket, null);
    });
    if (!isDraining) return;
    askedAt = performance.now();
    response.shouldKeepAlive = false;
  });
  return {
    take(connection) {
      // A client may close its side and still wait for the answer.
      connection.allowHalfOpen = true;
      port.emit('connection', connection);
    },
    async drain(quietMs) {
      isDraining = true;
      askedAt = performance.now();
      for (const response of open.values()) if (response !== null) response.shouldKeepAlive = false;
      while (open.size > 0 && performance.now() - askedAt < quietMs) await setTimeout(pollMs);
    },
    async ended() {
      while (open.size > 0) {
        server.closeIdleConnections();
        await setTimeout(pollMs);
      }
    },
  };
}

function enqueue(queued: WeakMap<Socket, Set<ServerResponse>>, socket: Socket, response: ServerResponse): void {
  const waiting = queued.get(socket) ?? new Set();
  queued.set(socket, waiting.add(response));
  response.once('socket', () => waiting.delete(response));
}
