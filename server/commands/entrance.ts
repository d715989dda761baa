// The ports of a supervisor. Each connection goes unread to the worker with the fewest (docs/adr/0037).
import type { Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { isTlsServed } from '../config-tls.ts';
import type { Listen } from '../lib/config-values.ts';
import { asListenProblem, listeningUrl, listenOptions, removeStaleSocket, stopListening } from '../lib/listening.ts';

/** Where a connection arrived. */
export type Port = 'service' | 'redirect';

/** Carries the connection. */
export interface ConnectionMessage {
  kind: 'connection';
  port: Port;
}

interface Waiting {
  socket: Socket;
  port: Port;
}

export interface Member {
  worker: Worker;
  /** Null until the worker is ready. */
  holder: string | null;
  connectionCount: number;
  /** Connections in flight, in order; the supervisor owns them until the worker confirms. */
  inFlight: Waiting[];
}

const maxConnectionsEach = 20_000;
/** An unconfirmed connection is considered lost after this time. */
const handOverMs = 2000;

/** Connections wait here while no worker is ready. */
function createQueue(members: Set<Member>) {
  const waiting: Waiting[] = [];

  function handOver(): void {
    for (let member = leastBusy(members); member !== null && waiting.length > 0; member = leastBusy(members)) {
      const next = waiting.shift()!;
      if (member.connectionCount >= maxConnectionsEach) next.socket.destroy();
      else give(next, member);
    }
  }

  function give(given: Waiting, member: Member): void {
    const { socket, port } = given;
    member.connectionCount += 1;
    member.inFlight.push(given);
    // Moves to the end, so that equally busy workers take turns.
    members.delete(member);
    members.add(member);
    // Lost connections are taken back when the worker ends.
    member.worker.send({ kind: 'connection', port } satisfies ConnectionMessage, socket, { keepOpen: true }, () => {});
  }

  return { waiting, handOver };
}

/** Listens on the ports and hands over unread connections; they wait while no worker is ready. */
export function createEntrance(members: Set<Member>) {
  const { waiting, handOver } = createQueue(members);
  const servers: Server[] = [];

  function accept(port: Port): Server {
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, (socket) => {
      // A client may leave before the hand-over.
      socket.on('error', () => {});
      waiting.push({ socket, port });
      handOver();
    });
    servers.push(server);
    return server;
  }

  async function listen(port: Port, where: Listen, setting?: string): Promise<Server> {
    await removeStaleSocket(where);
    const server = accept(port);
    try {
      server.listen(listenOptions(where));
      await once(server, 'listening');
    } catch (error) {
      throw asListenProblem(error, where, setting);
    }
    return server;
  }

  return {
    handOver,
    takeBack(given: Waiting[]): void {
      waiting.unshift(...given);
      handOver();
    },
    async open(config: Config): Promise<string> {
      const server = await listen('service', config.listen);
      if (config.tlsRedirectListen !== null)
        await listen('redirect', config.tlsRedirectListen, 'WAYBILL_TLS_REDIRECT_LISTEN');
      return listeningUrl(config.listen, server.address(), isTlsServed(config) ? 'https' : 'http');
    },
    /** Resolves when every connection has reached a worker. */
    async close(): Promise<void> {
      await Promise.all(servers.map(stopListening));
      for (const { socket } of waiting.splice(0)) socket.destroy();
      const isUnderWay = () => [...members].some(({ holder, inFlight }) => holder !== null && inFlight.length > 0);
      for (let waitedMs = 0; isUnderWay() && waitedMs < handOverMs; waitedMs += 10) await pause(10);
    },
  };
}

/** Counts open connections, busy or idle. */
function leastBusy(members: Set<Member>): Member | null {
  let least: Member | null = null;
  for (const member of members) {
    if (member.holder !== null && (least === null || member.connectionCount < least.connectionCount)) least = member;
  }
  return least;
}
