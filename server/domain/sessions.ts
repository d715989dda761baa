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
  /** It began with a second step that is no authenticator app. */
  hasSecondStep: boolean;
}

/** A new kind does not compile until `includesSecondStep` handles it. With `pendingHash`: after a password that opened
 * that session. */
export type Proof =
  | { kind: 'password' }
  | { kind: 'totp'; pendingHash: Buffer }
  | { kind: 'recovery_code'; pendingHash: Buffer }
  /** A passkey that verified its user, alone or as the second step. */
  | { kind: 'passkey'; pendingHash: Buffer | null }
  /** A password in a browser that has passed the second step before. */
  | { kind: 'remembered_browser' }
  /** A signed-in user confirmed a program. */
  | { kind: 'pairing' }
  /** A sign-in service vouches for the person, and perhaps for a second step. */
  | { kind: 'service'; service: string; hasSecondStep: boolean };

export function includesSecondStep(proof: Proof, user: Pick<User, 'policy'>): boolean {
  switch (proof.kind) {
    case 'password':
      return false;
    case 'totp':
    case 'recovery_code':
    case 'passkey':
    case 'remembered_browser':
    case 'pairing':
      return true;
    case 'service':
      return proof.hasSecondStep && user.policy.second_factor_by_service;
  }
}

export type RequiredStep = 'second_step' | 'new_password' | 'second_step_setup' | 'passkey_setup';

type StepUser = Pick<User, 'totpState' | 'passkeyCount' | 'mustChangePassword' | 'policy'>;

export function requiredAfter(proof: Proof, user: StepUser): RequiredStep | null {
  const isPasskey = proof.kind === 'passkey' || proof.kind === 'pairing';
  if (needsPasskey(user) && !isPasskey) return 'second_step';
  const isComplete = includesSecondStep(proof, user);
  if (hasSecondStep(user) && !isComplete) return 'second_step';
  return requiredOf({ ...user, hasSecondStep: proof.kind === 'service' && isComplete });
}

/** The group requires a passkey, and the person has one. */
export function needsPasskey({ policy, passkeyCount }: Pick<User, 'policy' | 'passkeyCount'>): boolean {
  return policy.require_passkey && passkeyCount > 0;
}

/** A passkey is asked for after the password only if the group requires a second step. */
function hasSecondStep({ totpState, passkeyCount, policy }: StepUser): boolean {
  return totpState === 'on' || (passkeyCount > 0 && policy.require_second_factor === 'required');
}

/** For a signed-in user. */
export function requiredOf(user: StepUser & { hasSecondStep?: boolean }): Exclude<RequiredStep, 'second_step'> | null {
  if (user.mustChangePassword) return 'new_password';
  if (user.passkeyCount > 0) return null;
  if (user.policy.require_passkey) return 'passkey_setup';
  const isSetUp =
    user.totpState === 'on' || user.hasSecondStep === true || user.policy.require_second_factor !== 'required';
  return isSetUp ? null : 'second_step_setup';
}

export type OneTimeKind = 'reset' | 'invitation';

export interface OneTimeLink {
  kind: OneTimeKind;
  userId: string;
  expiresAt: number;
  usedAt: number | null;
}
