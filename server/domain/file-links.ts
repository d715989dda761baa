import type { AttachmentState } from './attachments.ts';
import { anyViewer, available, type ShareState, type Unavailability } from './availability.ts';
import type { Policy } from './policy.ts';
import { invalid } from './problem.ts';
import type { ScanState } from './scanning.ts';

export interface FileLink {
  id: string;
  ownerId: string;
  attachmentId: string;
  fileName: string;
  sizeBytes: number;
  contentType: string;
  sha256: string;
  crc32: string;
  fileState: AttachmentState;
  scanState: ScanState;
  isFromOutside: boolean;
  /** `released`: it has expired and released its file. */
  state: 'active' | 'released' | 'deleted';
  expiresOn: string;
  expiresAt: number;
  hasPassword: boolean;
  sendReceipt: boolean;
  requireSignIn: boolean;
  createdAt: number;
  updatedAt: number;
}

export interface LinkProofs {
  passwordPassed: boolean;
  /** Proven by code or sign-in; null if none was. */
  address: string | null;
  isOwner: boolean;
}

export type LinkGate = 'allow' | 'needs_password' | 'needs_sign_in' | 'not_ready' | 'expired' | 'stopped' | 'gone';

export interface LinkFacts
  extends Pick<
    FileLink,
    'state' | 'fileState' | 'scanState' | 'isFromOutside' | 'expiresAt' | 'hasPassword' | 'requireSignIn'
  > {
  ownerState: 'active' | 'disabled' | 'deleted';
}

const gates: Record<Unavailability, LinkGate> = {
  withdrawn: 'stopped',
  owner_inactive: 'gone',
  expired: 'expired',
  checking: 'not_ready',
  held: 'gone',
  damaged: 'gone',
  erased: 'gone',
  removed: 'gone',
  limit_reached: 'gone',
  in_review: 'not_ready',
};

export function linkShareAt(link: Pick<LinkFacts, 'state' | 'expiresAt' | 'ownerState'>, now: number): ShareState {
  if (link.state === 'deleted') return 'withdrawn';
  if (link.ownerState !== 'active') return 'owner_inactive';
  return link.state === 'released' || link.expiresAt <= now ? 'expired' : 'active';
}

/** With current data at each request for bytes. */
export function linkGate(link: LinkFacts, proofs: LinkProofs, now: number): LinkGate {
  const file = { ...link, state: link.fileState, share: linkShareAt(link, now) };
  const answer = available(file, { ...anyViewer, isOwner: proofs.isOwner });
  if (answer !== 'yes') return gates[answer];
  if (proofs.isOwner) return 'allow';
  if (link.hasPassword && !proofs.passwordPassed) return 'needs_password';
  if (link.requireSignIn && proofs.address === null) return 'needs_sign_in';
  return 'allow';
}

const dayMs = 86_400_000;
export const linkEndingMs = 3 * dayMs;

export type LinkState = 'active' | 'ending' | 'expired' | 'deleted';

export function linkStateAt(link: Pick<FileLink, 'state' | 'expiresAt'>, now: number): LinkState {
  if (link.state === 'deleted') return 'deleted';
  if (link.state === 'released' || link.expiresAt <= now) return 'expired';
  return link.expiresAt <= now + linkEndingMs ? 'ending' : 'active';
}

export function assertMayUseLinks(policy: Policy): void {
  if (!policy.can_use_filelinks) {
    throw invalid(
      'link.not_permitted',
      'Your group can’t create links. Ask your administrator if you need to.',
    ).decidedBy('can_use_filelinks');
  }
}
