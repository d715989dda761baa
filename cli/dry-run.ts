// The server's dry run: every rule for something that is to be created, before the first byte is sent.
import type { DryRunBody } from '#contract/dry-runs.ts';
import { type ExitCode, exitCodeOfRefusal, exitCodes, Failure } from './failures.ts';
import type { Session } from './session.ts';

export type Rule = DryRunBody['dry_run']['rules'][number];

/** The refusals among the answers; null if one of them is no dry run. */
export function refusedRules(answers: readonly unknown[]): Rule[] | null {
  const rules = answers.map((answer) => (answer as Partial<DryRunBody> | null)?.dry_run?.rules);
  if (rules.some((each) => !Array.isArray(each))) return null;
  const refused = rules.flatMap((each) => each!.filter(({ allowed }) => !allowed));
  return refused.filter((rule, at) => refused.findIndex(({ sentence }) => sentence === rule.sentence) === at);
}

/** Ends a command before anything is sent; the first refusal decides the exit code. */
export function failureOfRules(refused: readonly Rule[]): Failure {
  const sentences = refused.map(({ sentence }) => sentence).join(' ');
  return new Failure(codeOf(refused), sentences, { code: refused[0]!.code, hint: 'Nothing was sent.' });
}

function codeOf([first]: readonly Rule[]): ExitCode {
  return first === undefined ? exitCodes.notPermitted : exitCodeOfRefusal(first.code);
}

/** Prints the verdict of `--dry-run`; a refusal sets the exit code. */
export function describeDryRun({ output }: Session, answers: readonly unknown[]): void {
  const refused = refusedRules(answers);
  if (refused === null)
    throw new Failure(exitCodes.failed, 'this server has no dry run; nothing was asked of it', {
      code: 'dry_run.unknown',
    });
  const rules = answers.flatMap((answer) => (answer as DryRunBody).dry_run.rules);
  const verdict = { allowed: refused.length === 0, rules };
  output.document({ dry_run: verdict });
  output.event('dry_run', verdict);
  for (const { code, sentence } of refused) output.data(`✗ ${sentence} (${code})`);
  if (refused.length > 0)
    throw new Failure(codeOf(refused), 'this would be refused; nothing was sent', {
      code: refused[0]!.code,
    });
  output.data('✓ This would be sent. Nothing was sent now.');
}
