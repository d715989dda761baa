// Sessions, the proofs of identity that open them, and one-time links to choose a password.
import type { User } from './users.ts';

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

/** How a person has proven who they are. A new kind does not compile until `includesSecondStep` has an answer for it. */
export type Proof =
  | { kind: 'password' }
  /** The code of the authenticator app, after a password that opened the session `pendingHash`. */
  | { kind: 'totp'; pendingHash: Buffer }
  /** A person who was signed in confirmed a program. */
  | { kind: 'pairing' };

const includesSecondStep: Record<Proof['kind'], boolean> = { password: false, totp: true, pairing: true };

/** What a person must do before the account can be used. */
export type RequiredStep = 'second_step' | 'new_password' | 'second_step_setup';

export function requiredAfter(proof: Proof, user: User): RequiredStep | null {
  if (user.totpState === 'on' && !includesSecondStep[proof.kind]) return 'second_step';
  return requiredOf(user);
}

/** For a person who is signed in: an administrator set the password, or the group requires a second step. */
export function requiredOf(user: User): Exclude<RequiredStep, 'second_step'> | null {
  if (user.mustChangePassword) return 'new_password';
  const isSetUp = user.totpState === 'on' || user.policy.require_second_factor !== 'required';
  return isSetUp ? null : 'second_step_setup';
}

export type OneTimeKind = 'reset' | 'invitation';

/** A link for single use. */
export interface OneTimeLink {
  kind: OneTimeKind;
  userId: string;
  expiresAt: number;
  usedAt: number | null;
}
