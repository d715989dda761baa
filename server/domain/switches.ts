import type { PolicyKey } from './policy.ts';
import { invalid, type Problem } from './problem.ts';

interface SwitchName {
  /** The prefix of the refusal's code. */
  noun: 'message' | 'link';
  /** Its wire name. */
  field: string;
  /** For people: "whether you get a copy". */
  what: string;
  setting: PolicyKey;
}

export interface SwitchRule extends SwitchName {
  input: boolean | undefined;
  byDefault: boolean;
  mayChange: boolean;
}

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
