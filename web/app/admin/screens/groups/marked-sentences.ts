// Compares sentences before and after a change.
import type { RuleSentence } from '../../../rule-sentences.ts';

export interface MarkedSentence extends RuleSentence {
  mark: 'same' | 'changed' | 'removed';
}

/** Keeps the order; a removed sentence precedes the one that replaces it. */
export function markChanges(before: readonly RuleSentence[], after: readonly RuleSentence[]): MarkedSentence[] {
  const has = (list: readonly RuleSentence[], { sentence }: RuleSentence) =>
    list.some((other) => other.sentence === sentence);
  const marked: MarkedSentence[] = [];
  let next = 0;
  for (const one of after) {
    const isKept = has(before, one);
    while (next < before.length && !has(after, before[next]!)) marked.push({ ...before[next++]!, mark: 'removed' });
    if (isKept) next += 1;
    marked.push({ ...one, mark: isKept ? 'same' : 'changed' });
  }
  return [...marked, ...before.slice(next).map((one) => ({ ...one, mark: 'removed' as const }))];
}
