// Retries requests that are safe to repeat, through lost connections, restarts and busy servers, within the
// configured time.
import { setTimeout as wait } from 'node:timers/promises';
import { ClientProblem } from '#contract/client.ts';
import { backoffMs } from '../transfer/backoff.ts';
import { exitCodes, Failure, failureOf, networkFailure } from './failures.ts';
import type { Session } from './session.ts';
import { interruption } from './uploading.ts';

/** `signal` ends it as well. */
export async function retrying<Result>(
  { world, settings, connection }: Session,
  attempt: () => Promise<Result>,
  signal: AbortSignal = world.signal,
): Promise<Result> {
  const giveUpAt = performance.now() + settings.patienceMs;
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (world.signal.aborted) throw interruption(world.signal.reason, 0);
      if (signal.aborted) throw error;
      const isBusy = error instanceof Failure && error.exitCode === exitCodes.network;
      if (!isBusy && !mayPass(error)) throw error;
      // Nothing has ever answered there: more likely a wrong address than a restart.
      if (connection.roundTripMs() === null && (error as NodeJS.ErrnoException).code === 'ECONNREFUSED')
        throw networkFailure(error);
      const pause = backoffMs(failures, Math.random);
      if (performance.now() + pause > giveUpAt)
        throw isBusy || error instanceof ClientProblem ? error : networkFailure(error);
      await wait(pause, undefined, { signal }).catch(() => {});
    }
  }
}

const passingCodes = /^E(CONN|TIMEDOUT|PIPE|HOST|NET|AI_AGAIN)|^UND_|^ERR_STREAM_PREMATURE_CLOSE$|^ABORT_ERR$/;

function mayPass(error: unknown): boolean {
  if (error instanceof TypeError) return true;
  if (error instanceof ClientProblem) return failureOf(error)?.exitCode === exitCodes.network;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && passingCodes.test(code);
}
