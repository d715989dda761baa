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
  const open = new Set<Socket>();
  const answers = new Set<ServerResponse>();
  let isDraining = false;
  let askedAt = 0;
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    answers.add(response);
    response.once('close', () => answers.delete(response));
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
      for (const response of answers) response.shouldKeepAlive = false;
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
