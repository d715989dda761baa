// Signing a program in through the browser: it asks for a code, a signed-in person confirms the code, and the program
// fetches a key of its own. No password and no key is ever typed or part of an address.
import { z } from 'zod';
import { named, wire } from './codec.ts';
import { define } from './endpoint.ts';
import { id } from './wire.ts';

export const newPairing = z.object({
  pairing: z.object({
    name: z.string().max(100).describe('What the key will be called, such as the program and the computer it runs on.'),
  }),
});

export const newPairingAnswer = z.object({
  pairing: wire({
    token: z.string().length(44).describe('Known to the program alone; it fetches the key with it.'),
    code: z.string().describe('What the person types, such as `K7QM-4XPA`.'),
    url: z.string().describe('Where they type it, in any browser on any device.'),
    expires_in: named('expiresInSeconds', z.int().describe('Seconds until the code ends.')),
    interval: named('pollSeconds', z.int().describe('Seconds to wait between two questions for the key.')),
  }),
});

export const pairingClaim = z.object({
  pairing: z.object({ token: z.string().max(100).describe('As the start returned it.') }),
});

export const pairingClaimAnswer = z.object({
  pairing: wire({
    state: z.enum(['waiting', 'ready']).describe('`waiting` until the person has confirmed the code.'),
    api_key: z.union([id, z.null()]).describe('Once, when the person has confirmed; null before.'),
  }),
});

const common = { tag: 'Account', auth: 'none', origin: 'additive' } as const;

export const pairingEndpoints = {
  startPairing: define({
    ...common,
    method: 'POST',
    path: '/login/pairings',
    summary: 'Start signing in through the browser',
    body: newPairing,
    answer: newPairingAnswer,
  }),
  claimPairing: define({
    ...common,
    method: 'POST',
    path: '/login/pairings/claim',
    summary: 'The key, once the person has confirmed the code',
    body: pairingClaim,
    answer: pairingClaimAnswer,
  }),
} as const;
