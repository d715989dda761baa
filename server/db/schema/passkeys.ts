// Tables of passkeys and second steps. The conventions are those of schema.ts.
import type { Flag } from '../flag.ts';

/** Passkeys of accounts, and of addresses of recipients without an account. */
export interface PasskeysTable {
  id: string;
  /** In Base64url, chosen by the authenticator. */
  credential_id: string;
  /** Empty for a passkey of an address. */
  user_id: string;
  /** Empty for a passkey of an account. */
  address: string;
  name: string;
  /** In the COSE format. */
  public_key: Buffer;
  /** Last value of the authenticator; 0 if it does not count. */
  sign_count: number;
  /** How browsers reach the authenticator, as a list. */
  transports: string;
  /** 1: the authenticator copies it to other devices. */
  is_backed_up: Flag;
  created_at: number;
  last_used_at: number | null;
  last_used_ip: string;
}

/** Challenges that were answered, so that each works once. */
export interface UsedChallengesTable {
  challenge_hash: Buffer;
  used_at: number;
}

/** Unused recovery codes, as keyed hashes. */
export interface RecoveryCodesTable {
  user_id: string;
  code_hash: Buffer;
  created_at: number;
}

/** Browsers in which a password is enough, after a second step. */
export interface RememberedBrowsersTable {
  /** Keyed hash of the cookie. */
  token_hash: Buffer;
  user_id: string;
  created_at: number;
  expires_at: number;
  used_at: number;
  remote_ip: string;
  user_agent: string;
}
