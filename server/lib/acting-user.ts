// Commands that root runs for a service of another user switch to that user, so that they leave no file behind that
// the service cannot read.
import { statSync } from 'node:fs';

/** Does nothing unless we are root and the folder belongs to another user. */
export function actAsOwnerOf(folder: string): void {
  if (process.getuid?.() !== 0) return;
  const owner = statSync(folder, { throwIfNoEntry: false });
  if (owner === undefined || owner.uid === 0) return;
  try {
    (process as { initgroups?(user: number, group: number): void }).initgroups?.(owner.uid, owner.gid);
  } catch {
    // A number without a name has no groups but its own.
    process.setgroups?.([owner.gid]);
  }
  process.setgid?.(owner.gid);
  process.setuid?.(owner.uid);
}
