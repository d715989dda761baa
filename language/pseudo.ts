// Pseudo-languages for tests: `en-XA` is accented English, longer by a third and in brackets; `ar-XB` the same from
// right to left. Readers cannot choose them.
import type { IntlMessageFormat } from 'intl-messageformat';

export type MessageElement = ReturnType<IntlMessageFormat['getAst']>[number];

export const pseudoLocales: readonly string[] = ['en-XA', 'ar-XB'];

export function isPseudo(locale: string): boolean {
  return pseudoLocales.includes(locale);
}

/** Keeps the values. */
export function pseudoElements(elements: MessageElement[]): MessageElement[] {
  const padding = paddingFor(lengthOf(elements));
  return [literal('⟦'), ...elements.map(pseudoElement), literal(`${padding}⟧`)];
}

const LITERAL = 0;
const PLURAL = 6;

function literal(value: string): MessageElement {
  return { type: LITERAL, value };
}

function pseudoElement(element: MessageElement): MessageElement {
  if (element.type === LITERAL) return literal(accented(element.value));
  if (element.type !== PLURAL) return element;
  const options = Object.entries(element.options).map(
    ([form, option]) => [form, { ...option, value: option.value.map(pseudoElement) }] as const,
  );
  return { ...element, options: Object.fromEntries(options) };
}

function lengthOf(elements: MessageElement[]): number {
  return elements.reduce((sum, element) => {
    if (element.type === LITERAL) return sum + element.value.length;
    if (element.type === PLURAL) return sum + lengthOf(element.options.other?.value ?? []);
    return sum + 8;
  }, 0);
}

/** Short texts grow most in translation. In words, so that lines can break. */
function paddingFor(length: number): string {
  const requested = Math.ceil(length * (length < 12 ? 0.6 : 0.35));
  return 'ẋẋẋẋẋẋ '
    .repeat(Math.ceil(requested / 7))
    .slice(0, requested)
    .trimEnd()
    .replace(/^/, ' ');
}

const from = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const to = 'ÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽåƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýž';

function accented(text: string): string {
  return [...text].map((character) => [...to][from.indexOf(character)] ?? character).join('');
}
