// Startup messages and signals of the processes of `waybill-server start`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
    // A closed terminal, or a program that has moved the file of events away: it is opened again for each batch.
    process.on('SIGHUP', (signal) => process.stdout.isTTY === true && stop(signal));
  });
}

/**
 * For workers, which ignore signals: terminals and systemd signal every process, but the supervisor may still hand over
 * connections. A worker without its supervisor ends.
 */
export function untilStoppedBySupervisor(): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
  return new Promise((resolve) => {
    process.once('disconnect', resolve);
    process.on('message', (message: WorkerMessage) => message.kind === 'stop' && resolve());
  });
}

/** True if people read the log in a terminal. */
export function isForTerminal({ logFormat }: Pick<Config, 'logFormat'>): boolean {
  return logFormat === null ? process.stdout.isTTY === true : logFormat === 'pretty';
}

export interface Serving {
  /** Where it listens. */
  url: string;
  /** Names of the checks that fail. */
  failing: readonly string[];
}

export function greet(config: Config, log: LineLog, { url, failing }: Serving): void {
  const setupUrl = findSetupUrl(config);
  const isReady = failing.length === 0;
  const state = isReady ? 'is ready' : `runs, but is not ready (${failing.join(', ')}),`;
  const sentence = `Waybill ${state} at ${addressOf(config)} (listening on ${url}${reach(config)})`;
  if (!isReady) log.warn({ workers: config.workers }, sentence);
  if (isForTerminal(config)) {
    process.stdout.write(terminalGreeting(config, setupUrl, isReady));
  } else {
    if (isReady) log.info({ workers: config.workers }, sentence);
    log.info({}, `data folder: ${config.dataDir}`);
    if (setupUrl !== null) log.info({}, `Set up Waybill at ${setupUrl}`);
  }
  const risk = findTrustRisk(config);
  if (risk !== null) log.warn({}, `${risk.sentence} ${risk.cure}`);
}

export function terminalGreeting(
  config: Pick<Config, 'baseUrl' | 'dataDir'>,
  setupUrl: string | null,
  isReady = true,
): string {
  const state = isReady ? 'Waybill is ready: ' : 'Address:          ';
  const first = setupUrl === null ? `${state}${addressOf(config)}` : `Set up Waybill:   ${setupUrl}`;
  return [first, `Data folder:      ${config.dataDir}`, 'Stop:             Ctrl+C', ''].join('\n');
}

function addressOf({ baseUrl }: Pick<Config, 'baseUrl'>): string {
  return baseUrl.href.replace(/\/$/, '');
}

/** Null once there is an administrator, or if the operator chose the token. */
function findSetupUrl(config: Config): string | null {
  if (config.setupToken !== null) return null;
  try {
    const token = readFileSync(join(config.dataDir, 'setup-token'), 'utf8').trim();
    return `${addressOf(config)}/setup?token=${token}`;
  } catch {
    return null;
  }
}

function reach({ listen }: Config): string {
  const isEverywhere = listen.kind === 'port' && (listen.host === '0.0.0.0' || listen.host === '::');
  return isEverywhere ? ', every address of this machine' : '';
}

export function announceStop(log: LineLog): { done(): void } {
  log.info({}, 'Waybill is stopping: no new connections, running answers may finish');
  return { done: () => log.info({}, 'Waybill has stopped') };
}
