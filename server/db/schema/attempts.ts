// Tables of what limits attempts. The conventions are those of schema.ts.

/** Counters of attempts, such as wrong passwords (security D12, docs/adr/0108). */
export interface AttemptsTable {
  /** Keyed hash of the limit and of what it counts by. */
  key: string;
  failures: number;
  /** The counter starts again then; at its limit it is closed until then. */
  window_ends_at: number;
  /** Name of the limit; empty in rows of earlier versions. */
  kind: string;
  /** The account or the link, where there is one. */
  about: string;
  /** Where the attempts came from; empty where networks count together. */
  network: string;
  began_at: number;
}

/** Networks from which people signed in within 30 days: there, attempts from elsewhere do not delay them (docs/adr/0108). */
export interface SignInNetworksTable {
  user_id: string;
  /** Keyed hash of account and network. */
  network_hash: Buffer;
  last_at: number;
}
