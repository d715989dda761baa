// Runs test files against a copy of the repository with one fault in it. The copy is the only place that is written to.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { serversVariable } from '../../test/kit/servers/addresses.ts';
import { readImports } from '../imports.ts';
import { listFiles } from '../source-files.ts';
import { runsAlone } from '../test-plan.ts';
import type { ChosenTests } from './choose.ts';
import type { ImportGraph, LaneJob, Place } from './observe.ts';
import { type Fault, plant } from './plant.ts';

export interface Workshop {
  graph: ImportGraph;
  textOf(path: string): string;
  /** Runs test files without a fault and adds a line for each (`Observed`) to the report: what it ran of these places. */
  observe(tests: string[], places: Record<string, Place[]>, reportPath: string): Promise<void>;
  /** The test file, or the check of types, that noticed; null when the fault survived all of them. */
  tryFault(fault: Fault, tests: ChosenTests): Promise<string | null>;
  close(): void;
}

const codeFolders = ['server', 'transfer', 'contract', 'language', 'cli', 'client', 'test', 'scripts', 'web'];
const sharedFolders = ['node_modules', 'dist'];
const leftOut = new Set([...sharedFolders, '.git', 'data', '.test']);
/** A file that hangs because of the fault has noticed it too, if it does not hang without it. */
const silenceLimitMs = 100_000;

export function openWorkshop(root: string): Workshop {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-mutate-'));
  cpSync(root, folder, { recursive: true, filter: (path) => path === root || !leftOut.has(basename(path)) });
  for (const shared of sharedFolders) symlinkSync(join(root, shared), join(folder, shared));
  // Of the copy, so that work can continue in the repository meanwhile.
  const textOf = (path: string) => readFileSync(join(folder, path), 'utf8');
  const isUsuallyGreen = createBaseline(folder);
  let typed: Promise<boolean> | null = null;
  const isUsuallyTyped = () => {
    typed ??= passesTypes(folder);
    return typed;
  };

  return {
    graph: readGraph(folder, textOf),
    textOf,
    async observe(tests, places, reportPath) {
      for (const paths of batchesOf(folder, tests))
        await observeBatch(folder, { paths, places, reportPath, withServers: false });
    },
    async tryFault(fault, { best, rest, withServers }) {
      const text = textOf(fault.path);
      const withFault = async <Result>(look: () => Promise<Result>): Promise<Result> => {
        writeFileSync(join(folder, fault.path), plant(text, fault));
        return look().finally(() => writeFileSync(join(folder, fault.path), text));
      };
      const firstToFail = async (tests: string[], onServers = withServers) => {
        const fails = (paths: string[]) => withFault(() => runTests(folder, jobOf(paths, onServers)));
        // Green alone without the fault, and red alone with it: what a neighbour or a busy machine did tells nothing.
        const isNoticedBy = async (test: string) =>
          (await isUsuallyGreen(test, onServers)) && (await fails([test])) !== null;
        for (const batch of batchesOf(folder, tests)) {
          for (let paths = batch; paths.length > 0; ) {
            const failed = await fails(paths);
            if (failed === null) break;
            if (await isNoticedBy(failed)) return failed;
            paths = paths.slice(paths.indexOf(failed) + 1);
          }
        }
        return null;
      };
      const failed = await firstToFail(best);
      if (failed !== null) return failed;
      if (!(await withFault(() => passesTypes(folder))) && (await isUsuallyTyped())) return 'tsc';
      const late = await firstToFail(rest);
      // An order that nobody asked for may come from an index of the one database and not of the other.
      return late !== null || fault.kind !== 'clause' || withServers ? late : firstToFail(best, true);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export function readGraph(root: string, textOf: (path: string) => string): ImportGraph {
  const files = listFiles(root, codeFolders).filter((path) => /\.tsx?$/.test(path));
  return new Map(
    files.map((path) => {
      const imports = readImports(path, textOf(path)).filter((one) => one.path !== null && !one.isTypeOnly);
      return [path, [...imports.map((one) => one.path!), ...threadsOf(textOf(path))]];
    }),
  );
}

/** Programs of threads, which are named and not imported. */
function threadsOf(text: string): string[] {
  return [...text.matchAll(/\bthreadScript\('([^']+\.ts)'\)/g)].map((match) => `server/${match[1]}`);
}

/** In one process what can share one; the rest, and what needs a server, alone. */
function batchesOf(folder: string, tests: string[]): string[][] {
  const isAlone = (test: string) => needsServers(test) || runsAlone(test) || hasRootHooks(folder, test);
  const shared = tests.filter((test) => !isAlone(test));
  const alone = tests.filter(isAlone).map((test) => [test]);
  return shared.length === 0 ? alone : [shared, ...alone];
}

function hasRootHooks(folder: string, test: string): boolean {
  return /^(before|beforeEach|afterEach)\(/m.test(readFileSync(join(folder, test), 'utf8'));
}

/** A process that is lost in the middle of a file is followed by another for the files after it. */
async function observeBatch(folder: string, job: LaneJob): Promise<void> {
  const linesIn = () => (existsSync(job.reportPath) ? readFileSync(job.reportPath, 'utf8').split('\n').length - 1 : 0);
  for (let paths = job.paths; paths.length > 0; ) {
    const before = linesIn();
    await runTests(folder, { ...job, paths });
    paths = paths.slice(linesIn() - before + 1);
  }
}

/** Whether a file passes without a fault, found out once and only for those that failed with one. */
function createBaseline(folder: string): (test: string, withServers: boolean) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return (test, withServers) => {
    const key = `${test} ${withServers}`;
    const result = known.get(key) ?? runTests(folder, jobOf([test], withServers)).then((failed) => failed === null);
    known.set(key, result);
    return result;
  };
}

function jobOf(paths: string[], withServers: boolean): LaneJob {
  return { paths, places: null, reportPath: '', withServers };
}

function passesTypes(folder: string): Promise<boolean> {
  const tsc = join(folder, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [tsc, '-p', '.', '--noEmit', '--incremental', '--tsBuildInfoFile', join(folder, '.types')];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'ignore' });
  return new Promise((resolve) => child.once('close', (code) => resolve(code === 0)));
}

/** One database is enough for most faults and takes a third of the time; what is skipped without the others needs them. */
function needsServers(path: string): boolean {
  return /postgres|s3|^test\/(faults|api\/moving)/.test(path);
}

const lane = join('scripts', 'mutate', 'lane.ts');

/**
 * The first file that failed or hung; null when all of them passed. Where places are observed, all are run whatever
 * happens; otherwise the process and all it started are ended at the first failure: what comes after does not matter.
 */
function runTests(folder: string, job: LaneJob): Promise<string | null> {
  const scratch = mkdtempSync(join(folder, '.scratch-'));
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NO_COLOR: '1',
    NODE_COMPILE_CACHE: join(folder, '.compiled'),
    // What is ended does not clean up after itself.
    TMPDIR: scratch,
  };
  if (!job.withServers && !job.paths.some(needsServers)) delete env[serversVariable];
  const jobPath = join(folder, '.job');
  writeFileSync(jobPath, JSON.stringify(job));
  const child = spawn(process.execPath, ['--test-reporter=tap', lane, jobPath], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const end = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // It is gone already.
    }
  };
  // Before the copy is removed: what still runs would write to it.
  process.prependOnceListener('exit', end);
  return new Promise((resolve) => {
    let failed: string | null = null;
    let current = job.paths[0]!;
    const fail = () => {
      failed ??= current;
      end();
    };
    const timer = setTimeout(fail, silenceLimitMs);
    let rest = '';
    child.stdout.on('data', (bytes: Buffer) => {
      timer.refresh();
      const lines = (rest + bytes.toString('utf8')).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        current = /^# Subtest: § (?!end of )(.+)$/.exec(line)?.[1] ?? current;
        if (job.places === null && /^\s*not ok \d/.test(line) && !/# (SKIP|TODO)/.test(line)) fail();
      }
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      process.off('exit', end);
      end();
      rmSync(scratch, { recursive: true, force: true });
      resolve(code === 0 ? failed : (failed ?? current));
    });
  });
}
