// Programs that tests need and npm does not install. On Debian, as root, uses apt-get; elsewhere an error names them.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

export interface Requirement {
  name: string;
  debianPackages: string[];
  isMet(): boolean;
  hasSubstitute?(): boolean;
}

/** Traces system calls; the tests of power cuts replay what reached the disk. */
export const straceRequirement: Requirement = {
  name: 'strace',
  debianPackages: ['strace'],
  isMet: () => existsSync('/usr/bin/strace'),
};

/** Shells whose completion is tested. Where they cannot be installed, their tests are skipped. */
export const shellRequirements: Requirement[] = ['zsh', 'fish'].map((name) => ({
  name,
  debianPackages: [name],
  isMet: () => existsSync(`/usr/bin/${name}`),
  hasSubstitute: () => true,
}));

/** Runs the independent verifier in tools/verify/go. Where it cannot be installed, its test is skipped. */
export const goRequirement: Requirement = {
  name: 'go',
  debianPackages: [
    'golang-go',
    'golang-golang-x-mod-dev',
    'golang-github-masterminds-sprig-dev',
    'golang-k8s-sigs-yaml-dev',
  ],
  isMet: () => existsSync('/usr/bin/go') && existsSync('/usr/share/gocode/src/github.com/Masterminds/sprig'),
  hasSubstitute: () => true,
};

const aptGet = '/usr/bin/apt-get';
const aptOptions = ['-q', '-y', '-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=2'];

export async function ensureInstalled(requirements: Requirement[], say: (line: string) => void): Promise<void> {
  const missing = requirements.filter((requirement) => !requirement.isMet());
  if (missing.length === 0) return;
  const packages = missing.flatMap((requirement) => requirement.debianPackages);
  const failure = reasonNotToInstall() ?? (await install(packages, say));
  const stillMissing = missing.filter((requirement) => !requirement.isMet() && !requirement.hasSubstitute?.());
  if (stillMissing.length > 0)
    throw new Error(whatToDo(stillMissing, packages, failure ?? 'installing did not bring it'));
}

/** Null on success, otherwise the reason. */
async function install(packages: string[], say: (line: string) => void): Promise<string | null> {
  say(`installing ${packages.join(' ')}`);
  try {
    // Old lists may suffice, so a failed update is ignored.
    await run(aptGet, [...aptOptions, 'update']).catch((error: Error) => say(error.message));
    await run(aptGet, [...aptOptions, 'install', '--no-install-recommends', ...packages]);
    return null;
  } catch (error) {
    say((error as Error).message);
    return 'installing failed';
  }
}

function reasonNotToInstall(): string | null {
  if (!existsSync('/etc/debian_version') || !existsSync(aptGet)) return 'this is not a Debian system';
  if (process.getuid?.() !== 0) return 'this user is not root';
  return null;
}

function whatToDo(missing: Requirement[], packages: string[], reason: string): string {
  const names = missing.map((requirement) => requirement.name).join(' and ');
  return (
    `The tests need ${names}, and ${reason}: install the equivalent of Debian's ` +
    `"apt-get install --no-install-recommends ${packages.join(' ')}", or run "npm test -- --no-servers" for the rest.`
  );
}

function run(command: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    let output = '';
    const keep = (bytes: Buffer) => {
      output = (output + bytes.toString()).slice(-4_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args.join(' ')} failed (${code}):\n${output}`));
    });
  });
}
