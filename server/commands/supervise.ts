// Several processes behind one port. The supervisor accepts every connection and gives it to the worker that has the
// fewest (docs/adr/0037); it starts a new worker for each that dies, and stops them all before it ends itself. It does
// not load the application: the first worker prepares the installation while the others load (docs/adr/0077).
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { asListenProblem, listeningUrl, listenOptions, removeStaleSocket, stopListening } from '../lib/listening.ts';
import type { LineLog } from '../lib/log.ts';
import { workerSettings } from '../lib/program-files.ts';
import { createFigureCollector, type FigureSource, type WorkerFigures } from './collect-figures.ts';
import { openMetrics } from './metrics.ts';

/** What a worker tells its supervisor; `holder` is its name in the leases of jobs. */
export type WorkerReport =
  | { kind: 'prepared' }
  | { kind: 'ready'; holder: string }
  | { kind: 'taken' }
  | { kind: 'closed' }
  | { kind: 'figures'; ask: number; figures: WorkerFigures };

/** Messages to a worker. */
export type WorkerNews =
  /** The first message to each worker: prepare the installation if needed, then serve. */
  | { kind: 'prepare' }
  | { kind: 'serve' }
  /** What has it counted? One of all speaks for the installation too. */
  | { kind: 'figures'; ask: number; isSpokesman: boolean }
  /** Comes with a connection to serve. */
  | { kind: 'connection' }
  /** A worker died: one of those that live gives its jobs free. */
  | { kind: 'worker-died'; holder: string }
  /** Finish what runs, then end. */
  | { kind: 'stop' };

interface Member {
  worker: Worker;
  /** Its name in the leases of jobs; null until it is ready. */
  holder: string | null;
  connectionCount: number;
  /** Connections on their way, in order; ours as well until the worker says that it has them. */
  onTheWay: Socket[];
}

const restartDelayMs = 500;
const maxConnectionsEach = 20_000;
/** A worker that has not taken a connection by then will not. */
const handOverMs = 2000;

interface Hooks {
  untilTold(): Promise<void>;
  /** Every worker serves. */
  ready(url: string): void;
  stopping(): { done(): void };
}

export async function supervise(
  config: Config,
  log: LineLog,
  secrets: Record<string, string>,
  { untilTold, ready, stopping }: Hooks,
): Promise<number> {
  cluster.setupPrimary(workerSettings);
  const members = new Set<Member>();
  const entrance = createEntrance(members);
  // Before anything else, because a port that is taken ends the start.
  const url = await entrance.open(config);
  const figures = createFigureCollector();
  const door = await openMetrics(config, log, () => figures.collect(sourcesOf(members)));
  const preparing = createPreparing();
  let isStopping = false;
  let readyCount = 0;
  const failed = Promise.withResolvers<number>();

  function launch(): void {
    const member: Member = { worker: cluster.fork(secrets), holder: null, connectionCount: 0, onTheWay: [] };
    members.add(member);
    preparing.join(member.worker);
    member.worker.on('message', (report: WorkerReport) => {
      if (report.kind === 'closed') member.connectionCount -= 1;
      if (report.kind === 'taken') member.onTheWay.shift()?.destroy();
      if (report.kind === 'figures') figures.answered(member.worker.id, report.ask, report.figures);
      if (report.kind !== 'ready') return;
      member.holder = report.holder;
      entrance.handOver();
      if (++readyCount === config.workers) ready(url);
    });
    member.worker.on('exit', (code, signal) => {
      members.delete(member);
      figures.ended(member.worker.id);
      if (isStopping || preparing.failed(member.worker, code)) return;
      // The first start: the cause would stop the next worker too. The worker has logged it.
      if (readyCount === 0 && member.holder === null && code !== null) return failed.resolve(code);
      entrance.takeBack(member.onTheWay);
      if (member.holder !== null) tellOne(members, { kind: 'worker-died', holder: member.holder });
      log.error({ code, signal }, 'a worker ended unexpectedly; a new one is started');
      setTimeout(() => !isStopping && launch(), restartDelayMs);
    });
  }

  for (let count = 0; count < config.workers; count++) launch();
  const exitCode = await Promise.race([untilTold().then(() => 0), preparing.failure, failed.promise]);
  isStopping = true;
  const stop = exitCode === 0 ? stopping() : null;
  door.close();
  await entrance.close();
  await stopAll(members, config.shutdownGraceMs + 5000);
  stop?.done();
  return exitCode;
}

/** One worker prepares the installation; the others load and begin after it. */
function createPreparing() {
  const failure = Promise.withResolvers<number>();
  const waiting = new Set<Worker>();
  let preparer: Worker | null = null;
  let isDone = false;

  const tell = (worker: Worker, news: WorkerNews) => void worker.send(news, () => {});

  return {
    /** Resolves with the exit code when the installation cannot be prepared; the worker has said why. */
    failure: failure.promise,
    join(worker: Worker): void {
      worker.on('message', ({ kind }: WorkerReport) => {
        if (kind !== 'prepared') return;
        isDone = true;
        for (const each of waiting) tell(each, { kind: 'serve' });
        waiting.clear();
      });
      if (isDone) tell(worker, { kind: 'serve' });
      else if (preparer !== null) waiting.add(worker);
      else {
        preparer = worker;
        tell(worker, { kind: 'prepare' });
      }
    },
    /** Called for each worker that ended: whether the start ends with it. After one that was killed, the next prepares. */
    failed(worker: Worker, code: number | null): boolean {
      waiting.delete(worker);
      if (isDone || worker !== preparer) return false;
      preparer = null;
      if (code !== null) failure.resolve(code);
      return code !== null;
    },
  };
}

async function stopAll(members: Set<Member>, limitMs: number): Promise<void> {
  const gone = [...members].map(({ worker }) => once(worker, 'exit'));
  for (const { worker, holder } of members) {
    if (holder === null) worker.kill('SIGTERM');
    else worker.send({ kind: 'stop' } satisfies WorkerNews, () => {});
  }
  const force = setTimeout(() => {
    for (const { worker } of members) worker.process.kill('SIGKILL');
  }, limitMs);
  await Promise.all(gone);
  clearTimeout(force);
}

/** The port itself. Reads nothing of a connection; those that come while no worker is ready wait. */
function createEntrance(members: Set<Member>) {
  const waiting: Socket[] = [];
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, (socket) => {
    // A client may leave before the hand-over.
    socket.on('error', () => {});
    waiting.push(socket);
    handOver();
  });

  function handOver(): void {
    for (let member = leastBusy(members); member !== null && waiting.length > 0; member = leastBusy(members)) {
      const socket = waiting.shift()!;
      if (member.connectionCount >= maxConnectionsEach) socket.destroy();
      else give(socket, member);
    }
  }

  function give(socket: Socket, member: Member): void {
    member.connectionCount += 1;
    member.onTheWay.push(socket);
    // To the end of the row: among equals, the worker that got no connection for longest is next.
    members.delete(member);
    members.add(member);
    // What does not reach the worker is taken back when it ends.
    member.worker.send({ kind: 'connection' } satisfies WorkerNews, socket, { keepOpen: true }, () => {});
  }

  return {
    handOver,
    takeBack(sockets: Socket[]): void {
      waiting.unshift(...sockets);
      handOver();
    },
    async open({ listen }: Config): Promise<string> {
      await removeStaleSocket(listen);
      try {
        server.listen(listenOptions(listen));
        await once(server, 'listening');
      } catch (error) {
        throw asListenProblem(error, listen);
      }
      return listeningUrl(listen, server.address());
    },
    /** Resolves when every connection has reached a worker. */
    async close(): Promise<void> {
      await stopListening(server);
      for (const socket of waiting.splice(0)) socket.destroy();
      const isUnderWay = () => [...members].some(({ holder, onTheWay }) => holder !== null && onTheWay.length > 0);
      for (let waitedMs = 0; isUnderWay() && waitedMs < handOverMs; waitedMs += 10) await pause(10);
    },
  };
}

/** Those that are ready. */
function sourcesOf(members: Set<Member>): FigureSource[] {
  return [...members]
    .filter(({ holder }) => holder !== null)
    .map(({ worker }) => ({
      id: worker.id,
      ask: (ask, isSpokesman) => void worker.send({ kind: 'figures', ask, isSpokesman } satisfies WorkerNews, () => {}),
    }));
}

/** Open connections count, busy or not; the first of those who have the fewest. */
function leastBusy(members: Set<Member>): Member | null {
  let least: Member | null = null;
  for (const member of members) {
    if (member.holder !== null && (least === null || member.connectionCount < least.connectionCount)) least = member;
  }
  return least;
}

/** Any worker that is ready; when there is none, the leases of the dead one end by themselves. */
function tellOne(members: Set<Member>, news: WorkerNews): void {
  const [member] = [...members].filter(({ holder }) => holder !== null);
  member?.worker.send(news, () => {});
}
