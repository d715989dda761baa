// Stored files that one screen hands to another.
import type { EarlierFile } from './earlier-files.tsx';

let handed: EarlierFile[] = [];

export function handFiles(files: EarlierFile[]): void {
  handed = files;
}

/** A screen that is still loading renders several times, so reading does not remove them. */
export function handedFiles(): EarlierFile[] {
  return handed;
}
