// Whether the service under test is in this process, where tests can put something of their own into it, or in others.
import { executableVariable, needsInside } from './executable.ts';
import { machinesVariable } from './machines.ts';

const isOutside = process.env[executableVariable] !== undefined || process.env[machinesVariable] !== undefined;

/** Called before a substitute is used, in suites whose other tests can do without it (`canRunOutside`). */
export function demandInside(): void {
  if (isOutside) throw new Error(`${needsInside}: a substitute`);
}
