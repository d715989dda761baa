// What protects the caller's account: password, authenticator app, sessions, sign-ins, API keys.
import { z } from 'zod';
import { date, id, instant, optional } from '../wire.ts';

const password = z.string().max(1024);

export const changePassword = z.object({ current: password, new: password });

export const totp = z.object({
  state: z.enum(['off', 'pending', 'on']),
  demand: z.enum(['off', 'offered', 'required']).describe('What the group says about a second step.'),
});
export const totpAnswer = z.object({ totp });
export const withPassword = z.object({ password });
export const totpOfferAnswer = z.object({
  totp: z.object({ secret: z.string(), uri: z.string().describe('otpauth address, for a QR code.') }),
});
export const confirmTotp = z.object({ code: z.string().max(20) });

export const appSession = z
  .object({
    id: z.string(),
    is_current: z.boolean(),
    created_at: instant,
    active_at: instant,
    expires_at: instant,
    remote_ip: z.string(),
    browser: z.string(),
    os: z.string(),
    is_kept: z.boolean().describe('"Keep me signed in" was chosen.'),
  })
  .meta({ id: 'AppSession' });
export const sessionsAnswer = z.object({ sessions: z.array(appSession) });

export const signInsAnswer = z.object({
  sign_ins: z
    .array(z.object({ at: instant, way: z.enum(['browser', 'api']), remote_ip: z.string() }))
    .describe('The newest 50, newest first.'),
});

export const appApiKey = z
  .object({
    id,
    kind: z
      .enum(['account', 'named'])
      .describe('account: the one that signing in answers and administrators can read. named: shown once.'),
    name: z.string(),
    prefix: z.string().describe('Its first four characters.'),
    created_at: instant,
    expires_at: instant.nullable(),
    last_used_at: instant.nullable(),
    last_used_ip: z.string(),
    state: z.enum(['active', 'replaced', 'expired']).describe('replaced: works until expires_at.'),
    is_current: z.boolean().describe('This call was made with it.'),
    read_by: z.string().nullable().describe('The administrator who read it last.'),
    read_at: instant.nullable(),
  })
  .meta({ id: 'AppApiKey' });
export const appApiKeysAnswer = z.object({ api_keys: z.array(appApiKey) });

export const createApiKey = z.object({
  name: z.string().max(400),
  expires_at: optional(date).describe("Last day. Default: the group's lifetime of keys."),
});
export const replaceApiKey = z.object({
  ends_now: optional(z.boolean()).describe('true: the old key ends at once instead of working 24 hours more.'),
});
export const shownApiKeyAnswer = z.object({ api_key: z.object({ id, key: z.string() }) });
export const newApiKeyAnswer = z.object({
  api_key: appApiKey.extend({ key: z.string().describe('In clear, this once.') }).meta({ id: 'AppNewApiKey' }),
});

export type AppSessionBody = z.output<typeof appSession>;
export type AppApiKeyBody = z.output<typeof appApiKey>;
