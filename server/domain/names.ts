import { hiddenInName } from '#contract/hidden-characters.ts';
import { invalid } from './problem.ts';

/** Returns the name. Two names that look the same would let one person pass for another. */
export function requireVisible(name: string, field: string): string {
  const character = hiddenInName(name);
  if (character === null) return name;
  throw invalid(
    'name.hidden_character',
    `A name cannot contain characters that are invisible or change the direction of text (${character}).`,
    field,
  ).withValues({ character });
}
