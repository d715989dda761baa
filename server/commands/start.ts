// `waybill-server start`: prepares the installation once, then serves, in one process or in several that share the port.
import cluster from 'node:cluster';
import type { Socket } from 'node:net';
import { prepare, startApp } from '../app.ts';
import { type Config, readConfig, takeSecrets } from '../config.ts';
import type { Log } from '../domain/ports.ts';
import { createLog } from '../lib/log.ts';
import { supervise, type WorkerNews, type WorkerReport } from './supervise.ts';

export async function start(): Promise<number> {
  const config = readConfig();
  const secrets = takeSecrets();
  const log = createLog({
    level: config.logLevel,
    format: config.logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json'),
  });
  if (cluster.isWorker) return work(config, log);
  await prepare(config, log);
  if (config.workers === 1 || config.role === 'jobs') return serve(config, log);
  return supervise(config, log, secrets, { untilTold, ready: (url) => greet(config, log, url) });
}

/** One process that serves until it is told to stop. */
async function serve(config: Config, log: Log): Promise<number> {
  const app = await startApp(config, log);
  greet(config, log, app.url);
  giveBackMemory();
  await untilTold();
  await app.close();
  return 0;
}

/** One of several: serves the connections that its supervisor hands over. */
async function work(config: Config, log: Log): Promise<number> {
  const app = await startApp(config, log, {}, { connections: 'handed over' });
  const report = (words: WorkerReport) => process.connected && process.send?.(words);
  const take = (socket: Socket | undefined) => {
    report({ kind: 'taken' });
    // A client that has left meanwhile comes without its connection.
    if (socket === undefined) report({ kind: 'closed' });
    else app.take(socket.once('close', () => report({ kind: 'closed' })));
  };
  process.on('message', (news: WorkerNews, socket?: Socket) => {
    if (news.kind === 'connection') take(socket);
    else
      app.jobs
        .releaseLeasesOf(news.holder)
        .catch((error: unknown) => log.warn({ err: String(error) }, 'jobs of a dead worker could not be given free'));
  });
  report({ kind: 'ready', holder: app.jobs.holder });
  giveBackMemory();
  await untilTold();
  await app.close();
  return 0;
}

/** Half of what the start used is garbage by now, which the engine would keep: it grows easily and shrinks late. */
function giveBackMemory(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** npm passes on a Ctrl-C that the terminal has sent to us as well: one press arrives twice within moments. */
const onePressMs = 1000;

/** Resolves at the first SIGTERM or Ctrl-C. A second Ctrl-C of an impatient operator ends at once. */
function untilTold(): Promise<void> {
  return new Promise((resolve) => {
    let toldAt: number | null = null;
    const told = (signal: NodeJS.Signals) => {
      const isPressedAgain = toldAt !== null && performance.now() - toldAt > onePressMs;
      if (isPressedAgain && signal === 'SIGINT' && cluster.isPrimary) process.exit(130);
      toldAt ??= performance.now();
      resolve();
    };
    process.on('SIGTERM', told);
    process.on('SIGINT', told);
    // A worker whose supervisor died must not serve on.
    if (cluster.isWorker) process.once('disconnect', () => told('SIGTERM'));
  });
}

/** First lines of the log: address, data folder (the setup token's line came before, when there is one). */
function greet(config: Config, log: Log, listening: string): void {
  log.info(
    { workers: config.workers },
    `Waybill is ready at ${config.baseUrl.href.replace(/\/$/, '')} (listening on ${listening})`,
  );
  log.info({}, `data folder: ${config.dataDir}`);
}
