// SCIM in the console.
import { permitMassChange } from '../../../actions/scim/brake.ts';
import { changeScimService, createScimToken, getScim, removeScimToken } from '../../../actions/scim/tokens.ts';
import type { Serve } from '../../endpoint.ts';

export function serveScimSettings(serve: Serve): void {
  serve('getScim', async ({ ctx, caller }) => ({ scim: await getScim(ctx, caller) }));
  serve('changeScim', async ({ ctx, caller, body }) => ({
    scim: await changeScimService(ctx, caller, body.scim.service),
  }));
  serve('createScimToken', async ({ ctx, caller, body }) => ({
    token: await createScimToken(ctx, caller, body.token),
  }));
  serve('deleteScimToken', ({ ctx, caller, params }) => removeScimToken(ctx, caller, params.id));
  serve('permitScimChange', ({ ctx, caller }) => permitMassChange(ctx, caller));
}
