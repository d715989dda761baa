// All refusals by their codes, with the sentence that people see: it says what to do.

import type { DocsBlock } from '#web/pages/api-docs-props.ts';
import refusals from '../../../locales/en/refusals.json' with { type: 'json' };

export function errorBlocks(): DocsBlock[] {
  const byNoun = new Map<string, string[][]>();
  for (const [code, sentence] of Object.entries(refusals as Record<string, string>)) {
    const noun = code.split('.')[0]!;
    byNoun.set(noun, [...(byNoun.get(noun) ?? []), [`\`${code}\``, plain(sentence)]]);
  }
  const sections = [...byNoun].flatMap(([noun, rows]): DocsBlock[] => [
    { is: 'heading', level: 2, id: noun, text: noun.replaceAll('_', ' ') },
    { is: 'table', head: ['Code', 'What it means and what to do'], rows },
  ]);
  return [
    {
      is: 'text',
      text: 'Codes stay the same; sentences may be reworded and are sent in the language of the reader as `localized_errors`. Words in braces are filled in.',
    },
    ...sections,
  ];
}

/** Choices by number or word become their last form, which is the one for everything else. */
export function plain(sentence: string): string {
  let text = '';
  for (let at = 0; at < sentence.length; ) {
    const choice = /^\{(\w+), ?(?:plural|select),/.exec(sentence.slice(at));
    if (choice === null) {
      text += sentence[at];
      at += 1;
      continue;
    }
    const end = closingBrace(sentence, at);
    const inside = sentence.slice(at + choice[0].length, end).trim();
    const other = inside.slice(inside.lastIndexOf('other {') + 'other {'.length, -1);
    text += plain(other).replaceAll('#', `{${choice[1]}}`);
    at = end + 1;
  }
  return text;
}

function closingBrace(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}
