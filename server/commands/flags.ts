// Parses the flags of commands, with and without values.

export interface Flags {
  values: Map<string, string>;
  switches: Set<string>;
}

/** Null when a flag is unknown, repeated or lacks its value. */
export function readFlags(
  args: readonly string[],
  known: { values?: readonly string[]; switches?: readonly string[] },
): Flags | null {
  const flags: Flags = { values: new Map(), switches: new Set() };
  for (let at = 0; at < args.length; at++) {
    const name = args[at]!;
    const isSwitch = known.switches?.includes(name) === true;
    if (flags.values.has(name) || flags.switches.has(name)) return null;
    if (isSwitch) flags.switches.add(name);
    else if (known.values?.includes(name) === true && (args[at + 1] ?? '') !== '') flags.values.set(name, args[++at]!);
    else return null;
  }
  return flags;
}
