// Whether the service under test is in this process, where tests can replace parts of it, or in others.

import { until } from './eventually.ts';
import { clockVariable, executableVariable, needsInside } from './executable.ts';
import { machinesVariable } from './machines.ts';

/** nginx in front of the machines; it refuses some requests itself. */
export const isBehindNginx = process.env[machinesVariable] !== undefined;

/**
 * A download of this size is unfinished when its reader stops: it exceeds all network buffers (4 MB measured) and those
 * of nginx.
 */
export const beyondBuffersBytes = isBehindNginx ? 64_000_000 : 12_000_000;

export const isOutside = process.env[executableVariable] !== undefined || isBehindNginx;

/** Removes the kit's own variables, which programs would reject as unknown settings. */
export function environmentForPrograms(): NodeJS.ProcessEnv {
  const forTheKit = { [executableVariable]: undefined, [clockVariable]: undefined, [machinesVariable]: undefined };
  return { ...process.env, ...forTheKit };
}

/** Other processes apply a change of settings within two seconds: waits until all of them have. */
export async function everywhere(check: () => Promise<boolean>): Promise<void> {
  const enough = isBehindNginx ? 9 : 1;
  let inARow = 0;
  await until(async () => {
    inARow = (await check()) ? inARow + 1 : 0;
    return inARow >= enough;
  });
}

/** Call it before replacing, counting or setting something in the process of the service. */
export function assertInside(): void {
  if (isOutside) throw new Error(`${needsInside}: a substitute`);
}
