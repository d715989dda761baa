// Looking at every rule on something that is to be made. Whoever makes it meets the first refusal; a dry run lists the
// verdict of each rule and makes nothing (docs/adr/0053).
import type { PolicyKey } from '../domain/policy.ts';
import { Problem } from '../domain/problem.ts';

/** The setting of the group that decides, or `installation` for what is the same for everybody. */
export type RuleSource = PolicyKey | 'installation';

export interface Rule {
  /** Of its usual refusal. */
  code: string;
  source: RuleSource;
}

export interface Verdict extends Rule {
  isAllowed: boolean;
  /** What the 422 says; empty when it is allowed. */
  sentence: string;
}

/** The values that rules settle; one is undefined where its rule refused. */
export type Unresolved<Values> = { [Key in keyof Values]: Values[Key] | undefined };

export interface Rules {
  /**
   * Looks at one rule: the value it settles, or undefined when it refuses. A rule that needs what another one refused
   * is left out by the caller.
   */
  check<Value>(rule: Rule, settle: () => Value | Promise<Value>): Promise<Value | undefined>;
  /** The values, if nothing was refused; otherwise throws the first refusal. */
  require<Values>(values: Unresolved<Values>): Values;
  /** For a dry run: every rule in the order in which it was looked at. */
  verdicts(): Verdict[];
}

export function openRules(): Rules {
  // What is allowed is only noted: every send looks at some fifteen rules, and nobody reads verdicts but a dry run.
  const seen: (Rule | Problem)[] = [];
  const refusals: Problem[] = [];
  return {
    async check(rule, settle) {
      try {
        const settled = settle();
        const value = settled instanceof Promise ? await settled : settled;
        seen.push(rule);
        return value;
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        refusals.push(error);
        seen.push(error);
        return undefined;
      }
    },
    require<Values>(values: Unresolved<Values>) {
      if (refusals[0] !== undefined) throw refusals[0];
      return values as Values;
    },
    verdicts() {
      // An account that was switched off meanwhile is no rule: the caller is turned away as always.
      const other = refusals.find(({ kind }) => kind !== 'invalid');
      if (other !== undefined) throw other;
      return seen.map(verdictOf);
    },
  };
}

function verdictOf(seen: Rule | Problem): Verdict {
  if (!(seen instanceof Problem)) return { code: seen.code, source: seen.source, isAllowed: true, sentence: '' };
  return { code: seen.code, source: seen.setting ?? 'installation', isAllowed: false, sentence: seen.message };
}
