/** `fault` names the first thing that does not fit; with `isChecked` false, what is in the way of checking. */
export function check(
  bytes: Buffer,
  options?: { keys?: string[]; witnesses?: string[] },
): { ok: boolean; isChecked: boolean; fault: string | null; proves: string[]; doesNotProve: string[] };
