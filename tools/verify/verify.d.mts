/** `fault` names the first thing that does not fit. */
export function check(
  bytes: Buffer,
  options?: { keys?: string[]; witnesses?: string[] },
): { ok: boolean; fault: string | null; proves: string[]; doesNotProve: string[] };
