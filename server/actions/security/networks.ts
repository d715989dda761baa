// The networks that may open the console. A list without the caller's own address is refused.
import type { UserCaller } from '../../domain/caller.ts';
import { assertInside, badNetwork, isWithin, readNetworks } from '../../domain/networks.ts';
import { Problem } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { changeSettings } from '../settings.ts';

export async function changeConsoleNetworks(ctx: Ctx, caller: UserCaller, given: string[]): Promise<string[]> {
  requireRight(caller, 'system.change');
  const { networks, wrong } = readNetworks(given);
  if (wrong !== null) throw badNetwork(wrong, 'console_networks');
  assertInside(networks, caller.from.address, 'console_networks');
  const settings = await changeSettings(ctx, async (tx, current) => {
    await record(ctx, tx, caller, {
      action: 'security.changed',
      object: { kind: 'system', id: 'installation' },
      ownerId: '',
      facts: { console_networks: { from: [...current.consoleNetworks], to: networks } },
    });
    return { ...current, consoleNetworks: networks };
  });
  return settings.consoleNetworks;
}

export function assertConsoleNetwork(ctx: Ctx, caller: UserCaller): void {
  if (!isWithin(ctx.settings.current().consoleNetworks, caller.from.address))
    throw new Problem('forbidden', 'security.wrong_network', 'The console can’t be used from your network.');
}
