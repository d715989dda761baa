// Common causes of a failed start, with their remedy.
import { userInfo } from 'node:os';

interface SystemError extends Error {
  code: string;
  path?: string;
}

/** Null for a bug, which is logged with its stack trace. */
export function describeStartProblem(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, path } = error as Partial<SystemError>;
  if (isFullForSqlite(error)) return describePath('ENOSPC', path ?? 'the database');
  if (typeof code === 'string' && path !== undefined) return describePath(code, path);
  if (typeof code === 'string' && /^(28|3D)/.test(code))
    return `The database refused us: ${error.message}. Check user, password and name in WAYBILL_DATABASE_URL.`;
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'The disk is full. Free some room, then start again.';
  return null;
}

/** SQLITE_FULL */
function isFullForSqlite(error: Error): boolean {
  return 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === 13;
}

function describePath(code: string, path: string): string | null {
  const { username, uid } = describeUser();
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return `${path} cannot be used by the user ${username}. Give it to that user: chown -R ${uid} ${path}`;
    case 'EROFS':
      return `${path} is on a file system that is read-only. Mount it for writing, or set WAYBILL_DATA_DIR to another folder.`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `There is no room left for ${path}. Free some, or set WAYBILL_DATA_DIR to a folder on another disk.`;
    case 'ENOTDIR':
      return `${path} needs a folder where there is a file. Move the file away, or choose another folder.`;
    case 'ENOENT':
      return `${path} does not exist. Check the setting that names it, or put the file there.`;
    default:
      return null;
  }
}

/** In a container the uid may have no name. */
function describeUser(): { username: string; uid: number } {
  try {
    return userInfo();
  } catch {
    const uid = process.getuid?.() ?? 0;
    return { username: String(uid), uid };
  }
}
