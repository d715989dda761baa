import type { SenderAddresses } from './addresses.ts';
import type { Membership } from './groups.ts';
import type { User } from './users.ts';

export interface ApiKey {
  id: string;
  userId: string;
  /** A named key is shown only at its creation. */
  kind: 'account' | 'named';
  /** Blank for the account's own. */
  name: string;
  prefix: string;
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
  lastUsedAddress: string;
  /** It works until it expires. */
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

const prefixChars = 4;

export function prefixOf(key: string): string {
  return key.slice(0, prefixChars);
}
