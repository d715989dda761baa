// Checks answers of authenticators (Web Authentication). The library is loaded on first use.
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';

export interface Expected {
  /** In Base64url. */
  challenge: string;
  origin: string;
  domain: string;
}

export interface NewCredential {
  id: string;
  publicKey: Buffer;
  signCount: number;
  transports: string[];
  isBackedUp: boolean;
}

const text = z.string().max(20_000);
const shared = {
  id: text,
  rawId: text,
  type: z.literal('public-key'),
  clientExtensionResults: z.object({}).default({}),
};
const registration = z.object({
  ...shared,
  response: z.object({
    clientDataJSON: text,
    attestationObject: text,
    transports: z.array(z.string().max(20)).max(10).default([]),
  }),
});
const assertion = z.object({
  ...shared,
  response: z.object({
    clientDataJSON: text,
    authenticatorData: text,
    signature: text,
    userHandle: text.nullish().transform((handle) => handle ?? undefined),
  }),
});

export type Registration = z.output<typeof registration>;
export type Assertion = z.output<typeof assertion>;

export const readRegistration = (json: string): Registration | null => parse(registration, json);
export const readAssertion = (json: string): Assertion | null => parse(assertion, json);

/** The text is what `PublicKeyCredential.toJSON` returns. */
function parse<Value>(schema: z.ZodType<Value>, json: string): Value | null {
  try {
    return schema.safeParse(JSON.parse(json)).data ?? null;
  } catch {
    return null;
  }
}

/** Unsigned: for the comparison with the expected challenge. Empty if it cannot be read. */
export function challengeIn({ response }: Registration | Assertion): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString()) as {
      challenge?: unknown;
    };
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}

/** ES256, EdDSA, RS256. */
const algorithms = [-7, -8, -257];
export const credentialParameters = algorithms.map((alg) => ({ type: 'public-key' as const, alg }));

/** Null if it is not valid, or its user was not verified. */
export async function verifyRegistration(given: Registration, expected: Expected): Promise<NewCredential | null> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const verdict = await verifyRegistrationResponse({
    response: given as unknown as RegistrationResponseJSON,
    expectedChallenge: expected.challenge,
    expectedOrigin: expected.origin,
    expectedRPID: expected.domain,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch(() => null);
  if (verdict === null || !verdict.verified) return null;
  const { credential, credentialBackedUp } = verdict.registrationInfo;
  return {
    id: credential.id,
    publicKey: Buffer.from(credential.publicKey),
    signCount: credential.counter,
    transports: given.response.transports,
    isBackedUp: credentialBackedUp,
  };
}

/** The new counter; `counter` if it did not increase, which a copied authenticator causes. */
export async function verifyAssertion(
  given: Assertion,
  expected: Expected,
  credential: { id: string; publicKey: Buffer; signCount: number },
): Promise<number | 'counter' | 'invalid'> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const verdict = await verifyAuthenticationResponse({
    response: given as unknown as AuthenticationResponseJSON,
    expectedChallenge: expected.challenge,
    expectedOrigin: expected.origin,
    expectedRPID: expected.domain,
    requireUserVerification: true,
    // The counter is compared below, after the signature: the library compares before it.
    credential: { id: credential.id, publicKey: new Uint8Array(credential.publicKey), counter: 0 },
  }).catch(() => null);
  if (verdict === null || !verdict.verified) return 'invalid';
  const { newCounter } = verdict.authenticationInfo;
  const isCounted = newCounter > 0 || credential.signCount > 0;
  return isCounted && newCounter <= credential.signCount ? 'counter' : newCounter;
}
