// Whether the service under test is in this process, where tests can put something of their own into it, or in others.
import { clockVariable, executableVariable, needsInside } from './executable.ts';
import { machinesVariable } from './machines.ts';
import { until } from './patience.ts';

/** In front of the machines; it refuses some requests itself. */
export const isBehindNginx = process.env[machinesVariable] !== undefined;

/**
 * The size of a download that is still under way when its reader has stopped: more than the network, and nginx, hold. Of a
 * reader who reads nothing loopback was seen to hold 4 MB.
 */
export const beyondBuffersBytes = isBehindNginx ? 64_000_000 : 12_000_000;

/** The service is another process. */
export const isOutside = process.env[executableVariable] !== undefined || isBehindNginx;

/** For programs that a test starts: what tells the kit where the service is would be unknown settings to them. */
export function environmentForPrograms(): NodeJS.ProcessEnv {
  const forTheKit = { [executableVariable]: undefined, [clockVariable]: undefined, [machinesVariable]: undefined };
  return { ...process.env, ...forTheKit };
}

/** Other processes than the one that took a change of settings know it within two seconds: waits until all of them do. */
export async function everywhere(look: () => Promise<boolean>): Promise<void> {
  const enough = isBehindNginx ? 9 : 1;
  let inARow = 0;
  await until(async () => {
    inARow = (await look()) ? inARow + 1 : 0;
    return inARow >= enough;
  });
}

/** Called before something inside the service is replaced, counted or set, in suites whose other tests can do without it. */
export function assertInside(): void {
  if (isOutside) throw new Error(`${needsInside}: a substitute`);
}
