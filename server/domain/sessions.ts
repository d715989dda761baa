// Sessions, and one-time links to choose a password.

export interface Session {
  /** Keyed hash of its token; the token itself is known to the browser alone. */
  idHash: Buffer;
  userId: string;
  /** `pending` waits for the second factor and opens nothing. */
  state: 'active' | 'pending';
  /** "Keep me signed in": ends by its age alone, not by being idle. */
  isKept: boolean;
  createdAt: number;
  activeAt: number;
  expiresAt: number;
  /** Where it was opened. */
  address: string;
  agent: string;
}

export type OneTimeKind = 'reset' | 'invitation';

/** A link for single use. */
export interface OneTimeLink {
  kind: OneTimeKind;
  userId: string;
  expiresAt: number;
  usedAt: number | null;
}
