// Starts the executable file (docs/adr/0087) for `npm run test:binary`, in a root without other programs, with libfaketime.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ManualClock, manualClock } from '#server/lib/clock.ts';
import { type Child, startChild, untilReady } from './servers/child.ts';

/** Names the file; without it the service runs in the process of the tests. */
export const executableVariable = 'WAYBILL_TEST_PROGRAM';
/** Names libfaketime. */
export const clockVariable = 'WAYBILL_TEST_CLOCK_LIBRARY';
/** In the error of tests that replace a part of the service. */
export const needsInside = 'only a service inside the process of the tests can have this';

export interface RunningExecutable {
  restart(): Promise<void>;
  close(): Promise<void>;
}

let root: string | null = null;

/** `settings` is its whole environment; the clock below writes `clockFile`. */
export async function startExecutable(
  program: string,
  settings: Record<string, string>,
  clockFile: string,
): Promise<RunningExecutable> {
  root ??= bareRoot(program, process.env[clockVariable]!);
  const outputPath = `${clockFile}.output`;
  let child = await start(program, root, { settings, clockFile, outputPath });
  return {
    async restart() {
      await child.stop(10_000);
      child = await start(program, root!, { settings, clockFile, outputPath });
    },
    async close() {
      await child.stop(10_000);
      rmSync(dirname(clockFile), { recursive: true, force: true });
    },
  };
}

export function sharedClock(begin: number): { clock: ManualClock; clockFile: string } {
  const clock = manualClock(begin);
  const clockFile = join(mkdtempSync(join(tmpdir(), 'waybill-clock-')), 'now');
  const write = () =>
    writeFileSync(clockFile, new Date(clock.now()).toISOString().replace('T', ' ').replace('Z', '\n'));
  write();
  return {
    clockFile,
    clock: {
      ...clock,
      advance(ms) {
        clock.advance(ms);
        write();
      },
      set(instant) {
        clock.set(instant);
        write();
      },
    },
  };
}

/** The root has no other program: only the libraries that the file needs, and two lists of names. */
function bareRoot(program: string, clockLibrary: string): string {
  const made = mkdtempSync(join(tmpdir(), 'waybill-bare-'));
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  chmodSync(made, 0o755);
  const needed = execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g);
  for (const library of [...Array.from(needed, ([, path]) => path!), clockLibrary]) {
    mkdirSync(join(made, dirname(library)), { recursive: true });
    copyFileSync(library, join(made, library));
  }
  for (const folder of ['etc', 'proc', 'dev', 'bin', tmpdir()]) mkdirSync(join(made, folder), { recursive: true });
  writeFileSync(join(made, 'etc/hosts'), '127.0.0.1 localhost\n');
  writeFileSync(join(made, 'etc/passwd'), 'root:x:0:0::/:/bin/false\n');
  writeFileSync(join(made, 'bin/waybill-server'), '');
  return made;
}

/** Mounts the root, the file and the temporary folder in a namespace that ends with the program. */
const enter = `set -e; mount --make-rprivate /
  mount --bind "$1" "$0/bin/waybill-server"; mount --bind "$2" "$0$2"
  mount --rbind /proc "$0/proc"; mount --rbind /dev "$0/dev"
  exec chroot "$0" /bin/waybill-server start`;

interface Start {
  settings: Record<string, string>;
  clockFile: string;
  outputPath: string;
}

async function start(program: string, bare: string, { settings, clockFile, outputPath }: Start): Promise<Child> {
  const child = await startChild({
    name: 'the executable file',
    command: 'unshare',
    args: ['--mount', 'sh', '-c', enter, bare, program, tmpdir()],
    outputPath,
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      LD_PRELOAD: process.env[clockVariable],
      FAKETIME_TIMESTAMP_FILE: clockFile,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
      TZ: 'UTC',
      ...settings,
    },
  });
  // Any reply counts: some tests start it with faults that it reports.
  await untilReady(
    [child],
    async () => void (await (await fetch(`http://${settings.WAYBILL_LISTEN}/healthz`)).text()),
    240_000,
  );
  return child;
}
