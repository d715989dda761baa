// The processes of `waybill-server start` that have the application: one that does everything, or one of several workers.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type App, prepare, startApp } from '../app.ts';
import type { Config } from '../config.ts';
import type { Log } from '../domain/ports.ts';
import { openMetrics } from './metrics.ts';
import { announceStop, greet, untilTold, untilToldBySupervisor } from './running.ts';
import type { WorkerNews, WorkerReport } from './supervise.ts';

/** A proxy that has found the port closed stops using the connections that it keeps. */
const quietMs = 1000;
const giveBackAfterMs = 3000;

/** One process that serves until it is stopped. */
export async function serve(config: Config, log: Log): Promise<number> {
  await prepare(config, log);
  const app = await startApp(config, log);
  const door = await openMetrics(config, log, async () => [...app.figures(), ...(await app.installationFigures())]);
  greet(config, log, app.url);
  giveBackMemory();
  await untilTold();
  const stop = announceStop(log);
  door.close();
  await app.close({ quietMs });
  stop.done();
  return 0;
}

/** One of several: serves the connections that its supervisor hands over. One of them prepares the installation first. */
export async function work(config: Config, log: Log): Promise<number> {
  const [begin] = (await once(process, 'message')) as [WorkerNews];
  if (begin.kind === 'prepare') {
    await prepare(config, log);
    report({ kind: 'prepared' });
  }
  const app = await startApp(config, log, {}, { connections: 'handed over' });
  const take = (socket: Socket | undefined) => {
    report({ kind: 'taken' });
    // A client that has left comes without its connection.
    if (socket === undefined) report({ kind: 'closed' });
    else app.take(socket.once('close', () => report({ kind: 'closed' })));
  };
  process.on('message', (news: WorkerNews, socket?: Socket) => {
    if (news.kind === 'connection') take(socket);
    if (news.kind === 'figures') void tellFigures(app, news);
    if (news.kind === 'worker-died')
      app.jobs
        .releaseLeasesOf(news.holder)
        .catch((error: unknown) => log.warn({ err: String(error) }, 'jobs of a dead worker could not be given free'));
  });
  const told = untilToldBySupervisor();
  report({ kind: 'ready', holder: app.jobs.holder });
  giveBackMemory();
  await told;
  await app.close({ quietMs });
  return 0;
}

async function tellFigures(app: App, { ask, isSpokesman }: Extract<WorkerNews, { kind: 'figures' }>): Promise<void> {
  const installation = isSpokesman ? await app.installationFigures().catch(() => []) : [];
  report({ kind: 'figures', ask, figures: { own: app.figures(), installation } });
}

function report(words: WorkerReport): void {
  if (process.connected) process.send?.(words);
}

/**
 * Half of what the start used is garbage by now, which the engine would keep: it grows easily and shrinks late. A little later,
 * because it takes a quarter of a second in which no request is served, and waiting clients connect immediately.
 */
function giveBackMemory(): void {
  setTimeout(
    () => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
    giveBackAfterMs,
  ).unref();
}
