// Switches commands of root to the service's user, so that the service can read the files they create.
import { statSync } from 'node:fs';

/** Does nothing unless we are root and the folder belongs to another user. */
export function actAsOwnerOf(folder: string): void {
  if (process.getuid?.() !== 0) return;
  const owner = statSync(folder, { throwIfNoEntry: false });
  if (owner === undefined || owner.uid === 0) return;
  try {
    (process as { initgroups?(user: number, group: number): void }).initgroups?.(owner.uid, owner.gid);
  } catch {
    // A uid without a name has no further groups.
    process.setgroups?.([owner.gid]);
  }
  process.setgid?.(owner.gid);
  process.setuid?.(owner.uid);
}
