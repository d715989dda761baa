import type { endpoints } from '#contract/endpoints.ts';
import { getProfile } from '../../../actions/account/preferences.ts';
import { countOwnRecoveryCodes, renewRecoveryCodes } from '../../../actions/account/recovery-codes.ts';
import {
  changeOwnPassword,
  confirmOwnTotp,
  endOtherSessions,
  endOwnSession,
  listOwnSessions,
  listSignIns,
  requirePassword,
} from '../../../actions/account/security.ts';
import { disableTotp, offerTotp } from '../../../actions/account/totp.ts';
import {
  createOwnKey,
  deleteOwnKey,
  listOwnKeys,
  replaceOwnKey,
  showOwnKey,
} from '../../../actions/api-keys/own-api-keys.ts';
import { requireOwner } from '../../../actions/passkeys/account-passkeys.ts';
import { forgetOwnBrowser, listOwnRememberedBrowsers } from '../../../actions/sessions/remembered-browsers.ts';
import type { Call, Serve } from '../../endpoint.ts';

export function serveSecurity(serve: Serve): void {
  serve('changePassword', ({ ctx, caller, body }) =>
    changeOwnPassword(ctx, caller, { current: body.current, next: body.new }),
  );
  serveTotp(serve);
  serveSessions(serve);
  serveOwnKeys(serve);
}

function serveTotp(serve: Serve): void {
  serve('getTotp', getTotp);

  serve('startTotp', async ({ ctx, caller, body }) => {
    await requirePassword(ctx, caller, body.password, 'password');
    return { totp: await offerTotp(ctx, caller) };
  });

  serve('confirmTotp', async (call) => {
    const { ctx, caller, body } = call;
    const codes = await confirmOwnTotp(ctx, caller, body.code);
    return { ...(await getTotp(call)), recovery_codes: codes };
  });

  serve('renewRecoveryCodes', async ({ ctx, caller, body }) => {
    await requireOwner(ctx, caller, body.password);
    return { recovery_codes: await renewRecoveryCodes(ctx, caller) };
  });

  serve('listRememberedBrowsers', async ({ ctx, caller }) => ({
    browsers: await listOwnRememberedBrowsers(ctx, caller),
  }));

  serve('forgetBrowser', ({ ctx, caller, params }) => forgetOwnBrowser(ctx, caller, params.id));

  serve('disableTotp', async (call) => {
    const { ctx, caller, body } = call;
    await requirePassword(ctx, caller, body.password, 'password');
    await disableTotp(ctx, caller);
    return getTotp(call);
  });
}

async function getTotp({ ctx, caller }: Pick<Call<(typeof endpoints)['getTotp']>, 'ctx' | 'caller'>) {
  const { user } = await getProfile(ctx, caller);
  const left = await countOwnRecoveryCodes(ctx, caller);
  return { totp: { state: user.totpState, demand: caller.policy.require_second_factor, recovery_codes: left } };
}

function serveSessions(serve: Serve): void {
  serve('listSessions', async ({ ctx, caller }) => ({ sessions: await listOwnSessions(ctx, caller) }));

  serve('endSession', ({ ctx, caller, params }) => endOwnSession(ctx, caller, params.id));

  serve('endOtherSessions', ({ ctx, caller }) => endOtherSessions(ctx, caller));

  serve('listSignIns', async ({ ctx, caller }) => ({ signIns: await listSignIns(ctx, caller) }));
}

function serveOwnKeys(serve: Serve): void {
  serve('listApiKeys', async ({ ctx, caller }) => ({ apiKeys: await listOwnKeys(ctx, caller) }));

  serve('createApiKey', async ({ ctx, caller, body }) => ({ apiKey: await createOwnKey(ctx, caller, body) }));

  serve('replaceApiKey', async ({ ctx, caller, params, body }) => ({
    apiKey: await replaceOwnKey(ctx, caller, params.id, body),
  }));

  serve('showApiKey', async ({ ctx, caller, params, body }) => ({
    apiKey: { id: params.id, key: await showOwnKey(ctx, caller, params.id, body.password) },
  }));

  serve('deleteApiKey', ({ ctx, caller, params }) => deleteOwnKey(ctx, caller, params.id));
}
