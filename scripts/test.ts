// `npm test`: the checks, the servers that tests need, and the test files, in a few processes beside each other. Ends with
// the line "N passed, N failed". Whatever happens to it, nothing it started stays behind.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serversVariable } from '../test/kit/servers/addresses.ts';
import { type RunningServers, startServers } from '../test/kit/servers/all.ts';
import { folderInMemory } from '../test/kit/servers/memory.ts';
import { checkSteps, runSteps } from './check-steps.ts';
import { repositoryRoot } from './source-files.ts';
import { type Report, startReport } from './test-report.ts';
import { runLane, writeQueue } from './test-run.ts';
import { planTests, runsAlone, silenceLimitOf, type TestPlan, triesAtRandom } from './test-select.ts';

/** Two more than most machines have cores: many tests wait for a browser, a timer or a process that was killed. */
const lanes = 4;
/**
 * So many of them begin with the files that have a process of their own. Those wait for most of their time (for a lease, a
 * process that starts or ends, a limit), and browsers keep the processor busy for all of theirs: together they leave none idle.
 */
const patientLanes = 2;
/**
 * So many files may run once more, by themselves, when everything else is over (docs/adr/0100). More is no coincidence.
 */
const mostSecondTries = 2;
const print = (line: string) => console.log(line);

// Leaving through process.exit ends all children (see child.ts) and removes what lies below the temporary folders.
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
  process.exitCode = plan.withTests ? await runAll(plan) : await checksAlone();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  print('0 passed, 1 failed');
  process.exitCode = 1;
}

async function runAll(plan: TestPlan): Promise<number> {
  const report = startReport({ withNames: !plan.withChecks, print });
  // Beside the tests: the checks begin while the servers still wait for Python to start, and end long before the tests.
  const checking = plan.withChecks ? runChecks(report) : Promise.resolve();
  let servers: RunningServers | null = null;
  try {
    servers = plan.withServers ? await startServers({ ...plan, say: print }) : null;
  } catch (error) {
    await checking;
    print(error instanceof Error ? error.message : String(error));
    report.addFailure('the servers for the tests did not start');
    return report.finish();
  }
  try {
    await runFiles(plan, servers, report.add);
    const failed = report.failedFiles();
    // Whoever runs chosen files wants to see them fail.
    if (
      plan.withChecks &&
      failed.length <= mostSecondTries &&
      !failed.some((path) => triesAtRandom(repositoryRoot, path))
    )
      for (const path of failed) await runFiles({ ...plan, files: [path] }, servers, report.addSecond);
  } finally {
    await servers?.stop();
  }
  await checking;
  return report.finish();
}

/** Without those that are test files. */
async function runChecks(report: Report): Promise<void> {
  const steps = checkSteps.filter((step) => !step.isTestFile);
  for (const name of await runSteps(steps, print)) report.addFailure(name);
}

async function runFiles(plan: TestPlan, servers: RunningServers | null, add: Report['add']): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'waybill-test-'));
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    [serversVariable]: servers?.addressesPath,
    NO_COLOR: '1',
    // Most files load the whole server, which takes a second the first time and half of one from then on.
    NODE_COMPILE_CACHE: join(repositoryRoot, 'node_modules', '.cache', 'compile'),
  };
  const lane = (queuePath: string, silenceLimitMs: number, env: NodeJS.ProcessEnv) =>
    runLane({ root: repositoryRoot, queuePath, scratch, silenceLimitMs, env, add });
  const alone = plan.files.filter((path) => runsAlone(repositoryRoot, path));
  const shared = writeQueue(
    scratch,
    plan.files.filter((path) => !alone.includes(path)),
  );
  const runAlone = async () => {
    for (let path = alone.shift(); path !== undefined; path = alone.shift())
      await lane(writeQueue(scratch, [path]), silenceLimitOf(path), env);
  };
  // Files with a process of their own have the disk: tests of faults are about it.
  const inMemory = { ...env, TMPDIR: folderInMemory() ?? scratch };
  const runShared = () => lane(shared, silenceLimitOf(''), inMemory);
  const works = Array.from({ length: lanes }, (_, index) =>
    index < patientLanes ? [runAlone, runShared] : [runShared, runAlone],
  );
  await Promise.all(
    works.map(async (parts) => {
      for (const part of parts) await part();
    }),
  );
}

async function checksAlone(): Promise<number> {
  const failed = await runSteps(checkSteps, print);
  print(`${checkSteps.length - failed.length} passed, ${failed.length} failed`);
  return failed.length === 0 ? 0 : 1;
}
