import type { User } from './users.ts';

export interface Session {
  /** A keyed hash; only the browser has the token. */
  idHash: Buffer;
  userId: string;
  /** `pending` waits for the second factor and grants nothing. */
  state: 'active' | 'pending';
  /** Ends by age only, not by inactivity. */
  isKept: boolean;
  createdAt: number;
  activeAt: number;
  expiresAt: number;
  address: string;
  agent: string;
}

/** A new kind does not compile until `includesSecondStep` handles it. */
export type Proof =
  | { kind: 'password' }
  /** After a password that opened the session `pendingHash`. */
  | { kind: 'totp'; pendingHash: Buffer }
  /** A signed-in user confirmed a program. */
  | { kind: 'pairing' };

const includesSecondStep: Record<Proof['kind'], boolean> = { password: false, totp: true, pairing: true };

export type RequiredStep = 'second_step' | 'new_password' | 'second_step_setup';

export function requiredAfter(proof: Proof, user: User): RequiredStep | null {
  if (user.totpState === 'on' && !includesSecondStep[proof.kind]) return 'second_step';
  return requiredOf(user);
}

/** For a signed-in user. */
export function requiredOf(user: User): Exclude<RequiredStep, 'second_step'> | null {
  if (user.mustChangePassword) return 'new_password';
  const isSetUp = user.totpState === 'on' || user.policy.require_second_factor !== 'required';
  return isSetUp ? null : 'second_step_setup';
}

export type OneTimeKind = 'reset' | 'invitation';

export interface OneTimeLink {
  kind: OneTimeKind;
  userId: string;
  expiresAt: number;
  usedAt: number | null;
}
