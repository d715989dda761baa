// `waybill-server start`: prepares the installation once, then serves, in one process or in several that share the port.
import cluster, { type Worker } from 'node:cluster';
import { prepare, startApp } from '../app.ts';
import { type Config, readConfig, takeSecrets } from '../config.ts';
import type { Log } from '../domain/ports.ts';
import { createLog } from '../lib/log.ts';

export async function start(): Promise<number> {
  const config = readConfig();
  const secrets = takeSecrets();
  const log = createLog({
    level: config.logLevel,
    format: config.logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json'),
  });
  if (!cluster.isPrimary) return serve(config, log, false);
  await prepare(config, log);
  return config.workers === 1 || config.role === 'jobs' ? serve(config, log, true) : supervise(config, log, secrets);
}

/** One process that serves until it is told to stop. */
async function serve(config: Config, log: Log, isAlone: boolean): Promise<number> {
  const app = await startApp(config, log);
  if (isAlone) greet(config, log, app.url);
  else process.send?.({ ready: app.url });
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

const restartDelayMs = 500;

/** Starts the workers, starts a new one for each that dies, and stops them all before it ends itself. */
async function supervise(config: Config, log: Log, secrets: Record<string, string>): Promise<number> {
  const workers = new Set<Worker>();
  let isStopping = false;
  let readyCount = 0;
  const launch = () => {
    const worker = cluster.fork(secrets);
    workers.add(worker);
    worker.on('message', (message: { ready?: string }) => {
      if (message.ready !== undefined && ++readyCount === config.workers) greet(config, log, message.ready);
    });
    worker.on('exit', (code, signal) => {
      workers.delete(worker);
      if (isStopping) return;
      log.error({ code, signal }, 'a worker ended by itself; a new one is started');
      setTimeout(() => !isStopping && launch(), restartDelayMs);
    });
  };
  for (let count = 0; count < config.workers; count++) launch();
  await untilTold();
  isStopping = true;
  const gone = [...workers].map((worker) => new Promise<void>((resolve) => worker.once('exit', () => resolve())));
  for (const worker of workers) worker.kill('SIGTERM');
  const force = setTimeout(() => {
    for (const worker of workers) worker.process.kill('SIGKILL');
  }, config.shutdownGraceMs + 5000);
  await Promise.all(gone);
  clearTimeout(force);
  return 0;
}

/** First lines of the log: address, data folder (the setup token's line came before, when there is one). */
function greet(config: Config, log: Log, listening: string): void {
  log.info(
    { workers: config.workers },
    `Waybill is ready at ${config.baseUrl.href.replace(/\/$/, '')} (listening on ${listening})`,
  );
  log.info({}, `data folder: ${config.dataDir}`);
}
