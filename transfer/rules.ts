// The server repeats all checks.
import type { FileSource } from './ports.ts';

export interface Limits {
  maxTotalBytes: number | null;
  maxFiles: number | null;
  /** Lower case, without dots; empty permits all. */
  permittedExtensions: string[];
  blockedExtensions: string[];
}

export type Refusal =
  | { is: 'empty' }
  | { is: 'duplicate' }
  | { is: 'type-blocked'; extension: string }
  | { is: 'type-not-permitted'; permitted: string[] }
  | { is: 'too-many'; maxFiles: number }
  | { is: 'too-much'; totalBytes: number; maxTotalBytes: number };

type Known = Pick<FileSource, 'name' | 'sizeBytes' | 'modifiedAt'>;

/** Returns the first broken rule, or null. */
export function refusalOf(file: Known, accepted: readonly Known[], limits: Limits): Refusal | null {
  if (file.sizeBytes === 0) return { is: 'empty' };
  if (accepted.some((other) => isSameFile(file, other))) return { is: 'duplicate' };
  const extension = extensionOf(file.name);
  if (limits.permittedExtensions.length > 0) {
    if (!limits.permittedExtensions.includes(extension)) {
      return { is: 'type-not-permitted', permitted: limits.permittedExtensions };
    }
  } else if (extension !== '' && limits.blockedExtensions.includes(extension)) {
    return { is: 'type-blocked', extension };
  }
  if (limits.maxFiles !== null && accepted.length >= limits.maxFiles) {
    return { is: 'too-many', maxFiles: limits.maxFiles };
  }
  const totalBytes = accepted.reduce((sum, other) => sum + other.sizeBytes, file.sizeBytes);
  if (limits.maxTotalBytes !== null && totalBytes > limits.maxTotalBytes) {
    return { is: 'too-much', totalBytes, maxTotalBytes: limits.maxTotalBytes };
  }
  return null;
}

export function isSameFile(one: Known, other: Known): boolean {
  return one.name === other.name && one.sizeBytes === other.sizeBytes && one.modifiedAt === other.modifiedAt;
}

/** Lower case, ignoring trailing dots and spaces; '' when there is none. */
export function extensionOf(name: string): string {
  const base = name.replace(/^.*[/\\]/, '').replace(/[. ]+$/, '');
  const dot = base.lastIndexOf('.');
  return dot < 1 ? '' : base.slice(dot + 1).toLowerCase();
}
