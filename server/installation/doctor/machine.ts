// Checks the machine: Node, built pages, folders, space, configured files, master key.
import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../../config.ts';
import type { Random } from '../../domain/ports.ts';
import { loadMasterKey } from '../../lib/master-key.ts';
import { assertBuilt } from '../../lib/program-files.ts';
import { neededNode } from '../../lib/version.ts';
import { type Finding, fault, messageOf, ok, warn } from './findings.ts';
import { canUse, ownName } from './owners.ts';

export async function checkProgram(node = process.versions.node, checkBuilt = assertBuilt): Promise<Finding[]> {
  const isOld = Number.parseInt(node, 10) < neededNode;
  const runtime = isOld
    ? fault('program', `Node ${node} is too old.`, `Install Node ${neededNode} or newer, or run: npx waybill-server`)
    : ok('program', `Node ${node}`);
  try {
    checkBuilt();
    return [runtime, ok('program', 'The pages and the app are built.')];
  } catch (error) {
    return [runtime, fault('program', messageOf(error), 'npm ci && npm run build')];
  }
}

export async function checkFolders(config: Config): Promise<Finding[]> {
  const { dataDir, storage, storageDir, backupDir, geoipDb } = config;
  const folders: [string, string, string][] = [['data folder', dataDir, 'WAYBILL_DATA_DIR']];
  if (storage === 'file') folders.push(['folder of files', storageDir, 'WAYBILL_STORAGE_DIR']);
  if (backupDir !== null) folders.push(['folder of backups', backupDir, 'WAYBILL_BACKUP_DIR']);
  const findings: Finding[] = [];
  for (const [name, path, setting] of folders) findings.push(await checkFolder(name, path, setting));
  if (geoipDb !== null) findings.push(await checkReadable('locations file', geoipDb, 'WAYBILL_GEOIP_DB'));
  return findings;
}

async function checkFolder(name: string, path: string, setting: string): Promise<Finding> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) {
    if (found.code !== 'ENOENT') return fault(name, messageOf(found), ownership(path));
    const isPossible = await canWrite(await nearestFolder(path));
    return isPossible
      ? warn(
          name,
          `${path} does not exist yet.`,
          `It is made at the first start. If it should be there: check ${setting} and its mount.`,
        )
      : fault(
          name,
          `${path} does not exist and cannot be made by the user ${ownName()}.`,
          `install -d -m 700 -o ${ownName()} ${path}`,
        );
  }
  if (!found.isDirectory()) return fault(name, `${path} is a file.`, `Move it away, or set ${setting} to a folder.`);
  if ((found.mode & 0o002) !== 0)
    return fault(name, `${path} can be changed by all users of this machine.`, `chmod 700 ${path}`);
  if (!(await canWrite(path)))
    return fault(name, `${path} cannot be written by the user ${ownName()}.`, ownership(path));
  return ok(name, `${path} belongs to us.`);
}

async function checkReadable(name: string, path: string, setting: string): Promise<Finding> {
  const error = await access(path, constants.R_OK).then(
    () => null,
    (refused: unknown) => refused,
  );
  return error === null
    ? ok(name, `${path} can be read.`)
    : fault(name, messageOf(error), `Put the file there, or take ${setting} away.`);
}

export async function checkFreeSpace({ dataDir, storage, storageDir, minFreeBytes }: Config): Promise<Finding[]> {
  const path = await nearestFolder(storage === 'file' ? storageDir : dataDir);
  const { bavail, bsize } = await statfs(path);
  const free = bavail * bsize;
  if (free < minFreeBytes)
    return [
      fault(
        'free space',
        `${path} has ${gibibytes(free)} free, less than the ${gibibytes(minFreeBytes)} that must stay free: uploads are refused.`,
        'Free some room, add a disk, or lower WAYBILL_MIN_FREE_SPACE.',
      ),
    ];
  if (free < 2 * minFreeBytes)
    return [warn('free space', `${path} has only ${gibibytes(free)} free.`, 'Free some room or add a disk soon.')];
  return [ok('free space', `${gibibytes(free)} are free in ${path}.`)];
}

/** `checkKeys` compares it with the database. */
export async function checkKeyFile(config: Config, random: Random, hasDatabase: boolean): Promise<Finding[]> {
  const { masterKey, masterKeyFile: path } = config;
  if (masterKey !== null) return [ok('master key', 'It is in WAYBILL_MASTER_KEY.')];
  const isMissing = await stat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
  if (isMissing && !hasDatabase)
    return [
      warn('master key', `${path} does not exist yet.`, 'It is made at the first start. Keep a copy of it elsewhere.'),
    ];
  try {
    const { next } = await loadMasterKey(path, false, random);
    if (next === null) return [ok('master key', `${path} can be read by us alone.`)];
    return [warn('master key', `${path} has two keys: the key is being changed.`, 'waybill-server key rotate')];
  } catch (error) {
    return [fault('master key', messageOf(error), keyCure(error, path))];
  }
}

function keyCure(error: unknown, path: string): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return `chown ${ownName()} ${path}`;
  return /others/.test(messageOf(error))
    ? `chmod 600 ${path}`
    : `Put the right key there from where you keep its copy: ${path}`;
}

function ownership(path: string): string {
  return `chown -R ${ownName()} ${path}`;
}

const canWrite = (path: string) => canUse(path, constants.W_OK | constants.X_OK);

async function nearestFolder(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  return isThere || dirname(path) === path ? path : nearestFolder(dirname(path));
}

function gibibytes(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
