// Checks whether the user of the service can use its files, and whether the data folder is the one of the running service.
import { access, constants, readdir, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { actAs, actAsOwnerOf, findUser, userNameOf } from '../../lib/acting-user.ts';
import { findServiceSettings } from '../../lib/settings-files.ts';
import { type Finding, fault } from './findings.ts';

const maxFolders = 300;

/** The rest of the doctor runs as the user of the service: root may open everything. */
export function actAsService(config: Config, root = '/'): void {
  if (process.getuid?.() !== 0) return;
  const user = serviceUserOf(config, root);
  if (user === null) actAsOwnerOf(config.dataDir);
  else actAs(user);
}

/** Null unless the unit of systemd names it, and serves this data folder. */
function serviceUserOf({ dataDir }: Config, root: string): { uid: number; gid: number } | null {
  const service = findServiceSettings(root);
  if (service?.user === undefined || service.values.WAYBILL_DATA_DIR !== dataDir) return null;
  return findUser(service.user, root);
}

export async function canUse(path: string, mode = constants.R_OK | constants.W_OK): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/** A container may run as a number without a name. */
export function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 0);
  }
}

export type DatabasePresence = 'present' | 'absent' | 'hidden';

/** Hidden: the folder cannot be read, which is a fault of its own. */
export async function findPresence({ databaseUrl, dataDir }: Config): Promise<DatabasePresence> {
  if (databaseUrl !== null) return 'present';
  const error = await stat(join(dataDir, 'waybill.db')).then(
    () => null,
    ({ code }: NodeJS.ErrnoException) => code,
  );
  if (error === null) return 'present';
  return error === 'ENOENT' || error === 'ENOTDIR' ? 'absent' : 'hidden';
}

/** Null if the service can use the files of SQLite. */
export async function databaseFilesFault({ databaseUrl, dataDir }: Config): Promise<Finding | null> {
  if (databaseUrl !== null) return null;
  for (const name of ['waybill.db', 'waybill.db-wal', 'waybill.db-shm']) {
    const found = await fileFault(join(dataDir, name), constants.R_OK | constants.W_OK);
    if (found !== null) return fault('database', found, `chown ${ownName()}: ${join(dataDir, 'waybill.db')}*`);
  }
  return null;
}

/** Null if the service can use the folders of the store. */
export async function storeFoldersFault({ storageDir }: Config): Promise<Finding | null> {
  const mode = constants.R_OK | constants.W_OK | constants.X_OK;
  const cure = `chown -R ${ownName()}: ${storageDir}`;
  const own = await fileFault(storageDir, mode);
  if (own !== null) return fault('store', own, cure);
  const folders = await readdir(storageDir, { withFileTypes: true }).catch(() => []);
  for (const folder of folders.filter((entry) => entry.isDirectory()).slice(0, maxFolders)) {
    const found = await fileFault(join(storageDir, folder.name), mode);
    if (found !== null) return fault('store', found, cure);
  }
  return null;
}

async function fileFault(path: string, mode: number): Promise<string | null> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error)
    return found.code === 'ENOENT' ? null : `${path} cannot be reached by the user ${ownName()} (${found.message}).`;
  if (await canUse(path, mode)) return null;
  return `${path} belongs to ${userNameOf(found.uid)}: the user ${ownName()} cannot read and write it.`;
}
