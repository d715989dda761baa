// Runs test files against a copy of the repository with one fault in it. The copy is the only place that is written to.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { serversVariable } from '../../test/kit/servers/addresses.ts';
import { readImports } from '../imports.ts';
import { listFiles } from '../source-files.ts';
import type { ImportGraph } from './choose.ts';
import { type Fault, plant } from './plant.ts';

export interface Trial {
  /** The test file that noticed; null when the fault survived all of them. */
  noticedBy: string | null;
  tried: string[];
}

export interface Workshop {
  graph: ImportGraph;
  textOf(path: string): string;
  /** Tries the test files one after the other and stops at the first that fails. */
  tryFault(fault: Fault, tests: string[]): Promise<Trial>;
  close(): void;
}

const codeFolders = ['server', 'transfer', 'contract', 'language', 'test', 'scripts', 'web'];
const sharedFolders = ['node_modules', 'dist'];
const leftOut = new Set([...sharedFolders, '.git', 'data', '.test']);
/** A file that hangs because of the fault has noticed it too, if it does not hang without it. */
const mostFileMs = 180_000;
/** Past this no further file is begun for the same fault. */
const mostFaultMs = 300_000;

export function openWorkshop(root: string): Workshop {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-mutate-'));
  cpSync(root, folder, { recursive: true, filter: (path) => path === root || !leftOut.has(basename(path)) });
  for (const shared of sharedFolders) symlinkSync(join(root, shared), join(folder, shared));
  // Of the copy, so that work may go on in the repository meanwhile.
  const textOf = (path: string) => readFileSync(join(folder, path), 'utf8');
  const isUsuallyGreen = createBaseline(folder);

  return {
    graph: readGraph(folder, textOf),
    textOf,
    async tryFault(fault, tests) {
      const text = textOf(fault.path);
      const tried: string[] = [];
      const startedAt = performance.now();
      for (const test of tests) {
        if (performance.now() - startedAt > mostFaultMs) break;
        tried.push(test);
        writeFileSync(join(folder, fault.path), plant(text, fault));
        const isGreen = await runTest(folder, test, needsServers(fault.path) || needsServers(test));
        writeFileSync(join(folder, fault.path), text);
        // A file that is red without the fault as well tells nothing.
        if (!isGreen && (await isUsuallyGreen(test))) return { noticedBy: test, tried };
      }
      return { noticedBy: null, tried };
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function readGraph(root: string, textOf: (path: string) => string): ImportGraph {
  const files = listFiles(root, codeFolders).filter((path) => /\.tsx?$/.test(path));
  return new Map(
    files.map((path) => {
      const imports = readImports(path, textOf(path)).filter((one) => one.path !== null && !one.isTypeOnly);
      return [path, imports.map((one) => one.path!)];
    }),
  );
}

/** Whether a file passes without a fault, found out once and only for those that failed with one. */
function createBaseline(folder: string): (test: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return (test) => {
    const result = known.get(test) ?? runTest(folder, test, needsServers(test));
    known.set(test, result);
    return result;
  };
}

/** One database is enough for most faults and takes a third of the time. */
function needsServers(path: string): boolean {
  return /postgres|s3/.test(path);
}

/** Ends the process and all it started at the first failure: what comes after does not matter. */
function runTest(folder: string, test: string, withServers: boolean): Promise<boolean> {
  const env: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: '1', NODE_COMPILE_CACHE: join(folder, '.compiled') };
  if (!withServers) delete env[serversVariable];
  const child = spawn(process.execPath, ['--test-reporter=tap', test], {
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
    let hasFailed = false;
    const fail = () => {
      hasFailed = true;
      end();
    };
    const timer = setTimeout(fail, mostFileMs);
    let rest = '';
    child.stdout.on('data', (bytes: Buffer) => {
      const lines = (rest + bytes.toString('utf8')).split('\n');
      rest = lines.pop()!;
      if (lines.some((line) => /^\s*not ok \d/.test(line) && !/# (SKIP|TODO)/.test(line))) fail();
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      process.off('exit', end);
      end();
      resolve(!hasFailed && code === 0);
    });
  });
}
