// One of several machines that serve one installation, as a process of its own with the clock of the test.
import { readFileSync } from 'node:fs';
import { prepare, startApp } from '#server/app.ts';
import { readConfig } from '#server/config.ts';
import { silentLog } from '#server/lib/log.ts';
import { cheapPasswords } from './app.ts';

const clockFile = process.argv[2]!;
let instant = 0;

/** Between two moments of the test the file is empty: no time has passed then. */
function now(): number {
  const written = Date.parse(`${readFileSync(clockFile, 'utf8').trim().replace(' ', 'T')}Z`);
  if (!Number.isNaN(written)) instant = written;
  return instant;
}

const config = readConfig(process.env);
const substitutes = { clock: { now, monotonic: now }, passwordParameters: cheapPasswords };
// All machines at once, as on the first day of an installation.
await prepare(config, silentLog, substitutes);
const app = await startApp(config, silentLog, substitutes);
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
