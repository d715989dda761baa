// What an attachment is, and which files a person may send.
import { extensionOf } from '../lib/file-name.ts';
import type { WrappedKey } from '../lib/keyring.ts';
import type { Policy } from './policy.ts';
import { invalid, type Problem } from './problem.ts';

/** `sealing`: all bytes are here, their checksum is not. `erased`: its key was destroyed (state machine SM2). */
export type AttachmentState = 'sealing' | 'ready' | 'damaged' | 'failed' | 'erased';

/** A finished file as it is kept. */
export interface StoredFile {
  id: string;
  ownerId: string;
  /** '' for the owner's own files; otherwise who handed it in, until it is delivered. */
  source: string;
  fileName: string;
  sizeBytes: number;
  contentType: string;
  /** Hex; empty while the file is being sealed. */
  sha256: string;
  crc32: string;
  state: AttachmentState;
  /** A live message or link shares it. */
  isHeld: boolean;
  /** Null once it was destroyed. */
  dataKey: WrappedKey | null;
  createdAt: number;
  processedAt: number | null;
}

/** A finished file owned by a user, as actions hand it out. */
export interface Attachment {
  id: string;
  ownerId: string;
  fileName: string;
  sizeBytes: number;
  contentType: string;
  /** Hex; empty while the file is still being put together. */
  sha256: string;
  crc32: string;
  isProcessed: boolean;
  processedAt: number | null;
  isAvailable: boolean;
  /** Last day on which it is kept if nothing else happens. */
  expiresOn: string;
  createdAt: number;
  messageIds: string[];
  linkIds: string[];
}

/** How long a file that was never sent is kept (state machine SM2). */
export const unboundLifetimeMs = 48 * 3_600_000;

/** Most files that one message or one delivery may have. */
export const maxFilesTogether = 1000;

/** Most pieces one upload may have. */
export const maxChunks = 10_000;

/** Same name and same bytes within this time after the last piece: still the same upload (state machine SM1). */
export const uploadIdleMs = 60_000;

/** All bytes are here, their checksum is not: nothing may hold the file before it is known (invariant I6). */
export function refuseUnfinished(state: AttachmentState, field: string): Problem | null {
  if (state !== 'sealing') return null;
  const sentence = 'This file is still being put together. Wait a moment, then try again.';
  return invalid('attachment.not_ready', sentence, field);
}

/** Whether a file's name decides anything; to know it, a stored name has to be opened. */
export function hasExtensionRule(policy: Policy): boolean {
  return policy.permitted_extensions !== '' || policy.blocked_extensions !== '';
}

/**
 * The group's rule on file types; the last extension counts, case does not (security D8). An outside person who hands
 * files in has neither a group nor an administrator here.
 */
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
