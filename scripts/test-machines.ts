// Part of `npm run test:machines [-- words]`: runs the API tests and the models against three processes behind nginx, with each
// database and store. Each request goes to another process, so no state may live in one process only.
import { machinesVariable } from '../test/kit/machines.ts';
import { serversVariable } from '../test/kit/servers/addresses.ts';
import { startServers } from '../test/kit/servers/all.ts';
import { runExternal, testFilesOf } from './test-external.ts';

/** Tests that cannot run there, by the end of their names, with the reason. */
const skippedTests: Record<string, string[]> = {
  'a fault is thrown inside the process': [
    'reveals nothing to programs, whatever was thrown',
    'reveals nothing on pages',
    'does not keep a download that ends while the database is busy from the log',
    'is released by a message with files inside when the database fails in the middle',
    'is refused with 507 on a disk with too little space, and the log says why, with the request',
  ],
  'the test interrupts a function of the process': [
    'a person promoted while an administrator changes them is out of that administrator’s reach',
  ],
  'each process counts for itself (docs/operate/several-machines.md)': [
    'after twenty wrong keys in a minute, unknown keys of that network are refused for five minutes',
    'all addresses of one IPv6 /64 share the count',
    'is the operator’s number a minute, for each key separately, and a refusal has Retry-After',
    'is the same as that of a key, over all sessions of a person, and for each person separately',
    'a person has six streams and no seventh; ending one permits a new one',
  ],
  'the clock moves ahead and back before the other machines read it': [
    'back, revives nothing, neither immediately nor after a restart',
  ],
  'nginx refuses malformed requests itself': [
    'two Authorization headers are refused, also when both hold the same right key',
    'anything else is a 401, and so are two credentials together',
    'every 4xx has a JSON object with the key errors, an array of strings',
    'get an answer with the error body where possible',
    'with an address that cannot be decoded, or is too long, are 404',
  ],
  'nginx forwards the Host header of an absolute address': [
    'the authority of the absolute form counts, not the Host header',
    'in the absolute form of the target is 421 too',
  ],
  'nginx sends 100 Continue itself': [
    'when the client waits for 100 Continue, it gets a refusal or 100 Continue',
    'is not requested from a caller with a wrong key',
    'is refused with 413 before 100 Continue if more than 100 MB are announced',
    'refuses a file that is announced too large before 100 Continue',
    'is refused before 100 Continue',
  ],
  'nginx answers 502 where the service closes a connection': [
    'is cut: downloads of their files, and uploads of theirs',
  ],
};

const servers = await startServers({
  withChromium: false,
  withStrace: false,
  withShells: false,
  withGo: false,
  withOperations: false,
  withDirectories: false,
  withSyslog: false,
  say: console.log,
});
try {
  process.exitCode = await runExternal({
    files: testFilesOf(['test/models', 'test/api'], process.argv.slice(2)),
    env: { [serversVariable]: servers.addressesPath, [machinesVariable]: '3' },
    insideNames: Object.values(skippedTests).flat(),
  });
} finally {
  await servers.stop();
}
