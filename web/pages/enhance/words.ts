// The sentences the page carries for its script, filled in for the reader's language.
import { regional } from '#language/locale.ts';
import { type Words as WordsWith, wordsWith } from '../../uploads/words.ts';
import type { ScriptTextKey } from '../script-texts.ts';
import { fill, type Piece } from './fill.ts';

export type Words = WordsWith<ScriptTextKey>;

export function createWords(locale: string, messages: ReadonlyMap<string, Piece[]>): Words {
  return wordsWith<ScriptTextKey>(locale, (key, values = {}) =>
    fill(messages.get(key) ?? [], regional(locale), values),
  );
}

/** From the template the server has put into the page. */
export function readMessages(template: HTMLTemplateElement): Map<string, Piece[]> {
  const sentences = template.content.querySelectorAll<HTMLDataElement>('data');
  return new Map(Array.from(sentences, (sentence) => [sentence.value, JSON.parse(sentence.textContent ?? '[]')]));
}
