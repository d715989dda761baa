// The serving processes of `waybill-server start`: a single process, or one of several workers.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type App, type Port, prepare, startApp } from '../app.ts';
import type { Config } from '../config.ts';
import type { Log } from '../domain/ports.ts';
import { forwardCheckLines } from './check-lines.ts';
import { openMetrics } from './metrics.ts';
import { announceStop, greet, isForTerminal, untilStopped, untilStoppedBySupervisor } from './running.ts';
import type { WorkerMessage, WorkerReport } from './supervise.ts';

/** A proxy that finds the port closed stops using its idle connections. */
const quietMs = 1000;
const giveBackAfterMs = 3000;

export async function serve(config: Config, log: Log): Promise<number> {
  await prepare(config, isForTerminal(config) ? { ...log, info: log.debug } : log);
  const app = await startApp(config, log);
  const metricsServer = await openMetrics(config, log, async () => [
    ...app.metrics(),
    ...(await app.installationMetrics()),
  ]);
  greet(config, log, { url: app.url, failing: app.failing() });
  giveBackMemory();
  await untilStopped();
  const stop = announceStop(log);
  metricsServer.close();
  await app.close({ quietMs });
  stop.done();
  return 0;
}

/** Serves the connections that the supervisor hands over. The first worker prepares the installation. */
export async function work(config: Config, ownLog: Log): Promise<number> {
  const log = forwardCheckLines(ownLog, (line) => report({ kind: 'check', line }));
  const [begin] = (await once(process, 'message')) as [WorkerMessage];
  if (begin.kind === 'prepare') {
    await prepare(config, isForTerminal(config) ? { ...log, info: log.debug } : log);
    report({ kind: 'prepared' });
  }
  const app = await startApp(config, log, {}, { connections: 'handed over' });
  const take = (socket: Socket | undefined, port: Port) => {
    report({ kind: 'taken' });
    // The client may have left.
    if (socket === undefined) report({ kind: 'closed' });
    else
      app.take(
        socket.once('close', () => report({ kind: 'closed' })),
        port,
      );
  };
  process.on('message', (message: WorkerMessage, socket?: Socket) => {
    if (message.kind === 'connection') take(socket, message.port);
    if (message.kind === 'metrics') void reportMetrics(app, message);
    if (message.kind === 'worker-died')
      app.jobs
        .releaseLeasesOf(message.holder)
        .catch((error: unknown) => log.warn({ err: String(error) }, 'jobs of a dead worker could not be given free'));
  });
  const stopped = untilStoppedBySupervisor();
  report({ kind: 'ready', holder: app.jobs.holder });
  giveBackMemory();
  await stopped;
  await app.close({ quietMs });
  return 0;
}

async function reportMetrics(
  app: App,
  { ask, includesInstallation }: Extract<WorkerMessage, { kind: 'metrics' }>,
): Promise<void> {
  const installation = includesInstallation ? await app.installationMetrics().catch(() => []) : [];
  report({ kind: 'metrics', ask, metrics: { own: app.metrics(), installation } });
}

function report(message: WorkerReport): void {
  if (process.connected) process.send?.(message);
}

/**
 * Frees the garbage of the start, which the engine would keep. Delayed, because it blocks the process for a quarter of
 * a second, and waiting clients connect immediately.
 */
function giveBackMemory(): void {
  setTimeout(
    () => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
    giveBackAfterMs,
  ).unref();
}
