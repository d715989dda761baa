// Part `start`: from a fresh copy of the sources to a server that is ready, with the two commands people type, and the
// second start over existing data. npm may use the packages in its cache.
import { copyFileSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { listFiles, repositoryRoot } from '#scripts/source-files.ts';
import { type Child, freePorts, startChild, untilReady } from '#test/kit/servers/child.ts';
import type { Bench } from './bench.ts';
import { limitRow, type Row } from './table.ts';
import { probeReady, waybillEnvironment } from './waybill.ts';

const installTimeoutMs = 5 * 60_000;
const startTimeoutMs = 2 * 60_000;

export async function measureStart(bench: Bench): Promise<Row[]> {
  const clone = join(bench.folder, 'clone');
  for (const path of listFiles(repositoryRoot)) {
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    copyFileSync(join(repositoryRoot, path), join(clone, path));
  }
  bench.say('npm ci && npm start');
  const startedAt = performance.now();
  await install(bench, clone);
  const first = await npmStart(bench, clone);
  const firstMs = performance.now() - startedAt;
  await first.stop(10_000);

  bench.say('restart');
  const restartedAt = performance.now();
  const second = await npmStart(bench, clone);
  const restartMs = performance.now() - restartedAt;
  await second.stop(10_000);
  return [
    limitRow('npm ci && npm start, until ready', 's', firstMs, { must: 90_000, aim: 45_000 }),
    limitRow('npm start again, until ready', 's', restartMs, { must: 3000, aim: 1000 }),
  ];
}

async function install(bench: Bench, clone: string): Promise<void> {
  const child = await startNpm(bench, clone, ['ci'], plainEnvironment());
  const timer = setTimeout(() => void child.stop(), installTimeoutMs);
  const { code } = await child.exited;
  clearTimeout(timer);
  if (code !== 0) throw new Error(`npm ci failed:\n${child.output().slice(-2000)}`);
}

async function npmStart(bench: Bench, clone: string): Promise<Child> {
  const [port] = (await freePorts(1)) as [number];
  const settings = waybillEnvironment(port, join(clone, 'data'));
  const child = await startNpm(bench, clone, ['start'], { ...settings, ...plainEnvironment() });
  await untilReady([child], () => probeReady(port), startTimeoutMs);
  return child;
}

async function startNpm(bench: Bench, clone: string, args: string[], env: NodeJS.ProcessEnv): Promise<Child> {
  const child = await startChild({
    name: `npm ${args.join(' ')}`,
    command: 'npm',
    args,
    cwd: clone,
    env,
    outputPath: join(bench.folder, 'npm.log'),
  });
  bench.atEnd(() => child.stop());
  return child;
}

/** As in a new shell: without what `npm run` puts around us. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$|NODE$|WAYBILL_)/.test(name));
  const path = (process.env.PATH ?? '').split(delimiter).filter((place) => !place.includes('node_modules'));
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter) };
}
