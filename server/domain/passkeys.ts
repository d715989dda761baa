// Passkeys of accounts, and of addresses of recipients without an account.
import { Problem } from './problem.ts';

export interface Passkey {
  id: string;
  /** In Base64url. */
  credentialId: string;
  holder: PasskeyHolder;
  name: string;
  publicKey: Buffer;
  /** 0 if the authenticator does not count. */
  signCount: number;
  transports: readonly string[];
  isBackedUp: boolean;
  createdAt: number;
  lastUsedAt: number | null;
  lastUsedAddress: string;
}

export type PasskeyHolder = { userId: string } | { address: string };

export const maxPasskeys = 20;

/** Of all addresses together. Further ones are refused, because one that was deleted would protect nothing. */
export const maxRecipientPasskeys = 50_000;

/** Browsers accept passkeys of this domain on its subdomains too. */
export function isInDomain(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

/** Passkeys of another domain than that of the public address. */
export interface LostPasskeys {
  domain: string;
  host: string;
  /** With an account. */
  people: number;
  /** Of recipients without an account. */
  addresses: number;
}

/** Why a passkey was refused, for events. */
export type PasskeyRefusal = 'unknown' | 'challenge' | 'used' | 'counter' | 'invalid' | 'not_allowed';

export function passkeyProblem(reason: PasskeyRefusal): Problem {
  return problems[reason]();
}

const problems: Record<PasskeyRefusal, () => Problem> = {
  unknown: () =>
    new Problem('unauthenticated', 'passkey.unknown', 'This passkey isn’t set up here. Sign in another way.'),
  challenge: () => new Problem('unauthenticated', 'passkey.late', 'That took too long. Try the passkey again.'),
  used: () => new Problem('unauthenticated', 'passkey.late', 'That took too long. Try the passkey again.'),
  counter: () =>
    new Problem(
      'unauthenticated',
      'passkey.counter',
      'This passkey can’t be used any more. Sign in another way, remove it and set up a new one.',
    ),
  invalid: () => new Problem('unauthenticated', 'passkey.invalid', 'Your passkey couldn’t be checked. Try again.'),
  not_allowed: () =>
    new Problem('unauthenticated', 'passkey.not_allowed', 'This passkey can’t be used here. Sign in another way.'),
};
