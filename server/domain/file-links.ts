// What a FileLink is and who gets through its gates.
import type { Policy } from './policy.ts';
import { invalid, type Problem } from './problem.ts';

export interface FileLink {
  id: string;
  ownerId: string;
  attachmentId: string;
  fileName: string;
  sizeBytes: number;
  contentType: string;
  sha256: string;
  expiresOn: string;
  expiresAt: number;
  hasPassword: boolean;
  sendReceipt: boolean;
  requireSignIn: boolean;
  createdAt: number;
  updatedAt: number;
}

/** What a visitor has shown so far. */
export interface LinkProofs {
  passwordPassed: boolean;
  /** An address proven by code or sign-in; null when none was. */
  address: string | null;
  isOwner: boolean;
}

export type LinkGate = 'allow' | 'needs_password' | 'needs_sign_in' | 'not_ready' | 'expired' | 'stopped' | 'gone';

export interface LinkFacts {
  state: 'active' | 'released' | 'deleted';
  fileState: 'sealing' | 'ready' | 'damaged' | 'failed' | 'erased';
  ownerState: 'active' | 'disabled' | 'deleted';
  expiresAt: number;
  hasPassword: boolean;
  requireSignIn: boolean;
}

/**
 * State machine SM5 in one place. Evaluated with current data at each request for bytes. Nobody can prove an address yet,
 * so `needs_sign_in` is where such links end (docs/adr/0015).
 */
export function linkGate(link: LinkFacts, proofs: LinkProofs, now: number): LinkGate {
  if (link.state === 'deleted') return 'stopped';
  if (link.ownerState !== 'active') return 'gone';
  if (now >= link.expiresAt || link.state === 'released') return 'expired';
  if (link.fileState === 'sealing') return 'not_ready';
  if (link.fileState !== 'ready') return 'gone';
  if (proofs.isOwner) return 'allow';
  if (link.hasPassword && !proofs.passwordPassed) return 'needs_password';
  if (link.requireSignIn && proofs.address === null) return 'needs_sign_in';
  return 'allow';
}

/** A switch of a link under the group's "default" and "may change" rules. */
export function settleSwitch(rule: {
  requested: boolean | undefined;
  byDefault: boolean;
  mayChange: boolean;
  field: string;
  what: string;
}): boolean {
  if (rule.requested === undefined) return rule.byDefault;
  if (rule.requested !== rule.byDefault && !rule.mayChange) throw settingLocked(rule.field, rule.what);
  return rule.requested;
}

export function settingLocked(field: string, what: string): Problem {
  return invalid(
    'link.setting_locked',
    `Your group decides ${what}; it can't be changed here. Ask your administrator if you need to.`,
    field,
  );
}

export function demandMayUseLinks(policy: Policy): void {
  if (!policy.can_use_filelinks) {
    throw invalid('link.not_permitted', "Your group can't use FileLinks. Ask your administrator if you need to.");
  }
}
