// Parses sentences for enhance/fill.ts.
import type { MessageElement } from '#language/pseudo.ts';
import type { MessagePart } from './enhance/fill.ts';
import type { ScriptTextKey } from './script-texts.ts';
import { pageTexts } from './text.ts';

/** The parser exports its element types as an enum, which cannot be imported erasably. */
const LITERAL = 0;
const ARGUMENT = 1;
const PLURAL = 6;
const POUND = 7;

export function scriptMessage(locale: string, key: ScriptTextKey): MessagePart[] {
  return pageTexts.elements(locale, key).map(partOf);
}

function partOf(element: MessageElement): MessagePart {
  if (element.type === LITERAL) return element.value;
  if (element.type === ARGUMENT) return [element.value];
  if (element.type === POUND) return 0;
  if (element.type === PLURAL) {
    const forms = Object.entries(element.options).map(([form, { value }]) => [form, value.map(partOf)] as const);
    return [element.value, Object.fromEntries(forms)];
  }
  throw new TypeError(`a script cannot fill in this part of a message: ${JSON.stringify(element)}`);
}
