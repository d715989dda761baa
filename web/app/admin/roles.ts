// Who may open what in the console. The server decides about every call by itself; this only keeps people from
// screens that would show them a refusal.
import type { Me } from '../me.ts';

export type Role = Me['role'];

export const systemAdministrators: readonly Role[] = ['system_administrator'];
export const administrators: readonly Role[] = ['administrator', 'system_administrator'];

/** Whether the console has anything for somebody with this role. */
export function mayOpenConsole(role: Role): boolean {
  return administrators.includes(role);
}
