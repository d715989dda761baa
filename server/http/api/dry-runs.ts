// The reply of a dry run.
import type { DryRunBody } from '#contract/dry-runs.ts';
import type { Verdict } from '../../actions/rules.ts';

export function dryRunBody(verdicts: Verdict[]): DryRunBody {
  return {
    dry_run: {
      allowed: verdicts.every(({ isAllowed }) => isAllowed),
      rules: verdicts.map(ruleBody),
    },
  };
}

export function ruleBody({ code, isAllowed, sentence, source }: Verdict): DryRunBody['dry_run']['rules'][number] {
  return { code, allowed: isAllowed, sentence, source };
}
