// Retries requests that are safe to repeat, through lost connections, restarts and busy servers, within the
// configured time.
import { setTimeout as wait } from 'node:timers/promises';
import { backoffMs } from '../transfer/backoff.ts';
import { causeOf, exitCodes, Failure, failureOf } from './failures.ts';
import type { Session } from './session.ts';
import { interruption } from './uploading.ts';

/** `signal` ends it as well. */
export async function retrying<Result>(
  { world, settings }: Session,
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
      const isBusy = failureOf(error)?.exitCode === exitCodes.network;
      if (!isBusy && !isNetworkFault(error)) throw error;
      const pause = backoffMs(failures, Math.random);
      if (performance.now() + pause > giveUpAt) {
        if (isBusy) throw error;
        throw new Failure(exitCodes.network, `the server can’t be reached (${causeOf(error)})`, {
          code: 'network.unreachable',
          hint: 'It is safe to run the same command again.',
        });
      }
      await wait(pause, undefined, { signal }).catch(() => {});
    }
  }
}

const networkCodes = /^E(CONN|TIMEDOUT|PIPE|HOST|NET|AI_AGAIN)|^UND_|^ERR_STREAM_PREMATURE_CLOSE$|^ABORT_ERR$/;

function isNetworkFault(error: unknown): boolean {
  if (error instanceof TypeError) return true;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && networkCodes.test(code);
}
