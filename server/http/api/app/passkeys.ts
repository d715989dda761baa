import {
  addOwnPasskey,
  listOwnPasskeys,
  removeOwnPasskey,
  renameOwnPasskey,
  requireOwner,
  startOwnPasskey,
} from '../../../actions/passkeys/account-passkeys.ts';
import type { Serve } from '../../endpoint.ts';

export function servePasskeys(serve: Serve): void {
  serve('listPasskeys', async ({ ctx, caller }) => ({ passkeys: await listOwnPasskeys(ctx, caller) }));

  serve('startPasskey', async ({ ctx, caller, body }) => {
    await requireOwner(ctx, caller, body.password);
    return { options: { ...(await startOwnPasskey(ctx, caller)) } };
  });

  serve('addPasskey', async ({ ctx, caller, body }) => ({ passkey: await addOwnPasskey(ctx, caller, body) }));

  serve('renamePasskey', async ({ ctx, caller, params, body }) => ({
    passkey: await renameOwnPasskey(ctx, caller, params.id, body.name),
  }));

  serve('removePasskey', async ({ ctx, caller, params, body }) => {
    await requireOwner(ctx, caller, body.password);
    await removeOwnPasskey(ctx, caller, params.id);
  });
}
