// Measures which test files run which code, with the coverage of V8: one process for each test file, with the processes that
// it starts.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { listFiles } from '#scripts/source-files.ts';
import type { Copy } from './copy.ts';
import { digestOf, type Fault } from './faults.ts';

/** Offsets of code that ran: from, to. */
type Range = [number, number];

export interface TestCoverage {
  test: string;
  durationMs: number;
  files: Record<string, { digest: string; ran: Range[] }>;
}

/** The test files for one fault take no longer than this together. */
const budgetMs = 120_000;

export interface CoverageOptions {
  /** A file with a line for each test file. */
  cachePath: string;
  /** Only measure test files without a line. */
  reuse: boolean;
  /** Part of the path of the test files that are used. */
  tests: string;
  print(line: string): void;
}

export async function measureCoverage(
  copy: Copy,
  { cachePath, reuse, tests, print }: CoverageOptions,
): Promise<TestCoverage[]> {
  const wanted = listFiles(copy.folder, ['server', 'transfer', 'contract', 'language', 'cli', 'test'])
    .filter(isTried)
    .filter((path) => path.includes(tests));
  mkdirSync(dirname(cachePath), { recursive: true });
  if (!reuse || !existsSync(cachePath)) writeFileSync(cachePath, '');
  const known = readFileSync(cachePath, 'utf8').split('\n').slice(0, -1);
  const coverage = known.map((line) => JSON.parse(line) as TestCoverage);
  const missing = wanted.filter((test) => !coverage.some((one) => one.test === test));
  if (missing.length > 0) print(`measuring the coverage of ${missing.length} test files`);
  for (const test of missing) {
    const one = await coverageOf(copy, test);
    coverage.push(one);
    appendFileSync(cachePath, `${JSON.stringify(one)}\n`);
  }
  return coverage.filter(({ test }) => wanted.includes(test));
}

/** Without browsers, killed processes and checks of the repository. */
function isTried(path: string): boolean {
  return path.endsWith('.test.ts') && !/e2e\/|^test\/(faults|operations|machines)\/|^test\/[^/]+$/.test(path);
}

async function coverageOf(copy: Copy, test: string): Promise<TestCoverage> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-coverage-'));
  try {
    const startedAt = performance.now();
    await copy.firstFailure([test], { NODE_V8_COVERAGE: folder });
    const durationMs = performance.now() - startedAt;
    const files: TestCoverage['files'] = {};
    for (const name of readdirSync(folder)) {
      const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: Profiler.ScriptCoverage[] };
      addRanges(files, copy, result);
    }
    return { test, durationMs, files };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function addRanges(files: TestCoverage['files'], copy: Copy, scripts: Profiler.ScriptCoverage[]): void {
  const base = `${pathToFileURL(copy.folder).href}/`;
  for (const { url, functions } of scripts) {
    const path = url.startsWith(base) ? url.slice(base.length) : '';
    if (!/^(server|transfer)\//.test(path)) continue;
    files[path] ??= { digest: digestOf(copy.textOf(path)), ran: [] };
    files[path].ran.push(...rangesThatRan(functions));
  }
}

/** Functions start after the beginning of a file; the file itself runs when it is loaded and says nothing. */
export function rangesThatRan(functions: Profiler.FunctionCoverage[]): Range[] {
  return functions
    .filter(({ ranges }) => ranges[0]!.startOffset > 0 && ranges[0]!.count > 0)
    .flatMap(({ ranges }) => withoutHoles(ranges));
}

/** The first range is the function; ranges with a count of 0 in it did not run. */
function withoutHoles([whole, ...inner]: Profiler.CoverageRange[]): Range[] {
  const ranges: Range[] = [];
  let from = whole!.startOffset;
  for (const { startOffset, endOffset, count } of inner.toSorted((a, b) => a.startOffset - b.startOffset)) {
    if (count > 0 || startOffset < from) continue;
    ranges.push([from, startOffset]);
    from = endOffset;
  }
  return [...ranges, [from, whole!.endOffset]];
}

/**
 * Test files that run the place, the quickest first. For a place outside of functions, or in a file that has changed since:
 * those that run any function of the file.
 */
export function testsFor(fault: Pick<Fault, 'path' | 'start' | 'digest'>, coverage: TestCoverage[]): string[] {
  const reaching = coverage.filter(({ files }) => (files[fault.path]?.ran.length ?? 0) > 0);
  const isExact = ({ files }: TestCoverage) =>
    files[fault.path]!.digest === fault.digest &&
    files[fault.path]!.ran.some(([from, to]) => from <= fault.start && fault.start < to);
  const exact = reaching.filter(isExact);
  let spentMs = 0;
  return (exact.length > 0 ? exact : reaching)
    .toSorted((a, b) => a.durationMs - b.durationMs)
    .filter(({ durationMs }) => {
      spentMs += durationMs;
      return spentMs - durationMs < budgetMs;
    })
    .map(({ test }) => test);
}
