// What every process of `waybill-server start` does, with or without the application: it says that it is ready, and
// ends when it is told to.
import cluster from 'node:cluster';
import type { Config } from '../config.ts';
import type { LineLog } from '../lib/log.ts';

/** npm passes on a Ctrl-C that the terminal has sent to us as well: one press arrives twice within moments. */
const onePressMs = 1000;

/** Resolves at the first SIGTERM or Ctrl-C. A second Ctrl-C of an impatient operator ends at once. */
export function untilTold(): Promise<void> {
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
export function greet(config: Config, log: LineLog, listening: string): void {
  log.info(
    { workers: config.workers },
    `Waybill is ready at ${config.baseUrl.href.replace(/\/$/, '')} (listening on ${listening})`,
  );
  log.info({}, `data folder: ${config.dataDir}`);
}
