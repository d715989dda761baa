// What the test command shows: one line for a file that passed, everything about a failure, and at the end the summary
// of node:test over all files. The very last line is for programs: "N passed, N failed".
import type { FileResult, Verdict } from './test-run.ts';

export interface Report {
  add(result: FileResult): void;
  /** Something other than a test went wrong: a check, a server that did not start. */
  addFailure(what: string): void;
  /** Prints the summary and returns the exit code. */
  finish(): number;
}

const outputLineLimit = 200;
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
  return {
    add(result) {
      results.push(result);
      printFile(result, withNames, print);
    },
    addFailure: (what) => void otherFailures.push(what),
    finish() {
      const counts = count(results);
      printFailures(results, otherFailures, print);
      printSlowest(results, print);
      print('');
      for (const [name, value] of Object.entries(counts)) print(`ℹ ${name} ${value}`);
      print(`ℹ duration_ms ${Math.round(performance.now() - startedAt)}`);
      const failed = results.flatMap((result) => result.verdicts).filter(isFailure).length + otherFailures.length;
      const hasRun = counts.tests > 0;
      if (!hasRun) print('No test ran.');
      const skipped = counts.skipped + counts.todo;
      print('');
      print(`${counts.pass} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
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
    if (withNames || isLoud) print(`    ${marks[verdict.outcome]} ${verdict.name}`);
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

/** Once more at the end, so that nobody has to scroll for the names. */
function printFailures(results: FileResult[], otherFailures: string[], print: (line: string) => void): void {
  const names = results.flatMap((result) =>
    result.verdicts.filter(isFailure).map((verdict) => `${result.path}: ${verdict.name}`),
  );
  if (names.length + otherFailures.length === 0) return;
  print('');
  print('failed:');
  for (const name of [...otherFailures, ...names]) print(`    ✖ ${name}`);
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
