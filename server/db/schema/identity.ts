// Tables of sign-in services and identities. The conventions are those of schema.ts.
import type { Flag } from '../flag.ts';

/** Sign-in services that administrators have set up; those of the environment have no row. */
export interface SignInServicesTable {
  /** Part of its addresses. */
  id: string;
  kind: 'oidc' | 'saml' | 'ldap';
  /** Label on the sign-in page. */
  name: string;
  /** Order on the sign-in page. */
  position: number;
  is_enabled: Flag;
  /** Fields by wire name, without secrets, as JSON. */
  settings: string;
  /** Secret fields, encrypted JSON. */
  secrets_sealed: Buffer;
  created_at: number;
  updated_at: number;
}

/** Who an account is at a sign-in service. Never found by address. */
export interface IdentitiesTable {
  id: string;
  /** Id of the service. */
  service: string;
  /** Id of the person at the service. */
  subject: string;
  user_id: string;
  /** How it was linked. */
  way: 'provisioned' | 'password' | 'code' | 'verified' | 'administrator' | 'scim';
  /** Directory groups at the last sign-in or sync, as a list; null if the service never named any. */
  directory_groups: string | null;
  created_at: number;
  last_used_at: number | null;
  /** When the service disabled the account; null while the person may use it. */
  disabled_at: number | null;
}

/** Our key at each SAML service, and the metadata that was last read from its address. */
export interface SamlStatesTable {
  service: string;
  /** Encrypted PEM. */
  key_sealed: Buffer;
  /** Base64; part of our metadata. */
  certificate: string;
  /** Null if none was read yet. */
  metadata: string | null;
  metadata_address: string | null;
  fetched_at: number | null;
}

/** Assertions that signed someone in, so that none does twice. */
export interface UsedAssertionsTable {
  /** SHA-256 of the service and the id of the assertion. */
  id_hash: Buffer;
  /** From then on the assertion is refused for its age. */
  ends_at: number;
}

/** Tests of sign-in services, for minutes. */
export interface SignInTestsTable {
  id: string;
  /** Hash of the session, or id of the account, that began it. */
  owner: string;
  /** The service with its secrets, and the result, encrypted JSON. */
  test_sealed: Buffer;
  expires_at: number;
}

/** The last synchronisation with each directory. */
export interface DirectorySyncsTable {
  service: string;
  synced_at: number;
  outcome: 'done' | 'failed' | 'stopped';
  /** What changed, or why it failed. */
  note: string;
}

/** The last 20 sign-ins of each service. */
export interface SignInAttemptsTable {
  id: string;
  service: string;
  outcome: 'signed_in' | 'proof_needed' | 'refused' | 'tested';
  /** Code of the refusal; empty otherwise. */
  reason: string;
  /** Masked values by claim, as JSON. */
  claims: string;
  at: number;
}
