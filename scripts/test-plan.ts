// Decides what one run of `npm test` includes: test files, checks and servers.
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
  withGo: boolean;
  withOperations: boolean;
  withDirectories: boolean;
  withSyslog: boolean;
}

const usage = `npm test -- [words] [--no-servers] [--only-check]
  words         run only test files whose path contains one of them, without the checks; files of test/machines/
                run only this way (npm run test:machines)
  --no-servers  start neither PostgreSQL nor S3 nor a browser; suites that need them skip
  --only-check  only the checks, as "npm run check"`;

const testFolders = [
  'cli',
  'client',
  'contract',
  'language',
  'server',
  'web',
  'transfer',
  'test',
  'scripts',
  'bench',
  'gallery',
  'tools',
];
const ofMachines = /^test\/machines\//;
const ofFaults = /^test\/faults\//;
/** Files that start, kill or measure whole processes. */
const ofProcesses = /^test\/(faults|operations|machines)\//;
const endToEnd = /e2e\//;
/** In this order, so that a run does not end with one long file alone. */
const longFirst = [ofFaults, /^scripts\//, endToEnd, /^test\/models\//, /^test\//];

/** Throws the usage when the arguments are wrong. */
export function planTests(root: string, args: string[]): TestPlan {
  const words = args.filter((arg) => !arg.startsWith('--')).map((word) => word.replace(/^\.\//, ''));
  const flags = args.filter((arg) => arg.startsWith('--'));
  const unknown = flags.find((flag) => !['--no-servers', '--only-check'].includes(flag));
  if (unknown) throw new Error(`There is no option ${unknown}.\n\n${usage}`);
  const withTests = !flags.includes('--only-check');
  const files = listFiles(root, withTests ? testFolders : [])
    .filter((path) => /\.test\.tsx?$/.test(path))
    .filter((path) => (words.length === 0 ? !ofMachines.test(path) : words.some((word) => path.includes(word))))
    .toSorted((a, b) => rank(a) - rank(b));
  const withServers = !flags.includes('--no-servers') && needServers(root, files);
  const serves = (pattern: RegExp) => withServers && files.some((path) => pattern.test(path));
  return {
    files,
    withChecks: words.length === 0,
    withTests,
    withServers,
    withChromium: serves(endToEnd),
    withStrace: serves(ofFaults),
    withShells: serves(/^test\/cli\//),
    withGo: serves(/\/go-verifier\.test\.ts$|\/helm-chart\.test\.ts$/),
    withOperations: serves(/^test\/(operations|machines)\//),
    withDirectories: serves(/\/(ldap|saml-provider|oidc-glewlwyd|identity-rules)[^/]*\.test\.ts$/),
    withSyslog: serves(/\/syslog[^/]*\.test\.ts$/),
  };
}

/** Whether the file needs a process without other test files. */
export function runsAlone(path: string): boolean {
  return ofProcesses.test(path);
}

/** Whether each run tries something else, so that passing at a second try would hide what the first one found. */
export function triesAtRandom(root: string, path: string): boolean {
  return path.startsWith('test/models/') || readFileSync(join(root, path), 'utf8').includes("from 'fast-check'");
}

function rank(path: string): number {
  const index = longFirst.findIndex((pattern) => pattern.test(path));
  return index === -1 ? longFirst.length : index;
}

/** Servers are started only if a selected file can ask for them. */
function needServers(root: string, files: string[]): boolean {
  if (files.some((path) => endToEnd.test(path) || ofFaults.test(path) || ofMachines.test(path))) return true;
  for (const path of reachableFiles(root, files)) {
    if (path.startsWith('scripts/')) continue;
    if (/\.tsx?$/.test(path) && readFileSync(join(root, path), 'utf8').includes(serversVariable)) return true;
  }
  return false;
}
