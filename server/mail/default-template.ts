// Shipped templates are catalogue sentences converted to Liquid.
import type { MessageElement } from '#language/pseudo.ts';
import { type MailKind, mailKinds } from './kinds/all.ts';
import type { MailTemplate } from './template.ts';
import { type MailTextKey, mailTexts } from './text.ts';

/** The parser's element types, whose enum cannot be imported erasably. */
const LITERAL = 0;
const ARGUMENT = 1;
const PLURAL = 6;
const POUND = 7;

export function defaultTemplate(kind: MailKind, locale: string): Required<MailTemplate> {
  const { subject, intro, closing } = mailKinds[kind].defaults;
  const write = (key: MailTextKey | null) => (key === null ? '' : liquidOf(key, locale));
  return { subject: write(subject), intro: write(intro), closing: write(closing) };
}

const liquidByKey = new Map<string, string>();

export function liquidOf(key: MailTextKey, locale: string): string {
  const cacheKey = `${locale} ${key}`;
  const known = liquidByKey.get(cacheKey);
  if (known !== undefined) return known;
  const liquid = write(mailTexts.elements(locale, key), locale, null);
  liquidByKey.set(cacheKey, liquid);
  return liquid;
}

function write(elements: MessageElement[], locale: string, counted: string | null): string {
  return elements.map((element) => writeOne(element, locale, counted)).join('');
}

function writeOne(element: MessageElement, locale: string, counted: string | null): string {
  if (element.type === LITERAL) return element.value;
  if (element.type === ARGUMENT) return `{{ ${element.value} }}`;
  if (element.type === POUND) return `{{ ${counted} | number }}`;
  if (element.type === PLURAL) return writePlural(element, locale);
  throw new TypeError(`a mail template cannot hold this part of a message: ${JSON.stringify(element)}`);
}

/** English needs no filter, which keeps it easy to edit. */
function writePlural(element: Extract<MessageElement, { type: 6 }>, locale: string): string {
  const name = element.value;
  const forms = Object.entries(element.options).filter(([form]) => form !== 'other');
  const isEnglish = /^en\b/.test(locale);
  const isNamed = ([form]: [string, unknown]) => !form.startsWith('=');
  const condition = (form: string) => {
    if (form.startsWith('=')) return `${name} == ${form.slice(1)}`;
    return isEnglish && form === 'one' ? `${name} == 1` : `${name}_form == "${form}"`;
  };
  const branches = forms
    .toSorted((a, b) => Number(isNamed(a)) - Number(isNamed(b)))
    .map(([form, option], index) => {
      return `{% ${index === 0 ? 'if' : 'elsif'} ${condition(form)} %}${write(option.value, locale, name)}`;
    });
  const other = write(element.options.other?.value ?? [], locale, name);
  if (branches.length === 0) return other;
  const assign = isEnglish || !forms.some(isNamed) ? '' : `{% assign ${name}_form = ${name} | plural_form %}`;
  return `${assign}${branches.join('')}{% else %}${other}{% endif %}`;
}
