// The tests of the API and the random walks against three processes behind nginx, over each of the databases and stores, instead of
// one service inside the process of the tests: each request goes to another of them, so that nothing may be known to one alone.
// Words narrow it to files with them in their path. Part of `npm run test:machines`. Ends with the line "N passed, N failed".
import { machinesVariable } from '../test/kit/machines.ts';
import { serversVariable } from '../test/kit/servers/addresses.ts';
import { startServers } from '../test/kit/servers/all.ts';
import { runApart, testFilesOf } from './test-apart.ts';

/** Tests that cannot run there, by the end of their names, and why. */
const testsApart: Record<string, string[]> = {
  'a fault is thrown inside the process': [
    'tells nothing of itself to programs, whatever was thrown',
    'tells nothing of itself to people',
    'a download that ends while the database is busy is in the log all the same',
    'is given back to a message with files inside when the database fails in the middle',
    'a disk with too little room refuses uploads with 507, and the log says why, with the request',
  ],
  'something happens in the middle of a function of the process': [
    'somebody raised while an administrator changes them is out of that administrator’s reach',
  ],
  'each process counts for itself (docs/operations/several-machines.md)': [
    'after twenty wrong keys in a minute unknown ones of that network are refused for five minutes',
    'all addresses of one IPv6 /64 share the count',
    'is the operator’s number a minute, told with Retry-After, for each key on its own',
    'is the same as that of a key, over all sessions of a person, and for each person on their own',
    'a person has six streams and no seventh; leaving one makes room',
  ],
  'the clock goes ahead and back again before the other machines have looked at it once': [
    'back, revives nothing: not at once, not after a restart',
  ],
  'nginx refuses what is hardly a request before we see it, in its own words': [
    'two Authorization headers are refused, also when both hold the same right key',
    'anything else is a 401, and so are two credentials at once',
    'Rule 9: every 4xx has a JSON object with the key errors, an array of strings',
    'get an answer with the error body where one can be given',
    'an address that can not be decoded, and one that is too long, are 404',
  ],
  'nginx hands on the Host beside an absolute address': [
    'Rule 5, its limit: the authority of the absolute form counts, not the Host beside it',
    'in the absolute form of the target is 421 too',
  ],
  'nginx invites the body itself (100 Continue), whatever we would say': [
    'when the client waits to be invited, it is refused instead, or invited',
    'a wrong key is told before the body is invited',
    'an announced body of more than 100 MB is refused with 413 before it is invited',
    'refuses a file that is announced too large before its body is invited',
    'a refusal comes before the body is invited',
  ],
  'nginx answers with 502 where we cut a connection': ['is cut: downloads of their files, and uploads of theirs'],
};

const servers = await startServers({
  withChromium: false,
  withStrace: false,
  withShells: false,
  withOperations: false,
  say: console.log,
});
try {
  process.exitCode = await runApart({
    files: testFilesOf(['test/models', 'test/api'], process.argv.slice(2)),
    env: { [serversVariable]: servers.addressesPath, [machinesVariable]: '3' },
    insideNames: Object.values(testsApart).flat(),
  });
} finally {
  await servers.stop();
}
