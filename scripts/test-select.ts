// What one run of the test command is about: which files, with which checks and servers.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serversVariable } from '../test/kit/servers/addresses.ts';
import { reachableFiles } from './imports.ts';
import { listFiles } from './source-files.ts';

export interface TestPlan {
  files: string[];
  withChecks: boolean;
  withTests: boolean;
  withServers: boolean;
  withChromium: boolean;
  withStrace: boolean;
  withShells: boolean;
  withOperations: boolean;
}

export const usage = `npm test -- [words] [--no-servers] [--only-check]
  words         run only test files whose path contains one of them, without the checks; files of test/machines/
                run only this way (npm run test:machines)
  --no-servers  start neither PostgreSQL nor S3 nor a browser; suites that need them skip
  --only-check  the checks alone, as "npm run check"`;

const testFolders = ['cli', 'client', 'contract', 'language', 'server', 'web', 'transfer', 'test', 'scripts', 'bench'];
/** Far more than any test needs, ten times over: a busy machine must not turn a test red. */
const silenceLimitMs = { ordinary: 600_000, faults: 900_000 };

/** Throws a sentence for people when the arguments make no sense. */
export function planTests(root: string, args: string[]): TestPlan {
  const words = args.filter((arg) => !arg.startsWith('--'));
  const flags = args.filter((arg) => arg.startsWith('--'));
  const unknown = flags.find((flag) => !['--no-servers', '--only-check'].includes(flag));
  if (unknown) throw new Error(`There is no option ${unknown}.\n\n${usage}`);
  if (flags.includes('--only-check')) {
    return {
      files: [],
      withChecks: true,
      withTests: false,
      withServers: false,
      withChromium: false,
      withStrace: false,
      withShells: false,
      withOperations: false,
    };
  }
  const all = listFiles(root, testFolders).filter((path) => /\.test\.tsx?$/.test(path));
  // Path separators and a leading ./ come from shell completion.
  const wanted = words.map((word) => word.replaceAll('\\', '/').replace(/^\.\//, ''));
  const files =
    wanted.length === 0
      ? all.filter((path) => !isOfMachines(path))
      : all.filter((path) => wanted.some((word) => path.includes(word)));
  const withServers = !flags.includes('--no-servers') && needServers(root, files);
  return {
    files: files.toSorted((a, b) => weight(a) - weight(b)),
    withChecks: words.length === 0,
    withTests: true,
    withServers,
    withChromium: withServers && files.some(isJourney),
    withStrace: withServers && files.some(isFault),
    withShells: withServers && files.some((path) => path.startsWith('test/cli/')),
    withOperations: withServers && files.some((path) => isOperation(path) || isOfMachines(path)),
  };
}

/** For how long a file may report nothing before it is ended and counted as failed. */
export function silenceLimitOf(path: string): number {
  return isFault(path) || isOperation(path) || isOfMachines(path) ? silenceLimitMs.faults : silenceLimitMs.ordinary;
}

/**
 * True for a file that wants a process of its own: tests of faults, which kill, trace and weigh processes; and files with
 * hooks outside of any suite, which would run around the tests of other files too.
 */
export function runsAlone(root: string, path: string): boolean {
  return (
    isFault(path) ||
    isOperation(path) ||
    isOfMachines(path) ||
    /^(before|beforeEach|afterEach)\(/m.test(readFileSync(join(root, path), 'utf8'))
  );
}

/** What it tries is another thing each time, so a second run says nothing about a failure of the first. */
export function triesAtRandom(root: string, path: string): boolean {
  return path.startsWith('test/models/') || readFileSync(join(root, path), 'utf8').includes("from 'fast-check'");
}

function isJourney(path: string): boolean {
  return path.includes('e2e/');
}

function isFault(path: string): boolean {
  return path.startsWith('test/faults/');
}

/** Programs of operators run there beside ours, whole. */
function isOperation(path: string): boolean {
  return path.startsWith('test/operations/');
}

/** Three machines behind a proxy, under faults and under whole suites: far too long for every run. */
function isOfMachines(path: string): boolean {
  return path.startsWith('test/machines/');
}

function isModel(path: string): boolean {
  return path.startsWith('test/models/');
}

function isOfTheService(path: string): boolean {
  return path.startsWith('test/');
}

/** Those of the test command wait for processes that fall silent. */
function isOfTheScripts(path: string): boolean {
  return path.startsWith('scripts/');
}

/** Kinds of long files first, so that the end of a run does not wait for one of them alone. */
function weight(path: string): number {
  const isLong = [isFault, isOfTheScripts, isJourney, isModel, isOfTheService];
  const index = isLong.findIndex((isOne) => isOne(path));
  return index === -1 ? isLong.length : index;
}

/** Servers are started only when some selected file can ask for them, so that a unit test stays quick. */
function needServers(root: string, files: string[]): boolean {
  if (files.some((path) => isJourney(path) || isFault(path) || isOfMachines(path))) return true;
  for (const path of reachableFiles(root, files)) {
    if (path.startsWith('scripts/')) continue; // the test command names the variable too, but does not read it
    if (/\.tsx?$/.test(path) && readFileSync(join(root, path), 'utf8').includes(serversVariable)) return true;
  }
  return false;
}
