// `waybill-server audit verify`: goes through the chain of events and says whether a line was changed or removed.
import { withInstallation } from '../app.ts';
import { readConfig, takeSecrets } from '../config.ts';
import { verifyEvents } from '../jobs/seal-events.ts';
import { silentLog } from '../lib/log.ts';

export async function audit(args: string[]): Promise<number> {
  if (args[0] !== 'verify') {
    process.stderr.write('usage: waybill-server audit verify\n');
    return 2;
  }
  const config = readConfig();
  takeSecrets();
  const { checked, brokenAt } = await withInstallation(config, silentLog, verifyEvents);
  if (brokenAt === null) {
    process.stdout.write(`${checked} sealed events, none changed\n`);
    return 0;
  }
  process.stdout.write(`event ${brokenAt} does not fit: it, or one before it, was changed or removed\n`);
  return 1;
}
