// The checks of `npm run check` and `npm test`; they need no server.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { findTraces } from './machine-traces.ts';
import { findMissingTranslations } from './missing-translations.ts';
import { installSeparately } from './separate-packages.ts';
import { repositoryRoot } from './source-files.ts';

export interface CheckStep {
  name: string;
  /** Resolves with null, or with the reason of the failure. */
  run(): Promise<string | null>;
  /** A test file that `npm test` runs as well. */
  isTestFile?: true;
  /** Findings are printed, and only a release fails. */
  isForReleases?: true;
}

const bin = (name: string) => join(repositoryRoot, 'node_modules', '.bin', name);

export const checkSteps: CheckStep[] = [
  { name: 'format and lint', run: () => succeeds(process.execPath, [bin('biome'), 'ci', '--colors=off', '.']) },
  { name: 'types', run: checkTypes },
  { name: 'import rules', run: () => succeeds(process.execPath, ['test/import-rules.test.ts']), isTestFile: true },
  { name: 'dead code', run: deadCode },
  { name: 'generated files', run: () => succeeds(process.execPath, ['scripts/generate.ts', '--check']) },
  { name: 'traces of machines', run: traces },
  { name: 'translations', run: translations, isForReleases: true },
];

/** Runs all steps, one after the other, and returns the names of those that failed. */
export async function runSteps(
  steps: CheckStep[],
  print: (line: string) => void,
  { isRelease = false }: { isRelease?: boolean } = {},
): Promise<string[]> {
  const failed: string[] = [];
  for (const step of steps) {
    const startedAt = performance.now();
    const complaint = await step.run().catch((error: Error) => error.message);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    const isFailed = complaint !== null && (isRelease || step.isForReleases !== true);
    print(`${isFailed ? '✖' : '✔'} check: ${step.name} (${seconds} s)`);
    if (complaint === null) continue;
    if (isFailed) failed.push(`check: ${step.name}`);
    print(complaint.trimEnd().replace(/^(?=.)/gm, '    '));
  }
  return failed;
}

/** In one thread: several threads check the same types again, which takes half as much work again. */
function checkTypes(): Promise<string | null> {
  const state = ['--incremental', '--tsBuildInfoFile', join('.test', 'types.tsbuildinfo')];
  return succeeds(process.execPath, [bin('tsc'), '-p', '.', '--pretty', 'false', '--singleThreaded', ...state]);
}

/** knip has a separate lockfile, because some of its releases cannot be locked with the other packages. */
async function deadCode(): Promise<string | null> {
  const knip = join(await installSeparately('knip'), 'knip', 'bin', 'knip.js');
  return succeeds(process.execPath, [knip, '--config', 'tools/knip/knip.jsonc', '--no-progress', '--no-config-hints']);
}

async function translations(): Promise<string | null> {
  const missing = findMissingTranslations();
  return missing.length === 0 ? null : `shown in English:\n${missing.join('\n')}`;
}

async function traces(): Promise<string | null> {
  const found = findTraces(repositoryRoot);
  return found.length === 0 ? null : found.join('\n');
}

/** Null if the program ends with 0, otherwise its output. */
function succeeds(command: string, args: string[]): Promise<string | null> {
  return new Promise((resolve) => {
    const options = { cwd: repositoryRoot, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, NO_COLOR: '1' } };
    execFile(command, args, options, (error, stdout, stderr) => {
      resolve(error === null ? null : `${stdout}${stderr}`.trim() || error.message);
    });
  });
}
