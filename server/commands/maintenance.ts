// `waybill-server maintenance on|off|status` switches maintenance; running servers follow within seconds. `maintenance
// rewrite` rewrites an SQLite file.
import type { Ctx } from '../actions/context.ts';
import { beginMaintenance, endMaintenance } from '../actions/system/maintenance.ts';
import { rewriteDatabase } from '../actions/system/rewriting.ts';
import { withInstallation } from '../app.ts';
import { readConfig, takeSecrets } from '../config.ts';
import { operatorCaller } from '../domain/caller.ts';
import type { Settings } from '../domain/settings.ts';
import { readDuration } from '../lib/config-values.ts';
import { silentLog } from '../lib/log.ts';
import { readFlags } from './flags.ts';
import { type Terminal, terminal } from './terminal.ts';

const usage = `usage: waybill-server maintenance on [--message TEXT] [--for 2h]
       waybill-server maintenance off
       waybill-server maintenance status
       waybill-server maintenance rewrite
`;

export function maintenance(args: string[]): Promise<number> {
  return manageMaintenance(args, terminal, async (work) => {
    const config = readConfig();
    takeSecrets();
    await withInstallation(config, silentLog, work);
  });
}

/** `within` opens the installation after the arguments were parsed. */
export async function manageMaintenance(
  args: string[],
  io: Terminal,
  within: (work: (ctx: Ctx) => Promise<void>) => Promise<void>,
): Promise<number> {
  const [verb = '', ...rest] = args;
  const flags = readFlags(rest, verb === 'on' ? { values: ['--message', '--for'] } : {});
  const forMs = lengthOf(flags?.values.get('--for'));
  if (!['on', 'off', 'status', 'rewrite'].includes(verb) || flags === null || forMs === 'wrong') {
    io.err(usage);
    return 2;
  }
  if (verb === 'rewrite') return rewrite(io, within);
  await within(async (ctx) => {
    const message = flags.values.get('--message') ?? '';
    const until = forMs === null ? null : ctx.clock.now() + forMs;
    if (verb === 'on') await beginMaintenance(ctx, operatorCaller(), { message, until });
    if (verb === 'off') await endMaintenance(ctx, operatorCaller());
    await ctx.settings.refresh();
    io.out(describe(ctx.settings.current()));
  });
  return 0;
}

/** Without a size limit, because the operator chose the time. */
async function rewrite(io: Terminal, within: (work: (ctx: Ctx) => Promise<void>) => Promise<void>): Promise<number> {
  let isDone = false;
  await within(async (ctx) => {
    isDone = await rewriteDatabase(ctx);
  });
  if (isDone) io.out('✓ The database file was written anew; nothing that was erased is left in it.\n');
  else io.err('Only SQLite files are rewritten here. PostgreSQL does it with VACUUM FULL.\n');
  return isDone ? 0 : 1;
}

function lengthOf(text: string | undefined): number | null | 'wrong' {
  if (text === undefined) return null;
  try {
    return readDuration(text, 60_000);
  } catch {
    return 'wrong';
  }
}

function describe({ maintenance: now }: Pick<Settings, 'maintenance'>): string {
  if (now === null) return 'off: all users can sign in\n';
  const time = (instant: number) => `${new Date(instant).toISOString().slice(0, 16)}Z`;
  const until = now.until === null ? '' : `, expected to end ${time(now.until)}`;
  const message = now.message === '' ? '' : `  ${now.message}\n`;
  return `on since ${time(now.since)}${until}: only administrators get in\n${message}`;
}
