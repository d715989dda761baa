// Hides screens that would fail; the server authorises every call.
import type { Me } from '../me.ts';

export type Role = Me['role'];

/** Right console.read (server/domain/roles.ts). */
export const consoleRoles: readonly Role[] = ['auditor', 'administrator', 'system_administrator'];
/** console.change, people.manage */
export const administrators: readonly Role[] = ['administrator', 'system_administrator'];
/** system.read */
export const systemReaders: readonly Role[] = ['auditor', 'system_administrator'];
/** system.change */
export const systemAdministrators: readonly Role[] = ['system_administrator'];

export function mayOpenConsole(role: Role): boolean {
  return consoleRoles.includes(role);
}
