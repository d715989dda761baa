// API keys (docs/adr/0030), without the key itself.
import type { SenderAddresses } from './addresses.ts';
import type { Membership } from './groups.ts';
import type { User } from './users.ts';

export interface ApiKey {
  id: string;
  userId: string;
  /** The account's own key can be read back; a named one is shown only at its creation. */
  kind: 'account' | 'named';
  /** The owner's label; blank for the account's own. */
  name: string;
  /** The first characters, to distinguish keys. */
  prefix: string;
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
  lastUsedAddress: string;
  /** When a newer key replaced it; it works until it expires. */
  replacedAt: number | null;
}

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

/** How much of a key is stored in plain text. */
const prefixChars = 4;

export function prefixOf(key: string): string {
  return key.slice(0, prefixChars);
}
