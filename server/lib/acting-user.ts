// Switches commands of root to the service's user, so that the service can read the files they create.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface SystemUser {
  uid: number;
  gid: number;
}

/** Does nothing unless we are root and the folder belongs to another user. */
export function actAsOwnerOf(folder: string): void {
  if (process.getuid?.() !== 0) return;
  const owner = statSync(folder, { throwIfNoEntry: false });
  if (owner !== undefined) actAs(owner);
}

export function actAs(user: SystemUser): void {
  if (process.getuid?.() !== 0 || user.uid === 0) return;
  try {
    (process as { initgroups?(user: number, group: number): void }).initgroups?.(user.uid, user.gid);
  } catch {
    // A uid without a name has no further groups.
    process.setgroups?.([user.gid]);
  }
  process.setgid?.(user.gid);
  process.setuid?.(user.uid);
}

export function findUser(name: string, root = '/'): SystemUser | null {
  const line = accounts(root).find(([first]) => first === name);
  return line === undefined ? null : { uid: Number(line[2]), gid: Number(line[3]) };
}

/** The number where it has no name. */
export function userNameOf(uid: number): string {
  return accounts('/').find(([, , id]) => id === String(uid))?.[0] ?? String(uid);
}

function accounts(root: string): string[][] {
  try {
    const text = readFileSync(join(root, 'etc/passwd'), 'utf8');
    return text.split('\n').map((line) => line.split(':'));
  } catch {
    return [];
  }
}
