// Whether the service under test is in this process, where tests can put something of their own into it, or in others.
import { executableVariable, needsInside } from './executable.ts';
import { machinesVariable } from './machines.ts';

/** In front of the machines; it refuses some requests itself. */
export const isBehindNginx = process.env[machinesVariable] !== undefined;

const isOutside = process.env[executableVariable] !== undefined || isBehindNginx;

/** Called before something inside the service is replaced, counted or set, in suites whose other tests can do without it. */
export function demandInside(): void {
  if (isOutside) throw new Error(`${needsInside}: a substitute`);
}
