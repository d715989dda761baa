/** `fault` names the first thing that does not fit; with `isChecked` false, what is in the way of checking. `policy`: text of a policy file. */
export function check(
  bytes: Buffer,
  options?: { keys?: string[]; witnesses?: string[]; policy?: string },
): {
  ok: boolean;
  isChecked: boolean;
  meetsPolicy: boolean;
  fault: string | null;
  proves: string[];
  doesNotProve: string[];
};
