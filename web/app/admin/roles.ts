// Roles per console screen. The server authorises every call; this only hides screens that would fail.
import type { Me } from '../me.ts';

export type Role = Me['role'];

/** May open the console; auditors only read (server/domain/roles.ts: console.read). */
export const everySeat: readonly Role[] = ['auditor', 'administrator', 'system_administrator'];
/** console.change, people.manage */
export const administrators: readonly Role[] = ['administrator', 'system_administrator'];
/** system.read */
export const systemReaders: readonly Role[] = ['auditor', 'system_administrator'];
/** system.change */
export const systemAdministrators: readonly Role[] = ['system_administrator'];

export function mayOpenConsole(role: Role): boolean {
  return everySeat.includes(role);
}
