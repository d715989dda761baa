// Locked sign-ins and the networks of the console.
import { listPasskeysOfRecipients, removePasskeyOfRecipient } from '../../../actions/passkeys/administration.ts';
import { listClients } from '../../../actions/security/clients.ts';
import { listLocks, removeLock } from '../../../actions/security/locks.ts';
import { changeConsoleNetworks } from '../../../actions/security/networks.ts';
import type { Serve } from '../../endpoint.ts';

export function serveSecuritySettings(serve: Serve): void {
  serve('listLocks', async ({ ctx, caller }) => ({ locks: await listLocks(ctx, caller) }));
  serve('listClients', async ({ ctx, deps, caller }) => ({ clients: await listClients(ctx, caller, deps.clients) }));
  serve('removeLock', ({ ctx, caller, params }) => removeLock(ctx, caller, params.id));
  serve('listRecipientPasskeys', ({ ctx, caller, query }) =>
    listPasskeysOfRecipients(ctx, caller, query.address ?? ''),
  );
  serve('removeRecipientPasskey', ({ ctx, caller, params, body }) =>
    removePasskeyOfRecipient(ctx, caller, params.id, body.passkey),
  );
  serve('getSecuritySettings', async ({ ctx, caller }) => ({
    security: { consoleNetworks: ctx.settings.current().consoleNetworks, yourAddress: caller.from.address },
  }));
  serve('changeSecuritySettings', async ({ ctx, caller, body }) => ({
    security: {
      consoleNetworks: await changeConsoleNetworks(ctx, caller, body.security.consoleNetworks),
      yourAddress: caller.from.address,
    },
  }));
}
