// Renders with sample data only.

import type { TextValues } from '#language/catalogue.ts';
import { contentVariables } from './content.ts';
import { type MailKind, mailKinds } from './kinds/all.ts';
import { cleanPayload } from './payload.ts';
import {
  blocksOf,
  contentEngine,
  fillTemplate,
  type MailTemplate,
  maxTemplateChars,
  parseTemplate,
  placeableBlocks,
  type TemplatePart,
  templateParts,
} from './template.ts';
import { type MailTextKey, type Texts, textsFor } from './text.ts';

interface Finding {
  line: number;
  key: MailTextKey;
  values?: TextValues;
}

const partNames: Record<TemplatePart, MailTextKey> = {
  subject: 'mail.templateSubject',
  intro: 'mail.templateIntro',
  closing: 'mail.templateClosing',
};

/** Sentences like `Intro, line 2: there is no variable sendr in this mail.` */
export function checkTemplate(kind: MailKind, template: MailTemplate, locale = 'en'): string[] {
  const texts = textsFor(locale, 'UTC');
  const { variables, placeable } = sampleOf(kind, texts);
  return templateParts.flatMap((part) => {
    const source = template[part];
    if (source === undefined) return [];
    const found = checkPart(part, source, variables, placeable);
    return found.map(({ line, key, values }) =>
      texts.say('mail.templateAt', { part: texts.say(partNames[part]), line, problem: texts.say(key, values) }),
    );
  });
}

/** For the list in the editor. */
export function templateVariables(kind: MailKind, locale = 'en'): { name: string; sample: string }[] {
  const { variables } = sampleOf(kind, textsFor(locale, 'UTC'));
  return Object.entries(variables).map(([name, value]) => ({ name, sample: String(value) }));
}

export function templateBlocks(kind: MailKind): string[] {
  return sampleOf(kind, textsFor('en', 'UTC')).placeable;
}

function checkPart(part: TemplatePart, source: string, variables: TextValues, placeable: string[]): Finding[] {
  const limit = maxTemplateChars[part];
  if (source.length > limit) return [{ line: 1, key: 'mail.templateTooLong', values: { limit } }];
  const surface = [...hiddenCharacters(source), ...blocksUsed(part, source, placeable)];
  if (part === 'subject' && /[\r\n]/.test(source)) surface.push({ line: 1, key: 'mail.templateLineBreak' });
  if (surface.length > 0) return surface;
  try {
    const unknown = unknownVariables(source, variables);
    if (unknown.length > 0) return unknown;
    const filled = fillTemplate(source, variables);
    const isEmpty = part === 'subject' && blocksOf(filled, []).length === 0;
    return isEmpty ? [{ line: 1, key: 'mail.templateEmptySubject' }] : [];
  } catch (error) {
    return [explain(error as EngineError)];
  }
}

function hiddenCharacters(source: string): Finding[] {
  const at = source.search(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
  return at < 0 ? [] : [{ line: lineAt(source, at), key: 'mail.templateControl' }];
}

function blocksUsed(part: TemplatePart, source: string, placeable: string[]): Finding[] {
  return [...source.matchAll(/\{%-?\s*(\w+)/g)].flatMap((match): Finding[] => {
    const name = match[1] ?? '';
    if (!(placeableBlocks as readonly string[]).includes(name)) return [];
    const line = lineAt(source, match.index);
    if (part === 'subject') return [{ line, key: 'mail.templateBlockInSubject', values: { name } }];
    return placeable.includes(name) ? [] : [{ line, key: 'mail.templateNoBlock', values: { name } }];
  });
}

function unknownVariables(source: string, variables: TextValues): Finding[] {
  const { globals } = contentEngine.analyzeSync(parseTemplate(source));
  return Object.values(globals)
    .flat()
    .flatMap(({ segments: [name, ...path], location }): Finding[] => {
      const values = { name: String(name) };
      if (!Object.hasOwn(variables, values.name)) {
        return [{ line: location.row, key: 'mail.templateUnknownVariable', values }];
      }
      return path.length === 0 ? [] : [{ line: location.row, key: 'mail.templateNotText', values }];
    })
    .toSorted((a, b) => a.line - b.line);
}

interface EngineError extends Error {
  token?: { getPosition(): number[] };
}

/** Common mistakes get our own sentences. */
function explain(error: EngineError): Finding {
  const line = error.token?.getPosition()[0] ?? 1;
  const message = error.message.replace(/, line:\d+, col:\d+$/, '');
  const reading = (pattern: RegExp) => pattern.exec(message)?.[1];
  const tag = reading(/^tag "(.{1,60})" not found/s);
  if (tag !== undefined) return { line, key: 'mail.templateUnknownTag', values: { name: tag } };
  const filter = reading(/^undefined filter: (.{1,60})/s);
  if (filter !== undefined) return { line, key: 'mail.templateUnknownFilter', values: { name: filter } };
  const open = reading(/^(?:tag|output) "?(.{1,60}?)"? not closed/s);
  if (open !== undefined) return { line, key: 'mail.templateNotClosed', values: { name: open } };
  if (/limit exceeded/.test(message)) return { line, key: 'mail.templateTooMuch' };
  return { line, key: 'mail.templateSyntax', values: { detail: message.slice(0, 120) } };
}

function sampleOf(kind: MailKind, texts: Texts): { variables: TextValues; placeable: string[] } {
  const sender = {
    organisation: 'Northlight Architects',
    product: 'Waybill',
    contact: 'it@northlight.example',
    site: 'https://files.northlight.example',
  };
  const definition = mailKinds[kind] as (typeof mailKinds)['message'];
  const composition = definition.compose(cleanPayload(definition.sample), texts, sender);
  const types = new Set<string>(composition.blocks.map((block) => block.type));
  return {
    variables: contentVariables(composition.variables, sender, texts.locale),
    placeable: placeableBlocks.filter((name) => types.has(name)),
  };
}

function lineAt(source: string, index: number): number {
  return source.slice(0, index).split('\n').length;
}
