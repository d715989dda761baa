// Part `start`: how long `waybill --version` takes, compared with Node without a program.
import { join } from 'node:path';
import { repositoryRoot } from '#scripts/source-files.ts';
import { alternate, type Bench, fullSizes } from './bench.ts';
import { type Program, run } from './programs.ts';
import { type Row, timeRow } from './table.ts';

const rounds = 31;
const quickRounds = 11;

export async function measureStart(bench: Bench): Promise<Row[]> {
  const work = 'start, waybill --version';
  bench.say(work);
  const env = { HOME: bench.folder };
  const program = (name: string, ...args: string[]): Program => ({ name, command: [process.execPath, ...args], env });
  const ours = program('waybill', join(repositoryRoot, 'cli/waybill.mjs'), '--version');
  const bare = program('node -e 0', '-e', '0');
  const turn = (one: Program) => async () => (await run(one)).elapsedMs;
  for (const one of [ours, bare]) await turn(one)();
  const isFull = bench.sizes.rounds >= fullSizes.rounds;
  const [values, bareValues] = await alternate(isFull ? rounds : quickRounds, [turn(ours), turn(bare)]);
  return [timeRow({ work, unit: 's' }, values!, { name: 'node -e 0', values: bareValues! }, { must: 1.5, aim: 1.25 })];
}
