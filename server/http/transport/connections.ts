// The connections of a server, whether it has accepted them itself or another process has for it, and their gentle end:
// every answer says `connection: close`, and a kept connection is closed only once nobody asks over it any more. Closing it
// earlier would lose the request that a proxy has just sent, which the proxy may not send again.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

export interface Connections {
  /** Serves a connection that another process has accepted. */
  take(connection: Socket): void;
  /** From now on each answer is the last of its connection. Resolves when none is left, or nobody has asked for so long. */
  drain(quietMs: number): Promise<void>;
  /** Resolves when none is open any more; meanwhile those without a running answer are closed. */
  ended(): Promise<void>;
}

const lookAgainMs = 50;

export function takeConnections(server: Server): Connections {
  /** Each with its latest answer that is not over. */
  const open = new Map<Socket, ServerResponse | null>();
  /** Answers that wait for earlier ones on their connection: Node does not close them with it. */
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
    // A key whose value changes. Were answers added to a set and deleted from it, its table would be made anew every few
    // requests, and dead tables, each of which keeps the next alive, would take a kilobyte of each request to the old space
    // of the collector. Without, 1.5 times as many `GET /account` over 64 connections are answered.
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
      // A client may close its side and still wait for the answer, as with connections the server accepts itself.
      connection.allowHalfOpen = true;
      server.emit('connection', connection);
    },
    async drain(quietMs) {
      isDraining = true;
      askedAt = performance.now();
      for (const response of open.values()) if (response !== null) response.shouldKeepAlive = false;
      while (open.size > 0 && performance.now() - askedAt < quietMs) await setTimeout(lookAgainMs);
    },
    async ended() {
      while (open.size > 0) {
        server.closeIdleConnections();
        await setTimeout(lookAgainMs);
      }
    },
  };
}

function enqueue(queued: WeakMap<Socket, Set<ServerResponse>>, socket: Socket, response: ServerResponse): void {
  const waiting = queued.get(socket) ?? new Set();
  queued.set(socket, waiting.add(response));
  response.once('socket', () => waiting.delete(response));
}
