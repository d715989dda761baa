// `npm run mutate`: plants single faults in the code of the server and the upload engine, one at a time and in a copy, and
// says which of them the nearest tests did not notice. Each of those is a sentence that no test says yet, or a fault that
// makes no difference.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chooseFaults, fittingTests, isTried, testsFor } from './mutate/choose.ts';
import { type ImportGraph, observe, placesOf } from './mutate/observe.ts';
import { describeFault, type Fault, findFaults } from './mutate/plant.ts';
import { openWorkshop, type Workshop } from './mutate/run.ts';
import { repositoryRoot } from './source-files.ts';

const usage = 'npm run mutate -- [--sample 60] [--seed 1] [--under server/db]';
const print = (line: string) => console.log(line);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

try {
  const { values } = parseArgs({
    options: {
      sample: { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
      under: { type: 'string', default: '' },
    },
  });
  const [sample, seed] = [Number(values.sample), Number(values.seed)];
  if (!Number.isSafeInteger(sample) || !Number.isSafeInteger(seed) || sample < 1) throw new Error(usage);
  process.exitCode = await run(sample, seed, values.under);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function run(sample: number, seed: number, under: string): Promise<number> {
  const workshop = openWorkshop(repositoryRoot);
  process.once('exit', workshop.close);
  const { graph, textOf } = workshop;
  const all = [...graph.keys()]
    .filter((path) => isMutated(graph, path))
    .flatMap((path) => findFaults(path, textOf(path)));
  const keepIn = join(repositoryRoot, 'node_modules', '.cache');
  const places = placesOf(all, textOf);
  const tests = [...graph.keys()].filter(isTried);
  const observed = await observe(
    { keepIn, graph, textOf, places },
    {
      tests,
      run(missing) {
        print(`looking which lines ${missing.length} test files run`);
        return workshop.observe(missing, places);
      },
    },
  );
  const faults = chooseFaults(
    all.filter(({ path }) => path.startsWith(under)),
    sample,
    seed,
  );
  print(`${faults.length} of ${all.length} faults, seed ${seed}`);
  const survivors: string[] = [];
  for (const [index, fault] of faults.entries()) {
    const { best, rest } = testsFor(fault, observed, fittingTests(graph, fault.path, textOf));
    const noticedBy = await workshop.tryFault(fault, { best, rest });
    const tests = [...best, ...rest];
    const line = sentenceOf(workshop, fault);
    if (noticedBy === null) survivors.push(`| ${line.replaceAll('|', '\\|')} | ${tests.length} |`);
    print(
      `${index + 1}/${faults.length} ${noticedBy === null ? 'SURVIVED' : 'noticed'} ${line} (${noticedBy ?? tests.join(' ')})`,
    );
  }
  const noticed = faults.length - survivors.length;
  print('\n| Not noticed | Test files tried |\n|---|---|');
  for (const line of survivors) print(line);
  print(`\n${noticed} of ${faults.length} noticed (${((100 * noticed) / Math.max(faults.length, 1)).toFixed(1)} %)`);
  return 0;
}

/** What runs in the product; not tests and what only they use, nor what is generated, nor migrations, which never change. */
function isMutated(graph: ImportGraph, path: string): boolean {
  const isOfTests = (file: string) => /^test\/|\.(test|kit|suite|fixture)\.ts$/.test(file);
  if (!/^(server|transfer)\//.test(path) || isOfTests(path) || /\.gen\.ts$|\/migrations\//.test(path)) return false;
  const users = [...graph].filter(([, imports]) => imports.includes(path)).map(([file]) => file);
  return users.length === 0 || !users.every(isOfTests);
}

function sentenceOf(workshop: Workshop, fault: Fault): string {
  return `${fault.path}:${fault.line} ${fault.kind}: ${describeFault(workshop.textOf(fault.path), fault)}`;
}
