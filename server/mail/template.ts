// Values are inserted once and never parsed as a template; no files, includes, loops or code. Layouts escape the
// output.

import { Liquid, type Template } from 'liquidjs';
import type { TextValues } from '#language/catalogue.ts';
import type { Block } from './blocks.ts';
import { pluralForm, textsFor } from './text.ts';

export type TemplatePart = 'subject' | 'intro' | 'closing';

/** Absent parts keep the shipped text. */
export type MailTemplate = { [P in TemplatePart]?: string };

export const templateParts: readonly TemplatePart[] = ['subject', 'intro', 'closing'];

/** As `{% files %}`. */
export const placeableBlocks = ['button', 'files', 'facts', 'quote'] as const;

export const maxTemplateChars = { subject: 500, intro: 10_000, closing: 10_000 };

/** These filters cannot lengthen text or reach beyond their argument. */
const allowedFilters = ['default', 'upcase', 'downcase', 'capitalize', 'strip', 'truncate', 'size'];
const allowedTags = ['if', 'unless', 'case', 'assign', 'comment'];

const limits = { parseLimit: 20_000, renderLimit: 250, memoryLimit: 200_000, templateLimit: 2_000 };

/** Cannot occur in values or templates. */
const blockMark = '\u0001';

export const contentEngine = makeEngine();

/** Throws the engine's error for an invalid template. */
export function parseTemplate(source: string): Template[] {
  const known = parsed.get(source);
  if (known !== undefined) return known;
  const templates = contentEngine.parse(source);
  if (parsed.size < maxParsed) parsed.set(source, templates);
  return templates;
}

/** Returns text with marks for blocks. Throws the engine's error. */
export function fillTemplate(source: string, variables: TextValues): string {
  const scope = Object.assign(Object.create(null), variables);
  return String(contentEngine.renderSync(parseTemplate(source), scope, limits));
}

/** Marks of missing blocks are dropped. */
export function blocksOf(filled: string, available: Block[]): Block[] {
  return filled.split(blockMark).flatMap((piece, index): Block[] => {
    if (index % 2 === 1) return available.filter((block) => block.type === piece);
    return piece
      .split(/\n[^\S\n]*\n/)
      .map((paragraph) => paragraph.trim())
      .filter((paragraph) => paragraph !== '')
      .map((text) => ({ type: 'paragraph', text }));
  });
}

/** By source. */
const parsed = new Map<string, Template[]>();
const maxParsed = 1_000;

function makeEngine(): Liquid {
  const engine = new Liquid({
    ...limits,
    ownPropertyOnly: true,
    strictVariables: true,
    strictFilters: true,
    relativeReference: false,
    dynamicPartials: false,
    // No template has a name, so nothing can be included.
    templates: {},
  });
  keepOnly(engine.tags, allowedTags);
  keepOnly(engine.filters, allowedFilters);
  engine.registerFilter('number', function (value: unknown) {
    return typeof value === 'number'
      ? textsFor(localeOf(this.context.environments), 'UTC').number(value)
      : String(value);
  });
  engine.registerFilter('plural_form', function (value: unknown) {
    return pluralForm(localeOf(this.context.environments), Number(value));
  });
  for (const name of placeableBlocks) {
    engine.registerTag(name, { parse() {}, render: () => `${blockMark}${name}${blockMark}` });
  }
  return engine;
}

function keepOnly(registry: Record<string, unknown>, names: string[]): void {
  for (const name of Object.keys(registry)) if (!names.includes(name)) delete registry[name];
}

function localeOf(environment: object): string {
  return String((environment as Record<string, unknown>).locale ?? 'en');
}
