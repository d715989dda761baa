// `npm run mutate`: changes one place of the server or the upload engine at a time, in a copy, and lists the changes that no
// test noticed.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { listFiles, repositoryRoot } from '#scripts/source-files.ts';
import { openCopy } from './copy.ts';
import { measureCoverage, type TestCoverage, testsFor } from './coverage.ts';
import { describeFault, type Fault, findFaults, sampleFaults } from './faults.ts';

const usage = 'npm run mutate -- [--sample 60] [--seed 1] [--under server/db] [--tests api/] [--only 7,12] [--reuse]';
const cachePath = join(repositoryRoot, 'node_modules', '.cache', 'mutate.jsonl');

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

try {
  await run(readOptions());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

interface Options {
  sample: number;
  seed: number;
  /** The beginning of the path of mutated files. */
  under: string;
  /** A part of the path of the test files. */
  tests: string;
  /** Numbers within the sample, from 1; null for all. */
  only: number[] | null;
  /** Use the coverage of the last run. */
  reuse: boolean;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      sample: { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
      under: { type: 'string', default: '' },
      tests: { type: 'string', default: '' },
      only: { type: 'string', default: '' },
      reuse: { type: 'boolean', default: false },
    },
  });
  const only = values.only === '' ? null : values.only.split(',').map(Number);
  const options = { ...values, sample: Number(values.sample), seed: Number(values.seed), only };
  const numbers = [options.sample, options.seed, ...(only ?? [])];
  if (!numbers.every(Number.isSafeInteger) || options.sample < 1) throw new Error(usage);
  return options;
}

async function run({ sample, seed, under, tests, only, reuse }: Options): Promise<void> {
  const copy = openCopy(repositoryRoot);
  process.once('exit', copy.close);
  const paths = listFiles(repositoryRoot, ['server', 'transfer']).filter((path) => isMutated(path));
  const all = paths.filter((path) => path.startsWith(under)).flatMap((path) => findFaults(path, copy.textOf(path)));
  const faults = sampleFaults(all, sample, seed).map((fault, index): [number, Fault] => [index + 1, fault]);
  const coverage = await measureCoverage(copy, { cachePath, reuse, tests, print: console.log });
  console.log(`${faults.length} of ${all.length} faults, seed ${seed}`);
  const counts = { noticed: 0, SURVIVED: 0, 'not run': 0 };
  for (const [number, fault] of faults) {
    if (only !== null && !only.includes(number)) continue;
    const [outcome, by] = await tryFault(copy, fault, coverage);
    counts[outcome] += 1;
    const where = `${fault.path}:${fault.line} ${fault.kind}: ${describeFault(copy.textOf(fault.path), fault)}`;
    console.log(`${number} ${outcome} ${where} (${by})`);
  }
  console.log(
    `\n${counts.noticed} noticed, ${counts.SURVIVED} survived, ${counts['not run']} in code that no test runs`,
  );
}

async function tryFault(
  copy: ReturnType<typeof openCopy>,
  fault: Fault,
  coverage: TestCoverage[],
): Promise<['noticed' | 'SURVIVED' | 'not run', string]> {
  const tests = testsFor(fault, coverage);
  if (tests.length === 0) return ['not run', ''];
  const noticedBy = await copy.tryFault(fault, tests);
  return noticedBy === null ? ['SURVIVED', tests.join(' ')] : ['noticed', noticedBy];
}

/** Code of the product, without generated files, migrations and modules of the executable file only. */
function isMutated(path: string): boolean {
  return path.endsWith('.ts') && !/\.(test|kit|suite|fixture|gen)\.ts$|-inside\.ts$|\/migrations\//.test(path);
}
