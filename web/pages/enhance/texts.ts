import { regional } from '#language/locale.ts';
import { createUploadTexts, type UploadTexts } from '../../uploads/upload-texts.ts';
import type { ScriptTextKey } from '../script-texts.ts';
import { fill, type MessagePart } from './fill.ts';

export type Texts = UploadTexts<ScriptTextKey>;

export function createTexts(locale: string, messages: ReadonlyMap<string, MessagePart[]>): Texts {
  return createUploadTexts<ScriptTextKey>(locale, (key, values = {}) =>
    fill(messages.get(key) ?? [], regional(locale), values),
  );
}

export function readMessages(template: HTMLTemplateElement): Map<string, MessagePart[]> {
  const sentences = template.content.querySelectorAll<HTMLDataElement>('data');
  return new Map(Array.from(sentences, (sentence) => [sentence.value, JSON.parse(sentence.textContent ?? '[]')]));
}
