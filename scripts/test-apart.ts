// Results of test files that run against a service in processes of its own (the executable file, several machines): tests that put
// something into the service, or reach into its process, say nothing about it there and count as skipped.
import { needsInside } from '../test/kit/executable.ts';
import type { FileResult, Verdict } from './test-run.ts';

/** `insideNames`: tests that reach inside without an option of the kit, by the end of their names. */
export function withoutInside(result: FileResult, insideNames: readonly string[]): FileResult {
  const names = result.verdicts.filter(({ error }) => error?.includes(needsInside) === true).map(({ name }) => name);
  const isApart = ({ name, outcome }: Verdict) =>
    names.includes(name) ||
    insideNames.some((inside) => name === inside || name.endsWith(` › ${inside}`)) ||
    (outcome === 'cancelled' && names.some((suite) => name.startsWith(`${suite} › `)));
  const verdicts = result.verdicts.map((verdict) =>
    isApart(verdict) ? { ...verdict, outcome: 'skipped' as const, error: null } : verdict,
  );
  return { ...result, verdicts };
}
