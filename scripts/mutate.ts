// `npm run mutate`: plants single faults in the code of the server and the upload engine, one at a time and in a copy, and
// says which of them the nearest tests did not notice. Each of those is a sentence that no test says yet, or a fault that
// makes no difference.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chooseFaults, fittingTests, isTried, testsFor } from './mutate/choose.ts';
import { type ImportGraph, observe, placesOf } from './mutate/observe.ts';
import { describeFault, type Fault, findFaults } from './mutate/plant.ts';
import { openWorkshop, readGraph } from './mutate/run.ts';
import { repositoryRoot } from './source-files.ts';

const usage = 'npm run mutate -- [--sample 60] [--seed 1] [--under server/db] [--list | --only 7,12]';
const print = (line: string) => console.log(line);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

try {
  const { values } = parseArgs({
    options: {
      sample: { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
      under: { type: 'string', default: '' },
      list: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
    },
  });
  const wanted: Wanted = {
    sample: Number(values.sample),
    seed: Number(values.seed),
    under: values.under,
    only: values.only === '' ? null : values.only.split(',').map(Number),
  };
  const numbers = [wanted.sample, wanted.seed, ...(wanted.only ?? [])];
  if (!numbers.every(Number.isSafeInteger) || wanted.sample < 1) throw new Error(usage);
  if (values.list) list(wanted);
  else await run(wanted);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

interface Wanted {
  sample: number;
  seed: number;
  /** The beginning of the path. */
  under: string;
  /** Numbers of the sample, counted from 1; null for all of it. */
  only: number[] | null;
}

interface Code {
  graph: ImportGraph;
  textOf(path: string): string;
}

/** The faults of a sample with the tests that should know them, to be judged by reading; nothing is run. */
function list(wanted: Wanted): void {
  const textOf = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');
  const code = { graph: readGraph(repositoryRoot, textOf), textOf };
  for (const [number, fault] of sampleOf(allFaults(code), wanted)) {
    const tests = fittingTests(code.graph, fault.path, textOf).slice(0, 4);
    print(`${number} ${sentenceOf(code, fault)} (${tests.join(' ')})`);
  }
}

async function run(wanted: Wanted): Promise<void> {
  const workshop = openWorkshop(repositoryRoot);
  process.once('exit', workshop.close);
  const { graph, textOf } = workshop;
  const all = allFaults(workshop);
  const keepIn = join(repositoryRoot, 'node_modules', '.cache');
  const places = placesOf(all, textOf);
  const tests = [...graph.keys()].filter(isTried);
  const observed = await observe(
    { keepIn, graph, textOf, places },
    {
      tests,
      run(missing, reportPath) {
        print(`looking which lines ${missing.length} test files run`);
        return workshop.observe(missing, places, reportPath);
      },
    },
  );
  const faults = sampleOf(all, wanted);
  print(`${faults.length} of ${all.length} faults, seed ${wanted.seed}`);
  const survivors: string[] = [];
  for (const [number, fault] of faults) {
    const chosen = testsFor(fault, observed, fittingTests(graph, fault.path, textOf));
    const noticedBy = await workshop.tryFault(fault, chosen);
    const tests = [...chosen.best, ...chosen.rest];
    const line = sentenceOf(workshop, fault);
    if (noticedBy === null) survivors.push(`| ${line.replaceAll('|', '\\|')} | ${tests.length} |`);
    print(`${number} ${noticedBy === null ? 'SURVIVED' : 'noticed'} ${line} (${noticedBy ?? tests.join(' ')})`);
  }
  const noticed = faults.length - survivors.length;
  print('\n| Not noticed | Test files tried |\n|---|---|');
  for (const line of survivors) print(line);
  print(`\n${noticed} of ${faults.length} noticed (${((100 * noticed) / Math.max(faults.length, 1)).toFixed(1)} %)`);
}

function allFaults({ graph, textOf }: Code): Fault[] {
  return [...graph.keys()].filter((path) => isMutated(graph, path)).flatMap((path) => findFaults(path, textOf(path)));
}

/** With their numbers, which are the same for the same sample and seed. */
function sampleOf(all: Fault[], { sample, seed, under, only }: Wanted): [number, Fault][] {
  const faults = chooseFaults(
    all.filter(({ path }) => path.startsWith(under)),
    sample,
    seed,
  );
  return faults
    .map((fault, index): [number, Fault] => [index + 1, fault])
    .filter(([number]) => only === null || only.includes(number));
}

/**
 * What runs in the product; not tests and what only they use, nor what is generated, nor migrations, which never change, nor
 * what only the executable file has, which `npm run test:binary` tries.
 */
function isMutated(graph: ImportGraph, path: string): boolean {
  const isOfTests = (file: string) => /^test\/|\.(test|kit|suite|fixture)\.ts$/.test(file);
  if (!/^(server|transfer)\//.test(path) || isOfTests(path) || /\.gen\.ts$|-inside\.ts$|\/migrations\//.test(path))
    return false;
  const users = [...graph].filter(([, imports]) => imports.includes(path)).map(([file]) => file);
  return users.length === 0 || !users.every(isOfTests);
}

function sentenceOf({ textOf }: Code, fault: Fault): string {
  return `${fault.path}:${fault.line} ${fault.kind}: ${describeFault(textOf(fault.path), fault)}`;
}
