// Startup messages and signals of the processes of `waybill-server start`.
import type { Config } from '../config.ts';
import type { LineLog } from '../lib/log.ts';
import { findTrustRisk } from '../lib/proxy-trust.ts';
import type { WorkerMessage } from './supervise.ts';

/** npm forwards a Ctrl-C that the terminal also sent to us, so one key press arrives twice. */
const sameKeyPressMs = 1000;

/** Resolves at the first SIGTERM or Ctrl-C. A second Ctrl-C ends immediately. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let stoppedAt: number | null = null;
    const stop = (signal: NodeJS.Signals) => {
      const isSecond = stoppedAt !== null && performance.now() - stoppedAt > sameKeyPressMs;
      if (isSecond && signal === 'SIGINT') process.exit(130);
      stoppedAt ??= performance.now();
      resolve();
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}

/**
 * For workers, which ignore signals: terminals and systemd signal every process, but the supervisor may still hand over
 * connections. A worker without its supervisor ends.
 */
export function untilStoppedBySupervisor(): Promise<void> {
  process.on('SIGTERM', () => {});
  process.on('SIGINT', () => {});
  return new Promise((resolve) => {
    process.once('disconnect', resolve);
    process.on('message', (message: WorkerMessage) => message.kind === 'stop' && resolve());
  });
}

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

export function announceStop(log: LineLog): { done(): void } {
  log.info({}, 'Waybill is stopping: no new connections, running answers may finish');
  return { done: () => log.info({}, 'Waybill has stopped') };
}
