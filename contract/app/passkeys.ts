// Passkeys of the caller's account. The options and credentials are those of Web Authentication, as JSON.
import { z } from 'zod';
import { named, wire } from '../codec.ts';
import { appCall, define } from '../endpoint.ts';
import { id, instantMs } from '../wire.ts';
import { withPassword } from './security.ts';

export const appPasskey = wire({
  id,
  name: z.string(),
  is_backed_up: z.boolean().describe('The authenticator copies it to other devices.'),
  created_at: instantMs,
  last_used_at: instantMs.nullable(),
  last_used_ip: named('lastUsedAddress', z.string()),
}).meta({ id: 'AppPasskey' });
const passkeyAnswer = z.object({ passkey: appPasskey });

export const passkeysAnswer = z.object({
  passkeys: z.array(appPasskey).max(100),
});
export const passkeyOptionsAnswer = z.object({
  options: z.looseObject({}).describe('`PublicKeyCredentialCreationOptionsJSON` of Web Authentication.'),
});
const name = z.string().max(400);
export const addPasskey = z.object({
  name,
  credential: z.string().max(40_000).describe('What `PublicKeyCredential.toJSON` returns, as text.'),
});
export const renamePasskey = z.object({ name });

export const appPasskeyEndpoints = {
  listPasskeys: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/account/passkeys',
    summary: "The caller's passkeys",
    answer: passkeysAnswer,
  }),
  startPasskey: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/account/passkeys/start',
    summary: 'What a browser needs to create a passkey',
    body: withPassword,
    answer: passkeyOptionsAnswer,
  }),
  addPasskey: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/account/passkeys',
    summary: 'Save a passkey that the browser has created',
    body: addPasskey,
    answer: passkeyAnswer,
  }),
  renamePasskey: define({
    ...appCall,
    method: 'PUT',
    path: '/app-api/account/passkeys/:id',
    summary: 'Rename a passkey',
    body: renamePasskey,
    answer: passkeyAnswer,
  }),
  removePasskey: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/account/passkeys/:id/remove',
    summary: 'Remove a passkey',
    body: withPassword,
    answer: 'empty',
  }),
} as const;
