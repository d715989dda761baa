// Who may open a message: the words of `--who`, and the words that people read.
import { usageFailure } from './failures.ts';

/** Names of the specification's access levels. */
export const audiences: Record<string, number> = { anyone: 0, confirmed: 1, colleagues: 2, recipients: 3, domains: 4 };

export function readAudience(text: string): number {
  const level = Object.hasOwn(audiences, text) ? audiences[text] : undefined;
  if (level === undefined) throw usageFailure(`--who is one of ${Object.keys(audiences).join(', ')}`);
  return level;
}

const words = [
  'Anyone with the link',
  'Anyone who confirms an e-mail address',
  'The recipients and their colleagues with an account here',
  'Only the recipients',
  'The recipients and everyone at their domains',
];

/** Other servers may have levels of their own, which they describe. */
export function audienceText({
  authorization,
  authorization_description: description,
}: {
  authorization?: number;
  authorization_description: string;
}): string {
  return words[authorization ?? -1] ?? description;
}
