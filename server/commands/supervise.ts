// Several processes behind one port. The supervisor gives each connection to the worker with the fewest
// (docs/adr/0037), restarts dead workers, and stops all of them before it ends. It does not load the application: the
// first worker prepares the installation (docs/adr/0077).
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Config } from '../config.ts';
import type { LineLog } from '../lib/log.ts';
import { workerSettings } from '../lib/program-files.ts';
import { type CheckLine, createCheckLines } from './check-lines.ts';
import { createMetricsCollector, type MetricsSource, type WorkerMetrics } from './collect-metrics.ts';
import { type ConnectionMessage, createEntrance, type Member } from './entrance.ts';
import { openMetrics } from './metrics.ts';

/** `holder` is the worker's name in job leases. */
export type WorkerReport =
  | { kind: 'prepared' }
  | { kind: 'ready'; holder: string }
  | { kind: 'taken' }
  | { kind: 'closed' }
  | { kind: 'check'; line: CheckLine }
  | { kind: 'metrics'; ask: number; metrics: WorkerMetrics };

export type WorkerMessage =
  /** The first message to each worker. */
  | { kind: 'prepare' }
  | { kind: 'serve' }
  /** Requests metrics; one worker also reports for the installation. */
  | { kind: 'metrics'; ask: number; includesInstallation: boolean }
  | ConnectionMessage
  /** A living worker releases the dead worker's job leases. */
  | { kind: 'worker-died'; holder: string }
  | { kind: 'stop' };

const restartDelayMs = 500;

interface Hooks {
  untilStopped(): Promise<void>;
  ready(url: string, failing: readonly string[]): void;
  stopping(): { done(): void };
}

export async function supervise(
  config: Config,
  log: LineLog,
  secrets: Record<string, string>,
  { untilStopped, ready, stopping }: Hooks,
): Promise<number> {
  cluster.setupPrimary(workerSettings);
  const members = new Set<Member>();
  const entrance = createEntrance(members);
  // First, because a port in use ends the start.
  const url = await entrance.open(config);
  const metrics = createMetricsCollector();
  const metricsServer = await openMetrics(config, log, () => metrics.collect(sourcesOf(members)));
  const preparing = createPreparing();
  const checks = createCheckLines(log);
  let isStopping = false;
  let readyCount = 0;
  const failed = Promise.withResolvers<number>();

  function launch(): void {
    const member: Member = { worker: cluster.fork(secrets), holder: null, connectionCount: 0, inFlight: [] };
    members.add(member);
    preparing.join(member.worker);
    member.worker.on('message', (report: WorkerReport) => {
      if (report.kind === 'closed') member.connectionCount -= 1;
      if (report.kind === 'taken') member.inFlight.shift()?.socket.destroy();
      if (report.kind === 'check') checks.take(member.worker.id, report.line);
      if (report.kind === 'metrics') metrics.answered(member.worker.id, report.ask, report.metrics);
      if (report.kind !== 'ready') return;
      member.holder = report.holder;
      entrance.handOver();
      if (++readyCount === config.workers) ready(url, checks.failing());
    });
    member.worker.on('exit', (code, signal) => {
      members.delete(member);
      metrics.ended(member.worker.id);
      checks.ended(member.worker.id);
      if (isStopping || preparing.failed(member.worker, code)) return;
      // At the first start, the cause would stop the next worker too. The worker has logged it.
      if (readyCount === 0 && member.holder === null && code !== null) return failed.resolve(code);
      entrance.takeBack(member.inFlight);
      if (member.holder !== null) sendToOne(members, { kind: 'worker-died', holder: member.holder });
      log.error({ code, signal }, 'a worker ended unexpectedly; a new one is started');
      setTimeout(() => !isStopping && launch(), restartDelayMs);
    });
  }

  for (let count = 0; count < config.workers; count++) launch();
  const exitCode = await Promise.race([untilStopped().then(() => 0), preparing.failure, failed.promise]);
  isStopping = true;
  const stop = exitCode === 0 ? stopping() : null;
  metricsServer.close();
  await entrance.close();
  await stopAll(members, config.shutdownGraceMs + 5000);
  stop?.done();
  return exitCode;
}

/** One worker prepares the installation; the others load meanwhile and serve afterwards. */
function createPreparing() {
  const failure = Promise.withResolvers<number>();
  const waiting = new Set<Worker>();
  let preparer: Worker | null = null;
  let isDone = false;

  const send = (worker: Worker, message: WorkerMessage) => void worker.send(message, () => {});

  return {
    /** Resolves with the exit code when preparing fails; the worker has logged why. */
    failure: failure.promise,
    join(worker: Worker): void {
      worker.on('message', ({ kind }: WorkerReport) => {
        if (kind !== 'prepared') return;
        isDone = true;
        for (const each of waiting) send(each, { kind: 'serve' });
        waiting.clear();
      });
      if (isDone) send(worker, { kind: 'serve' });
      else if (preparer !== null) waiting.add(worker);
      else {
        preparer = worker;
        send(worker, { kind: 'prepare' });
      }
    },
    /** True if the start fails with this worker. After a killed worker, the next one prepares. */
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
    else worker.send({ kind: 'stop' } satisfies WorkerMessage, () => {});
  }
  const force = setTimeout(() => {
    for (const { worker } of members) worker.process.kill('SIGKILL');
  }, limitMs);
  await Promise.all(gone);
  clearTimeout(force);
}

function sourcesOf(members: Set<Member>): MetricsSource[] {
  return [...members]
    .filter(({ holder }) => holder !== null)
    .map(({ worker }) => ({
      id: worker.id,
      ask: (ask, includesInstallation) =>
        void worker.send({ kind: 'metrics', ask, includesInstallation } satisfies WorkerMessage, () => {}),
    }));
}

/** Without a ready worker, the leases expire on their own. */
function sendToOne(members: Set<Member>, message: WorkerMessage): void {
  const [member] = [...members].filter(({ holder }) => holder !== null);
  member?.worker.send(message, () => {});
}
