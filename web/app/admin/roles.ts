// Who may open what in the console. The server decides about every call by itself; this only keeps people from
// screens that would show them a refusal.
import type { Me } from '../me.ts';

export type Role = Me['role'];

/** They see the console; auditors only read (server/domain/roles.ts: console.read). */
export const everySeat: readonly Role[] = ['auditor', 'administrator', 'system_administrator'];
/** console.change, people.manage */
export const administrators: readonly Role[] = ['administrator', 'system_administrator'];
/** system.read */
export const systemReaders: readonly Role[] = ['auditor', 'system_administrator'];
/** system.change */
export const systemAdministrators: readonly Role[] = ['system_administrator'];

/** Whether the console has anything for somebody with this role. */
export function mayOpenConsole(role: Role): boolean {
  return everySeat.includes(role);
}
