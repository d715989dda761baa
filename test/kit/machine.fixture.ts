// One of several machines of an installation, as a separate process with the clock of the test.
import { readFileSync } from 'node:fs';
import { prepare, startApp } from '#server/app.ts';
import { readConfig } from '#server/config.ts';
import { silentLog } from '#server/lib/log.ts';
import { cheapPasswords } from './app.ts';

const clockFile = process.argv[2]!;
let instant = 0;

/** While the test writes the file it is empty: the time has not changed. */
function now(): number {
  const written = Date.parse(`${readFileSync(clockFile, 'utf8').trim().replace(' ', 'T')}Z`);
  if (!Number.isNaN(written)) instant = written;
  return instant;
}

const config = readConfig(process.env);
const substitutes = { clock: { now, monotonic: now }, passwordParameters: cheapPasswords };
// All machines start simultaneously, as in a new installation.
await prepare(config, silentLog, substitutes);
const app = await startApp(config, silentLog, substitutes);
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
