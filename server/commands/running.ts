// What every process of `waybill-server start` does, with or without the application: it says that it is ready, and
// ends on a signal.
import type { Config } from '../config.ts';
import type { LineLog } from '../lib/log.ts';
import { findTrustRisk } from '../lib/proxy-trust.ts';
import type { WorkerNews } from './supervise.ts';

/** npm passes on a Ctrl-C that the terminal has sent to us as well: one press arrives twice within moments. */
const onePressMs = 1000;

/** Resolves at the first SIGTERM or Ctrl-C. A second Ctrl-C ends immediately. */
export function untilTold(): Promise<void> {
  return new Promise((resolve) => {
    let toldAt: number | null = null;
    const stop = (signal: NodeJS.Signals) => {
      const isPressedAgain = toldAt !== null && performance.now() - toldAt > onePressMs;
      if (isPressedAgain && signal === 'SIGINT') process.exit(130);
      toldAt ??= performance.now();
      resolve();
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}

/**
 * For workers. Terminals and systemd send their signals to every process; a worker that ended on them would lose
 * connections that its supervisor is giving it. One whose supervisor died does not serve on.
 */
export function untilToldBySupervisor(): Promise<void> {
  process.on('SIGTERM', () => {});
  process.on('SIGINT', () => {});
  return new Promise((resolve) => {
    process.once('disconnect', resolve);
    process.on('message', (news: WorkerNews) => news.kind === 'stop' && resolve());
  });
}

/** First lines of the log: address, data folder (the setup token's line came before, when there is one). */
export function greet(config: Config, log: LineLog, listening: string): void {
  log.info(
    { workers: config.workers },
    `Waybill is ready at ${config.baseUrl.href.replace(/\/$/, '')} (listening on ${listening}${reach(config)})`,
  );
  log.info({}, `data folder: ${config.dataDir}`);
  const risk = findTrustRisk(config);
  if (risk !== null) log.warn({}, `${risk.sentence} ${risk.cure}`);
}

function reach({ listen }: Config): string {
  const isEverywhere = listen.kind === 'port' && (listen.host === '0.0.0.0' || listen.host === '::');
  return isEverywhere ? ', every address of this machine' : '';
}

/** Said by the process that the operator has started, not by each worker. */
export function announceStop(log: LineLog): { done(): void } {
  log.info({}, 'Waybill is stopping: no new connections, running answers may finish');
  return { done: () => log.info({}, 'Waybill has stopped') };
}
