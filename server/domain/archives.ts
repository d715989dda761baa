// "Download all": which files of a message one archive holds, and what it is called.
import { cleanFileName } from '../lib/file-name.ts';
import type { Message, MessageFile } from './messages.ts';

/** The visitor of a message page. */
export interface ArchiveVisitor {
  isOwner: boolean;
  /** Downloads of each file this visitor has in all; null for no limit. */
  downloadLimit: number | null;
  /** Of these used so far, by file. */
  used: Map<string, number>;
}

/** Downloads of a file this visitor has left; null for no limit. The sender has none. */
export function downloadsLeft(file: MessageFile, visitor: ArchiveVisitor): number | null {
  if (visitor.downloadLimit === null || visitor.isOwner) return null;
  return Math.max(0, visitor.downloadLimit - (visitor.used.get(file.attachmentId) ?? 0));
}

export type FileState = 'ready' | 'used-up' | 'being-checked' | 'removed';

/** State of a file as visitors see it. A file without a checksum is still being assembled. */
export function fileState(file: MessageFile, visitor: ArchiveVisitor): FileState {
  if (downloadsLeft(file, visitor) === 0) return 'used-up';
  if (file.isAvailable) return 'ready';
  return file.sha256 === '' ? 'being-checked' : 'removed';
}

/** What the visitor can still download, in the sender's order. */
export function downloadableFiles(message: Message, visitor: ArchiveVisitor): MessageFile[] {
  return message.files.filter((file) => file.isAvailable && downloadsLeft(file, visitor) !== 0);
}

/** From the subject; characters that some system forbids in a name become `-`. */
export function archiveName(subject: string): string {
  const stem = subject.replace(/[\\/:*?"<>|]+/g, '-').replace(/^[\s.-]+|[\s.-]+$/g, '');
  return /[\p{L}\p{N}]/u.test(stem) ? cleanFileName(`${stem}.zip`) : 'files.zip';
}
