// Dry runs on the wire: what each rule says about something that was not made.
import { z } from 'zod';
import { derived, named, wire } from './codec.ts';
import { flag, optional } from './wire.ts';

/** The switch inside `message`, `link` and `request`. */
export const dryRun = optional(flag).describe(
  'Additive. True: every rule is looked at and nothing is made; the reply is a `DryRun`.',
);

/** What one rule says. */
export const ruleVerdict = wire({
  code: z.string().describe('Of the refusal; for a rule that allows it, of its usual refusal.'),
  allowed: named('isAllowed', z.boolean().describe('Whether this rule lets it pass.')),
  sentence: z.string().describe('What the 422 of the same request says; empty when allowed.'),
  source: z.string().describe('The setting of the group that decides, or `installation`.'),
});

export const dryRunAnswer = wire({
  dry_run: wire({
    allowed: derived(z.boolean().describe('No rule refuses it.'), ({ rules }: { rules: { isAllowed: boolean }[] }) =>
      rules.every(({ isAllowed }) => isAllowed),
    ),
    rules: z.array(ruleVerdict).describe('Every rule that was looked at.'),
  }).meta({ id: 'DryRun' }),
});

export type DryRun = z.output<typeof dryRunAnswer>;
export type DryRunBody = z.input<typeof dryRunAnswer>;
