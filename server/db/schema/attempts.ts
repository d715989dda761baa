// Tables of limits on attempts. The conventions are those of schema.ts.

/** Counters of attempts, such as wrong passwords (docs/adr/0108). */
export interface AttemptsTable {
  /** Keyed hash of the limit and of what it counts by. */
  key: string;
  failures: number;
  /** The counter restarts then; at its limit it refuses attempts until then. */
  window_ends_at: number;
  /** Name of the limit; empty in rows of earlier versions. */
  kind: string;
  /** The account or the link, if there is one. */
  about: string;
  /** The network of the attempts; empty where networks count together. */
  network: string;
  began_at: number;
}

/**
 * Networks from which users signed in within 30 days: attempts from elsewhere do not delay sign-ins there
 * (docs/adr/0108).
 */
export interface SignInNetworksTable {
  user_id: string;
  /** Keyed hash of account and network. */
  network_hash: Buffer;
  last_at: number;
}
