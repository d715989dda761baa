// `npm run test:binary [-- words]`: runs the API tests against the executable file, in a root without Node (docs/adr/0087).
// Needs root on Debian.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { clockVariable, executableVariable } from '../test/kit/executable.ts';
import { serversVariable } from '../test/kit/servers/addresses.ts';
import { ensureInstalled } from '../test/kit/servers/packages.ts';
import { repositoryRoot } from './source-files.ts';
import { runExternal, testFilesOf } from './test-external.ts';

const executable = join(repositoryRoot, 'dist', 'binary', `waybill-server-linux-${process.arch}`);

/** Tests that need the process of the service, by the end of their names, with the reason. */
const reachInside: Record<string, string[]> = {
  'a fault is thrown inside the process': [
    'reveals nothing to programs, whatever was thrown',
    'reveals nothing on pages',
    'does not keep a download that ends while the database is busy from the log',
    'is released by a message with files inside when the database fails in the middle',
    'a database that does not answer is named, and the process stays',
  ],
  'a function of the process is counted or interrupted': [
    'a person promoted while an administrator changes them is out of that administrator’s reach',
    'is refused with 507 on a disk with too little space, and the log says why, with the request',
  ],
  'the test moves timers of the process': [
    'that sends less than 1 KiB a second is ended, and nothing of it is stored',
    'is cut after two minutes, and the bytes received by then are counted and logged exactly',
  ],
  'hours of running follow the clock of the machine': [
    'that are never sent are erased after 48 hours of running, and not before',
    'have their hours counted over restarts, and only while the service runs',
    'comes after two days for a file that was never sent, and not for one that was',
  ],
};

await ensureInstalled(
  [{ name: 'libfaketime', debianPackages: ['libfaketime'], isMet: () => clockLibrary() !== null }],
  console.log,
);
process.exitCode = await runExternal({
  files: testFilesOf(['test/api'], process.argv.slice(2)),
  env: {
    // SQLite and disk only: a database server would have the clock of the machine.
    [serversVariable]: undefined,
    [executableVariable]: executable,
    [clockVariable]: clockLibrary()!,
  },
  insideNames: Object.values(reachInside).flat(),
});

function clockLibrary(): string | null {
  for (const name of readdirSync('/usr/lib')) {
    const path = `/usr/lib/${name}/faketime/libfaketimeMT.so.1`;
    if (existsSync(path)) return path;
  }
  return null;
}
