// `waybill-server setup-token`: prints the generated setup token. A configured one is not shown.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ctx } from '../actions/context.ts';
import { isSetUp } from '../actions/setup/setup.ts';
import { withInstallation } from '../app.ts';
import { type Config, readConfig, takeSecrets } from '../config.ts';
import { openSetupToken } from '../installation/setup-token.ts';
import { silentLog } from '../lib/log.ts';
import { OperatorProblem } from '../lib/operator-problem.ts';
import { type Terminal, terminal } from './terminal.ts';

export async function setupToken(args: string[]): Promise<number> {
  if (args.length > 0) {
    terminal.err('usage: waybill-server setup-token\n');
    return 2;
  }
  const config = readConfig();
  takeSecrets();
  await withInstallation(config, silentLog, (ctx) => showSetupToken(ctx, config, terminal));
  return 0;
}

export async function showSetupToken(
  ctx: Ctx,
  config: Pick<Config, 'dataDir' | 'setupToken'>,
  io: Terminal,
): Promise<void> {
  if (await isSetUp(ctx))
    throw new OperatorProblem(
      'This installation is set up, so its setup page is closed. To let an administrator in again: waybill-server user reset-password ADDRESS',
    );
  if (config.setupToken !== null)
    throw new OperatorProblem('The setup token is the one in WAYBILL_SETUP_TOKEN; it is not shown.');
  await openSetupToken(ctx, config);
  io.out(await readFile(join(config.dataDir, 'setup-token'), 'utf8'));
  io.err(`Opens ${ctx.settings.surroundings.baseUrl.replace(/\/$/, '')}/setup until there is an administrator.\n`);
}
