// The page "Errors": all refusal codes with their sentences.

import type { DocsBlock } from '#web/pages/api-docs-props.ts';
import refusals from '../../../locales/en/refusals.json' with { type: 'json' };

/** The advice depends on the status rather than on the code. */
const advice = [
  ['400', 'The request is not HTTP or JSON as this API takes it. Correct the program; sending it again does not help.'],
  ['401', 'Sign in again, or use another API key: this one is wrong, has expired or was replaced.'],
  ['403', 'Ask an administrator for the right, or use an account that has it.'],
  ['404', 'Compare the id or the address. Objects of other people and deleted ones are not found either.'],
  ['409', 'It was changed, or the same request is still running. Read it again, then decide.'],
  ['410', 'It was there and has ended. Ask its sender for a new one.'],
  ['413', 'Send less at a time: larger files travel in pieces, or not inside JSON.'],
  [
    '422',
    'A rule refuses it, or a field is wrong; `field` says which. Change what the sentence names, then send again.',
  ],
  ['429', 'Too many requests or attempts. Wait as many seconds as `Retry-After` says, then send the same again.'],
  ['500', 'A fault of the server. Tell an administrator the `request_id`, under which it is in the log.'],
  ['503', 'Not now: wait as many seconds as `Retry-After` says, then send the same again.'],
  ['507', 'The disk of the server is full. Tell an administrator.'],
];

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
      text: 'Codes stay the same; sentences may be reworded, and come in the language of the reader as `localized_errors` too. Words in braces are filled in.',
    },
    { is: 'heading', level: 2, id: 'by-status', text: 'By status' },
    { is: 'table', head: ['Status', 'What to do'], rows: advice.map(([status, cure]) => [`\`${status}\``, cure!]) },
    ...sections,
  ];
}

/** Reduces plural and select choices to their general form. */
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
