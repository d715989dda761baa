// Boolean options of messages, links and requests under the group's rules "default" and "may change".
import type { PolicyKey } from './policy.ts';
import { invalid, type Problem } from './problem.ts';

interface SwitchName {
  /** The prefix of the refusal's code. */
  noun: 'message' | 'link';
  /** Its wire name. */
  field: string;
  /** For people: "whether you get a copy". */
  what: string;
  /** The group's setting that permits changing it. */
  setting: PolicyKey;
}

export interface SwitchRule extends SwitchName {
  input: boolean | undefined;
  byDefault: boolean;
  mayChange: boolean;
}

/** The group's default, or the input if the group permits it. */
export function resolveSwitch(rule: SwitchRule): boolean {
  if (rule.input === undefined || rule.input === rule.byDefault) return rule.byDefault;
  if (!rule.mayChange) throw settingLocked(rule);
  return rule.input;
}

export function settingLocked({ noun, field, what, setting }: SwitchName): Problem {
  return invalid(
    `${noun}.setting_locked`,
    `Your group decides ${what}; it can’t be changed here. Ask your administrator if you need to.`,
    field,
  ).decidedBy(setting);
}
