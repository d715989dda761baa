// Locked sign-ins and the networks of the console, for System Administrators.
import { listClients } from '../../../actions/security/clients.ts';
import { listLocks, removeLock } from '../../../actions/security/locks.ts';
import { changeConsoleNetworks } from '../../../actions/security/networks.ts';
import type { Serve } from '../../endpoint.ts';

export function serveSecuritySettings(serve: Serve): void {
  serve('listLocks', async ({ ctx, caller }) => ({
    locks: (await listLocks(ctx, caller)).map(({ id, kind, user, link, network, failures, until }) => ({
      id,
      kind,
      user: user === null ? null : { id: user.id, email: user.email, name: user.name },
      link,
      network,
      failures,
      until: new Date(until).toISOString(),
    })),
  }));
  serve('listClients', async ({ ctx, deps, caller }) => ({
    clients: (await listClients(ctx, caller, deps.clients)).map(({ client, version, calls, lastOn, errors }) => ({
      client,
      version,
      calls,
      last_on: lastOn,
      errors: errors.map(({ code, calls: times }) => ({ code, calls: times })),
    })),
  }));
  serve('removeLock', ({ ctx, caller, params }) => removeLock(ctx, caller, params.id));
  serve('getSecuritySettings', async ({ ctx, caller }) => ({
    security: { console_networks: ctx.settings.current().consoleNetworks, your_address: caller.from.address },
  }));
  serve('changeSecuritySettings', async ({ ctx, caller, body }) => ({
    security: {
      console_networks: await changeConsoleNetworks(ctx, caller, body.security.console_networks),
      your_address: caller.from.address,
    },
  }));
}
