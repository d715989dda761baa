// What protects the caller's account, for the web app: password, authenticator app, sessions, sign-ins, API keys.
import type { AppApiKeyBody, AppSessionBody } from '#contract/app/security.ts';
import type { endpoints } from '#contract/endpoints.ts';
import { getProfile } from '../../../actions/account/preferences.ts';
import {
  changeOwnPassword,
  confirmOwnTotp,
  demandPassword,
  endOtherSessions,
  endOwnSession,
  listOwnSessions,
  listSignIns,
  type OwnSession,
} from '../../../actions/account/security.ts';
import { disableTotp, offerTotp } from '../../../actions/account/totp.ts';
import {
  createOwnKey,
  deleteOwnKey,
  listOwnKeys,
  type NewApiKey,
  type OwnApiKey,
  replaceOwnKey,
  showOwnKey,
} from '../../../actions/api-keys/own-api-keys.ts';
import { isoInstant } from '../../../lib/dates.ts';
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
  serve('getTotp', totpBody);

  serve('startTotp', async ({ ctx, caller, body }) => {
    await demandPassword(ctx, caller, body.password, 'password');
    const offer = await offerTotp(ctx, caller);
    return { totp: { secret: offer.secret, uri: offer.uri } };
  });

  serve('confirmTotp', async (call) => {
    const { ctx, caller, body } = call;
    await confirmOwnTotp(ctx, caller, body.code);
    return totpBody(call);
  });

  serve('disableTotp', async (call) => {
    const { ctx, caller, body } = call;
    await demandPassword(ctx, caller, body.password, 'password');
    await disableTotp(ctx, caller);
    return totpBody(call);
  });
}

async function totpBody({ ctx, caller }: Pick<Call<(typeof endpoints)['getTotp']>, 'ctx' | 'caller'>) {
  const { user } = await getProfile(ctx, caller);
  return { totp: { state: user.totpState, demand: caller.policy.require_second_factor } };
}

function serveSessions(serve: Serve): void {
  serve('listSessions', async ({ ctx, caller }) => ({
    sessions: (await listOwnSessions(ctx, caller)).map(sessionBody),
  }));

  serve('endSession', ({ ctx, caller, params }) => endOwnSession(ctx, caller, params.id));

  serve('endOtherSessions', ({ ctx, caller }) => endOtherSessions(ctx, caller));

  serve('listSignIns', async ({ ctx, caller }) => ({
    sign_ins: (await listSignIns(ctx, caller)).map(({ at, way, address }) => ({
      at: isoInstant(at),
      way,
      remote_ip: address,
    })),
  }));
}

export function sessionBody(session: OwnSession): AppSessionBody {
  return {
    id: session.id,
    is_current: session.isCurrent,
    created_at: isoInstant(session.createdAt),
    active_at: isoInstant(session.activeAt),
    expires_at: isoInstant(session.expiresAt),
    remote_ip: session.address,
    browser: session.browser,
    os: session.os,
    is_kept: session.isKept,
  };
}

function serveOwnKeys(serve: Serve): void {
  serve('listApiKeys', async ({ ctx, caller }) => ({
    api_keys: (await listOwnKeys(ctx, caller)).map(apiKeyBody),
  }));

  serve('createApiKey', async ({ ctx, caller, body }) => ({
    api_key: newKeyBody(await createOwnKey(ctx, caller, { name: body.name, expiresOn: body.expires_at })),
  }));

  serve('replaceApiKey', async ({ ctx, caller, params, body }) => ({
    api_key: newKeyBody(
      await replaceOwnKey(ctx, caller, params.id, { endsNow: body.ends_now ?? false, password: body.password }),
    ),
  }));

  serve('showApiKey', async ({ ctx, caller, params, body }) => ({
    api_key: { id: params.id, key: await showOwnKey(ctx, caller, params.id, body.password) },
  }));

  serve('deleteApiKey', ({ ctx, caller, params }) => deleteOwnKey(ctx, caller, params.id));
}

function apiKeyBody(key: OwnApiKey): AppApiKeyBody {
  const instantOrNull = (at: number | null | undefined) => (at == null ? null : isoInstant(at));
  return {
    id: key.id,
    kind: key.kind,
    name: key.name,
    prefix: key.prefix,
    created_at: isoInstant(key.createdAt),
    expires_at: instantOrNull(key.expiresAt),
    last_used_at: instantOrNull(key.lastUsedAt),
    last_used_ip: key.lastUsedAddress,
    state: key.state,
    is_current: key.isCurrent,
    read_by: key.read?.by ?? null,
    read_at: instantOrNull(key.read?.at),
  };
}

function newKeyBody(key: NewApiKey): AppApiKeyBody & { key: string } {
  return { ...apiKeyBody(key), key: key.key };
}
