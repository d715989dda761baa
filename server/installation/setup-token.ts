// The one-time token for the setup page, in a file for the operator. Removed once an administrator exists.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ctx } from '../actions/context.ts';
import { isSetUp, isSetupToken, rememberSetupToken } from '../actions/setup/setup.ts';
import type { Config } from '../config.ts';

export interface SetupToken {
  source: { is: 'file'; path: string } | { is: 'environment'; variable: string };
  remove(): Promise<void>;
}

export async function openSetupToken(ctx: Ctx, config: Pick<Config, 'dataDir' | 'setupToken'>): Promise<SetupToken> {
  const path = join(config.dataDir, 'setup-token');
  const token: SetupToken = {
    source: config.setupToken === null ? { is: 'file', path } : { is: 'environment', variable: 'WAYBILL_SETUP_TOKEN' },
    remove: () => rm(path, { force: true }),
  };
  if (await isSetUp(ctx)) {
    await token.remove();
    return token;
  }
  const given = config.setupToken?.reveal();
  if (given !== undefined) {
    await rememberSetupToken(ctx, given);
    return token;
  }
  const written = await readFile(path, 'utf8').catch(() => '');
  if (written !== '' && (await isSetupToken(ctx, written.trim()))) return token;
  const made = ctx.random.id();
  await writeFile(path, `${made}\n`, { mode: 0o600 });
  await rememberSetupToken(ctx, made);
  return token;
}
