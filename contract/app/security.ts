// What protects the caller's account: password, authenticator app, sessions, sign-ins, API keys.
import { z } from 'zod';
import { derived, fieldsOf, named, wire } from '../codec.ts';
import { appCall, define } from '../endpoint.ts';
import { date, id, instantMs, optional, optionalOr } from '../wire.ts';

const password = z.string().max(1024);

export const changePassword = z.object({ current: password, new: password });

export const totp = z.object({
  state: z.enum(['off', 'on']),
  demand: z.enum(['off', 'offered', 'required']).describe('What the group says about a second step.'),
  recovery_codes: z.number().describe('Unused recovery codes.'),
});
const recoveryCodes = z.array(z.string()).describe('Each replaces a code of the app once. Shown here only.');
const rememberedBrowser = wire({
  id: z.string(),
  created_at: instantMs,
  used_at: instantMs,
  expires_at: instantMs,
  remote_ip: named('address', z.string()),
  browser: z.string(),
  os: z.string(),
});
export const totpAnswer = z.object({ totp });
export const withPassword = z.object({ password });
export const totpOfferAnswer = z.object({
  totp: z.object({ secret: z.string(), uri: z.string().describe('otpauth address, for a QR code.') }),
});
export const confirmTotp = z.object({ code: z.string().max(20) });

export const appSession = wire({
  id: z.string(),
  is_current: z.boolean(),
  created_at: instantMs,
  active_at: instantMs,
  expires_at: instantMs,
  remote_ip: named('address', z.string()),
  browser: z.string(),
  os: z.string(),
  is_kept: z.boolean().describe('"Keep me signed in" was chosen.'),
}).meta({ id: 'AppSession' });
export const sessionsAnswer = z.object({ sessions: z.array(appSession) });

export const signInsAnswer = wire({
  sign_ins: z
    .array(wire({ at: instantMs, way: z.enum(['browser', 'api']), remote_ip: named('address', z.string()) }))
    .describe('The newest 50, newest first.'),
});

interface Read {
  read: { by: string; at: number } | null;
}

export const appApiKey = wire({
  id,
  kind: z
    .enum(['account', 'named'])
    .describe('account: the one that signing in returns and administrators can read. named: shown once.'),
  name: z.string(),
  prefix: z.string().describe('Its first four characters.'),
  created_at: instantMs,
  expires_at: instantMs.nullable(),
  last_used_at: instantMs.nullable(),
  last_used_ip: named('lastUsedAddress', z.string()),
  state: z.enum(['active', 'replaced', 'expired']).describe('replaced: works until expires_at.'),
  is_current: z.boolean().describe('This call was made with it.'),
  read_by: derived(
    z.string().nullable().describe('The administrator who read it last.'),
    ({ read }: Read) => read?.by ?? null,
  ),
  read_at: derived(instantMs.nullable(), ({ read }: Read) => read?.at ?? null),
}).meta({ id: 'AppApiKey' });
export const appApiKeysAnswer = wire({ api_keys: z.array(appApiKey) });

export const createApiKey = wire({
  name: z.string().max(400),
  expires_at: named('expiresOn', optional(date)).describe("Last day. Default: the group's lifetime of keys."),
});
export const replaceApiKey = wire({
  ends_now: optionalOr(z.boolean(), false).describe(
    'true: the old key ends immediately instead of working 24 hours more.',
  ),
  password: optional(z.string().max(1024)).describe(
    "Needed to replace the account's own key when called with a key instead of a session.",
  ),
});
export const shownApiKeyAnswer = wire({ api_key: z.object({ id, key: z.string() }) });
export const newApiKeyAnswer = wire({
  api_key: wire({ ...fieldsOf(appApiKey), key: z.string().describe('In clear, this once.') }).meta({
    id: 'AppNewApiKey',
  }),
});

export type AppSessionBody = z.input<typeof appSession>;
export type AppApiKeyBody = z.input<typeof appApiKey>;

export const appSecurityEndpoints = {
  changePassword: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/account/password',
    summary: 'Change the password; other sessions end',
    isOpenBeforePasswordChange: true,
    body: changePassword,
    answer: 'empty',
  }),
  getTotp: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/account/totp',
    summary: 'Whether an authenticator app is set up',
    answer: totpAnswer,
  }),
  startTotp: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/account/totp/start',
    summary: 'A secret for an authenticator app, in force after its first right code',
    body: withPassword,
    answer: totpOfferAnswer,
  }),
  confirmTotp: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/account/totp/confirm',
    summary: 'Switch it on with a code',
    body: confirmTotp,
    answer: z.object({ totp, recovery_codes: recoveryCodes }),
  }),
  renewRecoveryCodes: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/account/recovery_codes',
    summary: 'New recovery codes; earlier ones end',
    body: withPassword,
    answer: z.object({ recovery_codes: recoveryCodes }),
  }),
  listRememberedBrowsers: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/account/remembered_browsers',
    summary: 'Browsers in which the password is enough',
    answer: z.object({ browsers: z.array(rememberedBrowser) }),
  }),
  forgetBrowser: define({
    ...appCall,
    method: 'DELETE',
    path: '/app-api/account/remembered_browsers/:id',
    summary: 'Ask for the second step in a browser again',
    answer: 'empty',
  }),
  disableTotp: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/account/totp/disable',
    summary: 'Switch it off',
    body: withPassword,
    answer: totpAnswer,
  }),
  listSessions: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/account/sessions',
    summary: 'Where the caller is signed in',
    answer: sessionsAnswer,
  }),
  endSession: define({
    ...appCall,
    method: 'DELETE',
    path: '/app-api/account/sessions/:id',
    summary: 'End one of them',
    answer: 'empty',
  }),
  endOtherSessions: define({
    ...appCall,
    method: 'DELETE',
    path: '/app-api/account/sessions',
    summary: 'End all but the one that asks',
    answer: 'empty',
  }),
  listSignIns: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/account/sign_ins',
    summary: 'Recent sign-ins',
    answer: signInsAnswer,
  }),
  listApiKeys: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/account/api_keys',
    summary: "The caller's API keys, without the keys themselves",
    answer: appApiKeysAnswer,
  }),
  createApiKey: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/account/api_keys',
    summary: 'A further API key, shown once',
    body: createApiKey,
    answer: newApiKeyAnswer,
  }),
  replaceApiKey: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/account/api_keys/:id/replace',
    summary: 'A new key for an old one, which works 24 hours more',
    body: replaceApiKey,
    answer: newApiKeyAnswer,
  }),
  showApiKey: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/account/api_keys/:id/show',
    summary: "Read the account's own key again, with the password",
    body: withPassword,
    answer: shownApiKeyAnswer,
  }),
  deleteApiKey: define({
    ...appCall,
    method: 'DELETE',
    path: '/app-api/account/api_keys/:id',
    summary: 'Revoke a key immediately',
    answer: 'empty',
  }),
} as const;
