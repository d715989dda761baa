// Checks every rule for something to be created. A creation throws the first refusal; a dry run lists all verdicts
// (docs/adr/0053).
import type { PolicyKey } from '../domain/policy.ts';
import { Problem } from '../domain/problem.ts';

/** `installation` if the rule is the same for all groups. */
export type RuleSource = PolicyKey | 'installation';

export interface Rule {
  /** Code of the usual refusal. */
  code: string;
  source: RuleSource;
}

export interface Verdict extends Rule {
  isAllowed: boolean;
  /** Empty if allowed. */
  sentence: string;
}

/** A value is undefined where its rule refused. */
export type Unresolved<Values> = { [Key in keyof Values]: Values[Key] | undefined };

export interface Rules {
  /** Returns the rule's value, or undefined if it refused. The caller skips rules that depend on it. */
  check<Value>(rule: Rule, resolve: () => Value | Promise<Value>): Promise<Value | undefined>;
  /** Throws the first refusal. */
  require<Values>(values: Unresolved<Values>): Values;
  /** In the order of the checks. */
  verdicts(): Verdict[];
}

export function openRules(): Rules {
  // Verdicts are built for dry runs only; a send checks about fifteen rules.
  const checked: (Rule | Problem)[] = [];
  const refusals: Problem[] = [];
  return {
    async check(rule, resolve) {
      try {
        const result = resolve();
        const value = result instanceof Promise ? await result : result;
        checked.push(rule);
        return value;
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        refusals.push(error);
        checked.push(error);
        return undefined;
      }
    },
    require<Values>(values: Unresolved<Values>) {
      if (refusals[0] !== undefined) throw refusals[0];
      return values as Values;
    },
    verdicts() {
      // Not a rule, such as a disabled account.
      const other = refusals.find(({ kind }) => kind !== 'invalid');
      if (other !== undefined) throw other;
      return checked.map(verdictOf);
    },
  };
}

function verdictOf(checked: Rule | Problem): Verdict {
  if (!(checked instanceof Problem))
    return { code: checked.code, source: checked.source, isAllowed: true, sentence: '' };
  return { code: checked.code, source: checked.setting ?? 'installation', isAllowed: false, sentence: checked.message };
}
