// Changes settings under a lock, effective immediately in this process.
import type { Tx } from '../db/schema/schema.ts';
import { lockSettings, saveSettings } from '../db/system/settings.ts';
import type { Settings } from '../domain/settings.ts';
import type { Ctx } from './context.ts';

export async function changeSettings(
  ctx: Ctx,
  change: (tx: Tx, settings: Settings) => Promise<Settings>,
): Promise<Settings> {
  const settings = await ctx.db.write(async (tx) => {
    const changed = await change(tx, await lockSettings(tx, ctx.clock.now()));
    await saveSettings(tx, changed, ctx.clock.now());
    return changed;
  });
  await ctx.settings.refresh();
  return settings;
}
