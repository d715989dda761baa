// `waybill-server user link ADDRESS [--without-second-step]`: a link with which this person chooses a new password, for
// when nobody else can let them in.
import { letInAgain } from '../actions/sessions/operator-links.ts';
import { withInstallation } from '../app.ts';
import { readConfig, takeSecrets } from '../config.ts';
import { silentLog } from '../lib/log.ts';

export async function user(args: string[]): Promise<number> {
  const withoutSecondStep = args.includes('--without-second-step');
  const [verb, address, ...more] = args.filter((arg) => arg !== '--without-second-step');
  if (verb !== 'link' || address === undefined || address.startsWith('-') || more.length > 0) {
    process.stderr.write('usage: waybill-server user link ADDRESS [--without-second-step]\n');
    return 2;
  }
  const config = readConfig();
  takeSecrets();
  const url = await withInstallation(config, silentLog, (ctx) => letInAgain(ctx, address, { withoutSecondStep }));
  process.stdout.write(`${url}\n`);
  process.stderr.write('Good for one hour and for one use. Locks of sign-in are lifted.\n');
  return 0;
}
