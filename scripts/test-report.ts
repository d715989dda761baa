// What `npm test` prints: a line for each file, every failure in full and again at the end, and as the last line for
// programs "N passed, N failed".
import { type FileResult, isFailure } from './test-process.ts';
import type { Verdict } from './test-reporter.ts';

export interface Report {
  add(result: FileResult): void;
  failedFiles(): string[];
  /** A file that failed ran again alone. If it passes now, it counts as passed, and its first failure is reported. */
  addSecond(result: FileResult): void;
  /** Something other than a test failed: a check, a server that did not start. */
  addFailure(what: string): void;
  /** Prints the summary and returns the exit code. */
  finish(): number;
}

const outputLineLimit = 200;
const reasonLineLimit = 15;
const slowestCount = 10;
const marks = { passed: '✔', failed: '✖', cancelled: '✖', skipped: '﹣', todo: '…' };

export interface ReportOptions {
  /** Also print the names of tests that passed. */
  withNames: boolean;
  print(line: string): void;
}

export function startReport({ withNames, print }: ReportOptions): Report {
  const startedAt = performance.now();
  const otherFailures: string[] = [];
  const flaky: FileResult[] = [];
  let results: FileResult[] = [];
  const hasFailed = (result: FileResult) => result.verdicts.some(isFailure);
  return {
    add(result) {
      results.push(result);
      printFile(result, withNames, print);
    },
    failedFiles: () => [...new Set(results.filter(hasFailed).map(({ path }) => path))],
    addSecond(result) {
      printFile(result, withNames, print);
      const first = results.filter(({ path }) => path === result.path);
      if (!hasFailed(result)) {
        flaky.push(...first.filter(hasFailed));
        results = [...results.filter((one) => !first.includes(one)), result];
      } else if (!first.some(hasFailed)) results.push(result);
    },
    addFailure: (what) => void otherFailures.push(what),
    finish() {
      const failures = [...otherFailures.map((name) => ({ name, error: null })), ...failuresOf(results)];
      const retried = failuresOf(flaky);
      printFailures('failed:', failures, print);
      printFailures('failed, and passed when run again alone (each is a fault to be found):', retried, print);
      printSlowest(results, print);
      const verdicts = results.flatMap((result) => result.verdicts);
      const having = (outcome: Verdict['outcome']) =>
        verdicts.filter((verdict) => !verdict.isSuite && verdict.outcome === outcome).length;
      const passed = having('passed');
      const skipped = having('skipped') + having('todo');
      const hasRun = verdicts.some(({ isSuite }) => !isSuite);
      if (!hasRun) print('No test ran.');
      print(`\n${results.length} files in ${seconds(performance.now() - startedAt)}`);
      const remarks = `${skipped > 0 ? `, ${skipped} skipped` : ''}${retried.length > 0 ? `, ${retried.length} at the second try` : ''}`;
      print(`${passed} passed, ${failures.length} failed${remarks}`);
      return failures.length === 0 && hasRun ? 0 : 1;
    },
  };
}

function printFile(result: FileResult, withNames: boolean, print: (line: string) => void): void {
  const failures = result.verdicts.filter(isFailure);
  const tests = result.verdicts.filter((verdict) => !verdict.isSuite);
  print(`${failures.length === 0 ? '✔' : '✖'} ${result.path} (${tests.length} tests, ${seconds(result.durationMs)})`);
  for (const verdict of result.verdicts) {
    if (withNames || isFailure(verdict) || verdict.outcome === 'skipped')
      print(`    ${marks[verdict.outcome]} ${verdict.name}${withNames ? ` (${seconds(verdict.durationMs)})` : ''}`);
    if (isFailure(verdict) && verdict.error !== null) print(indent(verdict.error, 8));
  }
  if (failures.length === 0 || result.output.trim() === '') return;
  const lines = result.output.trimEnd().split('\n');
  print(`    output${lines.length > outputLineLimit ? ` (the last ${outputLineLimit} lines)` : ''}:`);
  print(indent(lines.slice(-outputLineLimit).join('\n'), 8));
}

function printSlowest(results: FileResult[], print: (line: string) => void): void {
  if (results.length <= slowestCount) return;
  print(`\nthe ${slowestCount} slowest files:`);
  for (const result of results.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, slowestCount))
    print(`    ${seconds(result.durationMs)} ${result.path}`);
}

interface Failure {
  name: string;
  error: string | null;
}

function failuresOf(results: FileResult[]): Failure[] {
  return results.flatMap(({ path, verdicts }) =>
    verdicts.filter(isFailure).map(({ name, error }) => ({ name: `${path}: ${name}`, error })),
  );
}

function printFailures(title: string, failures: Failure[], print: (line: string) => void): void {
  if (failures.length > 0) print(`\n${title}`);
  for (const { name, error } of failures) {
    print(`    ✖ ${name}`);
    if (error !== null) print(indent(error.split('\n').slice(0, reasonLineLimit).join('\n'), 8));
  }
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function indent(text: string, width: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(width));
}
