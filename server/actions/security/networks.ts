// The networks the console is open to. Nobody locks themselves out: a list without the caller's own address is refused.
import type { UserCaller } from '../../domain/caller.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import { demandRight } from '../../domain/roles.ts';
import { parseTrusted, type Trusted } from '../../lib/client-address.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { changeSettings } from '../settings.ts';

export async function changeConsoleNetworks(ctx: Ctx, caller: UserCaller, given: string[]): Promise<string[]> {
  demandRight(caller, 'system.change');
  const networks = [...new Set(given.map((network) => network.trim()).filter((network) => network !== ''))];
  let inside: Trusted;
  try {
    inside = parseTrusted(networks.join(','));
  } catch (error) {
    const entry = /^'(.*?)'/.exec((error as Error).message)?.[1] ?? '';
    throw invalid(
      'security.bad_network',
      `“${entry}” is not a network. Write addresses such as 192.0.2.7 or networks such as 10.1.0.0/16.`,
      'console_networks',
    ).withValues({ entry });
  }
  if (networks.length > 0 && !inside.contains(caller.from.address))
    throw invalid(
      'security.lock_out',
      `You would lock yourself out. Your own address is ${caller.from.address}.`,
      'console_networks',
    ).withValues({ address: caller.from.address });
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

let known: { text: string; inside: Trusted } = { text: '', inside: parseTrusted('') };

/** Throws for calls of administrators from elsewhere. */
export function demandConsoleNetwork(ctx: Ctx, caller: UserCaller): void {
  const { consoleNetworks } = ctx.settings.current();
  if (consoleNetworks.length === 0) return;
  const text = consoleNetworks.join(',');
  if (known.text !== text) known = { text, inside: parseTrusted(text) };
  if (!known.inside.contains(caller.from.address))
    throw new Problem('forbidden', 'security.wrong_network', 'The console can’t be used from your network.');
}
