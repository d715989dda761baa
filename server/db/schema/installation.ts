// The tables about the installation itself. The conventions are those of schema.ts.

/** Small facts about the installation, such as its id. */
export interface MetaTable {
  key: string;
  value: string;
}

/** Settings that administrators edit; one row, one document. */
export interface SettingsTable {
  id: number;
  document: string;
  version: number;
  updated_at: number;
}

/** Versions of the key that wraps file keys, each wrapped by the master key. */
export interface KeyEncryptionKeysTable {
  id: number;
  wrapped: Buffer;
  created_at: number;
}

/** Access tokens of the mail service; the id is a hash of the settings they belong to. */
export interface MailTokensTable {
  id: string;
  /** Access and refresh token; null until the first arrives. */
  sealed: Buffer | null;
  renew_at: number;
  expires_at: number;
  /** While a process asks for a new one. */
  lease_ends_at: number;
}
