// API keys (docs/adr/0030). The key itself is read separately, where it may be shown.
import type { SenderAddresses } from './addresses.ts';
import type { Membership } from './groups.ts';
import type { User } from './users.ts';

export interface ApiKey {
  id: string;
  userId: string;
  /** The account's own can be read back; a named one is shown when it is made and never again. */
  kind: 'account' | 'named';
  /** What its owner calls it; blank for the account's own. */
  name: string;
  /** First characters, to tell keys apart. */
  prefix: string;
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
  lastUsedAddress: string;
  /** When a newer one took its place; it works until it expires. */
  replacedAt: number | null;
}

/** Who calls with a key. */
export interface KeyHolder extends Membership, SenderAddresses, Pick<User, 'name'> {
  userId: string;
  isActive: boolean;
  keyId: string;
  expiresAt: number | null;
  lastUsedAt: number | null;
}

export function isExpired({ expiresAt }: Pick<ApiKey, 'expiresAt'>, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** How much of a key is kept in clear. */
const prefixChars = 4;

export function prefixOf(key: string): string {
  return key.slice(0, prefixChars);
}
