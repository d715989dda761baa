// Connections that another process has accepted for this one. The server serves them like its own, but does not count
// them: whoever ends the server asks here when the last one is over.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

export interface Connections {
  take(connection: Socket): void;
  /** Resolves when none is open any more; meanwhile those without a running answer are closed. */
  ended(): Promise<void>;
}

const lookAgainMs = 100;

export function takeConnections(server: Server): Connections {
  const open = new Set<Socket>();
  return {
    take(connection) {
      open.add(connection);
      connection.once('close', () => open.delete(connection));
      // A client may close its side and still wait for the answer, as with connections the server accepts itself.
      connection.allowHalfOpen = true;
      server.emit('connection', connection);
    },
    async ended() {
      while (open.size > 0) {
        server.closeIdleConnections();
        await setTimeout(lookAgainMs);
      }
    },
  };
}
