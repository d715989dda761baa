// What the test command shows: one line for a file that passed, everything about a failure, and at the end the summary
// of node:test over all files. The very last line is for programs: "N passed, N failed".
import type { FileResult, Verdict } from './test-run.ts';

export interface Report {
  add(result: FileResult): void;
  /** Files that count as failed by now. */
  failedFiles(): string[];
  /** Of a file that failed and ran once more, by itself. If it passes it counts so, and its first failure is told. */
  addSecond(result: FileResult): void;
  /** Something other than a test went wrong: a check, a server that did not start. */
  addFailure(what: string): void;
  /** Prints the summary and returns the exit code. */
  finish(): number;
}

const outputLineLimit = 200;
/** Of each failure, told once more at the end. */
const reasonLineLimit = 15;
const slowestCount = 10;
const marks = { passed: '✔', failed: '✖', cancelled: '✖', skipped: '﹣', todo: '…' };

export interface ReportOptions {
  /** Also the names of the tests that passed. */
  withNames: boolean;
  print(line: string): void;
}

export function startReport({ withNames, print }: ReportOptions): Report {
  const startedAt = performance.now();
  const results: FileResult[] = [];
  const otherFailures: string[] = [];
  const doubtful: FileResult[] = [];
  const hasFailed = (result: FileResult) => result.verdicts.some(isFailure);
  return {
    add(result) {
      results.push(result);
      printFile(result, withNames, print);
    },
    failedFiles: () => [...new Set(results.filter(hasFailed).map(({ path }) => path))],
    addSecond(result) {
      printFile(result, withNames, print);
      const earlier = results.filter(({ path }) => path === result.path);
      if (!hasFailed(result)) {
        doubtful.push(...earlier.filter(hasFailed));
        results.splice(0, results.length, ...results.filter((other) => !earlier.includes(other)), result);
        // Its process may fail after its last test.
      } else if (!earlier.some(hasFailed)) results.push(result);
    },
    addFailure: (what) => void otherFailures.push(what),
    finish() {
      const counts = count(results);
      printFailures('failed:', failuresOf(results), print, otherFailures);
      printFailures(
        'failed, and passed when run again by themselves (each is a fault to be found):',
        failuresOf(doubtful),
        print,
      );
      printSlowest(results, print);
      print('');
      for (const [name, value] of Object.entries(counts)) print(`ℹ ${name} ${value}`);
      print(`ℹ duration_ms ${Math.round(performance.now() - startedAt)}`);
      const failed = results.flatMap((result) => result.verdicts).filter(isFailure).length + otherFailures.length;
      const hasRun = counts.tests > 0;
      if (!hasRun) print('No test ran.');
      const skipped = counts.skipped + counts.todo;
      const second = failuresOf(doubtful).length;
      const remarks = `${skipped > 0 ? `, ${skipped} skipped` : ''}${second > 0 ? `, ${second} at the second try` : ''}`;
      print('');
      print(`${counts.pass} passed, ${failed} failed${remarks}`);
      return failed === 0 && hasRun ? 0 : 1;
    },
  };
}

export function isFailure(verdict: Verdict): boolean {
  return verdict.outcome === 'failed' || verdict.outcome === 'cancelled';
}

function printFile(result: FileResult, withNames: boolean, print: (line: string) => void): void {
  const failures = result.verdicts.filter(isFailure);
  const tests = result.verdicts.filter((verdict) => !verdict.isSuite);
  const cost = `${seconds(result.durationMs)}, processor ${seconds(result.cpuMs)}`;
  print(`${failures.length === 0 ? '✔' : '✖'} ${result.path} (${tests.length} tests, ${cost})`);
  for (const verdict of result.verdicts) {
    const isLoud = isFailure(verdict) || verdict.outcome === 'skipped';
    if (withNames || isLoud)
      print(`    ${marks[verdict.outcome]} ${verdict.name}${withNames ? ` (${seconds(verdict.durationMs)})` : ''}`);
    if (isFailure(verdict) && verdict.error !== null) print(indent(verdict.error, 8));
  }
  if (failures.length === 0 || result.output.trim() === '') return;
  const lines = result.output.trimEnd().split('\n');
  print('    what the file printed:');
  if (lines.length > outputLineLimit) print(`        (${lines.length - outputLineLimit} lines left out)`);
  print(indent(lines.slice(-outputLineLimit).join('\n'), 8));
}

/** Where the time goes, and how much of it is work: on a busy machine the first says little. */
function printSlowest(results: FileResult[], print: (line: string) => void): void {
  if (results.length <= slowestCount) return;
  print('');
  print(`the ${slowestCount} slowest files (and their processor time):`);
  for (const result of results.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, slowestCount))
    print(`    ${seconds(result.durationMs)} (${seconds(result.cpuMs)}) ${result.path}`);
  print(`    all files: ${seconds(results.reduce((sum, { cpuMs }) => sum + cpuMs, 0))} of processor time`);
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

/** Once more at the end, with why: nobody has to scroll, and whoever gets only the end of the output can act on it. */
function printFailures(
  title: string,
  failures: Failure[],
  print: (line: string) => void,
  otherFailures: string[] = [],
): void {
  if (failures.length + otherFailures.length === 0) return;
  print('');
  print(title);
  for (const what of otherFailures) print(`    ✖ ${what}`);
  for (const { name, error } of failures) {
    print(`    ✖ ${name}`);
    if (error !== null) print(indent(error.split('\n').slice(0, reasonLineLimit).join('\n'), 8));
  }
}

function count(results: FileResult[]) {
  const verdicts = results.flatMap((result) => result.verdicts);
  const tests = verdicts.filter((verdict) => !verdict.isSuite);
  const having = (outcome: Verdict['outcome']) => tests.filter((verdict) => verdict.outcome === outcome).length;
  return {
    files: results.length,
    tests: tests.length,
    pass: having('passed'),
    fail: having('failed'),
    cancelled: having('cancelled'),
    skipped: having('skipped'),
    todo: having('todo'),
  };
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function indent(text: string, width: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(width));
}
