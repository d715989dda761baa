// `npm test`: runs the checks and the test files in several processes, with the servers they need.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serversVariable } from '../test/kit/servers/addresses.ts';
import { type RunningServers, startServers } from '../test/kit/servers/all.ts';
import { folderInMemory } from '../test/kit/servers/memory.ts';
import { checkSteps, runSteps } from './check-steps.ts';
import { repositoryRoot } from './source-files.ts';
import { planTests, runsAlone, type TestPlan, triesAtRandom } from './test-plan.ts';
import { createQueue, runQueue } from './test-process.ts';
import { type Report, startReport } from './test-report.ts';

/** Two more than most machines have cores: many tests wait for a browser, a timer or a process. */
const processes = 4;
/** How many of them begin with files that run alone: those mostly wait, while the others keep the processor busy. */
const beginAlone = 2;
/** More failed files than this are no coincidence, and are not tried again (docs/adr/0054). */
const secondTries = 2;
/** A busy machine takes ten times as long as usual. */
const silenceLimitMs = 900_000;
const print = (line: string) => console.log(line);

// process.exit ends all children and removes temporary folders.
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  process.once(signal, () => {
    print(`interrupted by ${signal}`);
    process.exit(code);
  });
}

try {
  const plan = planTests(repositoryRoot, process.argv.slice(2));
  process.exitCode = plan.withTests ? await runAll(plan) : await runOnlyChecks();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  print('0 passed, 1 failed');
  process.exitCode = 1;
}

async function runAll(plan: TestPlan): Promise<number> {
  const report = startReport({ withNames: !plan.withChecks, print });
  const checking = plan.withChecks ? runChecks(report) : Promise.resolve();
  let servers: RunningServers | null = null;
  try {
    servers = plan.withServers ? await startServers({ ...plan, say: print }) : null;
    await runFiles(plan.files, servers, report.add);
    if (plan.withChecks) await tryAgain(servers, report);
  } catch (error) {
    report.addFailure(error instanceof Error ? error.message : String(error));
  } finally {
    await servers?.stop();
  }
  await checking;
  return report.finish();
}

async function tryAgain(servers: RunningServers | null, report: Report): Promise<void> {
  const failed = report.failedFiles();
  if (failed.length > secondTries || failed.some((path) => triesAtRandom(repositoryRoot, path))) return;
  for (const path of failed) await runFiles([path], servers, report.addSecond);
}

async function runChecks(report: Report): Promise<void> {
  const steps = checkSteps.filter((step) => !step.isTestFile);
  for (const name of await runSteps(steps, print)) report.addFailure(name);
}

async function runFiles(files: string[], servers: RunningServers | null, add: Report['add']): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'waybill-test-'));
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
  const onDisk: NodeJS.ProcessEnv = {
    ...process.env,
    [serversVariable]: servers?.addressesPath,
    NO_COLOR: '1',
    NODE_COMPILE_CACHE: join(repositoryRoot, 'node_modules', '.cache', 'compile'),
  };
  // Files that run alone stay on the disk: tests of faults are about it.
  const inMemory = { ...onDisk, TMPDIR: folderInMemory() ?? scratch };
  const alone = files.filter(runsAlone);
  const shared = createQueue(
    scratch,
    files.filter((path) => !runsAlone(path)),
  );
  const base = { root: repositoryRoot, silenceLimitMs, add };
  const runShared = () => runQueue({ ...base, queue: shared, env: inMemory });
  const runAlone = async () => {
    for (let path = alone.shift(); path !== undefined; path = alone.shift())
      await runQueue({ ...base, queue: createQueue(scratch, [path]), env: onDisk });
  };
  const workers = Array.from({ length: processes }, async (_, index) => {
    const [first, second] = index < beginAlone ? [runAlone, runShared] : [runShared, runAlone];
    await first();
    await second();
  });
  await Promise.all(workers);
}

async function runOnlyChecks(): Promise<number> {
  const failed = await runSteps(checkSteps, print);
  print(`${checkSteps.length - failed.length} passed, ${failed.length} failed`);
  return failed.length === 0 ? 0 : 1;
}
