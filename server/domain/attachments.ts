import { extensionOf } from '../lib/file-name.ts';
import type { WrappedKey } from '../lib/keyring.ts';
import type { Policy } from './policy.ts';
import { invalid, type Problem } from './problem.ts';
import type { ScanState } from './scanning.ts';

/** `sealing`: the checksum is missing. `erased`: the key was destroyed. */
export type AttachmentState = 'sealing' | 'ready' | 'damaged' | 'failed' | 'erased';

export interface StoredFile {
  id: string;
  ownerId: string;
  /** '' for the owner; otherwise the uploader, until delivery. */
  source: string;
  fileName: string;
  sizeBytes: number;
  contentType: string;
  /** Hex; empty while sealing. */
  sha256: string;
  crc32: string;
  state: AttachmentState;
  scanState: ScanState;
  isFromOutside: boolean;
  /** An active message or link shares it. */
  isHeld: boolean;
  /** Null once destroyed. */
  dataKey: WrappedKey | null;
  createdAt: number;
  processedAt: number | null;
}

export interface Attachment {
  id: string;
  ownerId: string;
  fileName: string;
  sizeBytes: number;
  contentType: string;
  /** Hex; empty while sealing. */
  sha256: string;
  crc32: string;
  isProcessed: boolean;
  processedAt: number | null;
  isAvailable: boolean;
  /** By the virus scanner or the content rules. */
  mustBeChecked: boolean;
  isScanRequired: boolean;
  isScanned: boolean;
  scannedAt: number | null;
  isBlocked: boolean;
  /** In English; null unless it is blocked. */
  blockedMessage: string | null;
  /** If it is not shared. */
  expiresOn: string;
  createdAt: number;
  messageIds: string[];
  linkIds: string[];
}

export const unboundLifetimeMs = 48 * 3_600_000;

/** Per message or delivery. */
export const maxFilesTogether = 1000;

/** Per upload. */
export const maxChunks = 10_000;

/** Within this time the same name and bytes belong to the same upload. */
export const uploadIdleMs = 60_000;

export function refuseUnfinished(state: AttachmentState, field: string): Problem | null {
  if (state !== 'sealing') return null;
  const sentence = 'This file is still being put together. Wait a moment, then try again.';
  return invalid('attachment.not_ready', sentence, field);
}

/** If not, stored names need not be decrypted. */
export function hasExtensionRule(policy: Policy): boolean {
  return policy.permitted_extensions !== '' || policy.blocked_extensions !== '';
}

/** Only the last extension counts. Outside uploaders have no group to refer to. */
export function refuseExtension(policy: Policy, fileName: string, isFromOutside = false): Problem | null {
  const extension = extensionOf(fileName);
  if (policy.permitted_extensions !== '') {
    const permitted = policy.permitted_extensions.split(',');
    if (permitted.includes(extension)) return null;
    const list = permitted.map((item) => `.${item}`).join(', ');
    return invalid(
      'attachment.extension_not_permitted',
      isFromOutside
        ? `Only ${list} files can be handed in here.`
        : `Your group can send ${list} files only. Ask your administrator if you need to send others.`,
      'filename',
    )
      .withValues({ rule: isFromOutside ? 'only_here' : 'only', types: { anyOf: permitted.map((item) => `.${item}`) } })
      .decidedBy('permitted_extensions');
  }
  if (policy.blocked_extensions.split(',').includes(extension) && extension !== '') {
    return invalid(
      'attachment.extension_not_permitted',
      isFromOutside
        ? `.${extension} files can’t be handed in here. Put it in a .zip.`
        : `.${extension} files can’t be sent from your group. Put it in a .zip, or ask your administrator.`,
      'filename',
    )
      .withValues({ rule: isFromOutside ? 'blocked_here' : 'blocked', types: `.${extension}` })
      .decidedBy('blocked_extensions');
  }
  return null;
}
