import { cleanFileName } from '../lib/file-name.ts';
import { available, type Unavailability, type Viewer } from './availability.ts';
import type { Message, MessageFile } from './messages.ts';

export interface ArchiveVisitor {
  isOwner: boolean;
  /** Per file; null for no limit. */
  downloadLimit: number | null;
  /** By file. */
  used: Map<string, number>;
}

/** Null for no limit. */
export function downloadsLeft(file: MessageFile, visitor: ArchiveVisitor): number | null {
  if (visitor.downloadLimit === null || visitor.isOwner) return null;
  return Math.max(0, visitor.downloadLimit - (visitor.used.get(file.attachmentId) ?? 0));
}

export function viewerOf(file: MessageFile, visitor: ArchiveVisitor, isResuming = false): Viewer {
  return { isOwner: visitor.isOwner, downloadsLeft: downloadsLeft(file, visitor), isResuming };
}

export type FileState = 'ready' | 'used-up' | 'being-checked' | 'held' | 'removed';

const fileStates: Record<'yes' | Unavailability, FileState> = {
  yes: 'ready',
  limit_reached: 'used-up',
  checking: 'being-checked',
  held: 'held',
  damaged: 'removed',
  erased: 'removed',
  expired: 'removed',
  withdrawn: 'removed',
  removed: 'removed',
  owner_inactive: 'removed',
  in_review: 'being-checked',
};

export function fileState(file: MessageFile, visitor: ArchiveVisitor, isResuming = false): FileState {
  return fileStates[available(file, viewerOf(file, visitor, isResuming))];
}

/** In the sender's order. */
export function downloadableFiles(message: Message, visitor: ArchiveVisitor): MessageFile[] {
  return message.files.filter((file) => available(file, viewerOf(file, visitor)) === 'yes');
}

/** The subject; characters that some system forbids become `-`. */
export function archiveName(subject: string): string {
  const stem = subject.replace(/[\\/:*?"<>|]+/g, '-').replace(/^[\s.-]+|[\s.-]+$/g, '');
  return /[\p{L}\p{N}]/u.test(stem) ? cleanFileName(`${stem}.zip`) : 'files.zip';
}
