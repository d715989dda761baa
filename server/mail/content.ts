// If an administrator's template fails, the shipped one is used, because no mail may be lost.
import type { TextValues } from '#language/catalogue.ts';
import type { Block } from './blocks.ts';
import { defaultTemplate } from './default-template.ts';
import type { MailKind } from './kinds/all.ts';
import type { Composition, Sender } from './kinds/kind.ts';
import { blocksOf, fillTemplate, type MailTemplate, type TemplatePart } from './template.ts';

export interface Content {
  /** One line, not empty. */
  subject: string;
  blocks: Block[];
  /** Log lines about templates that failed. */
  templateProblems: string[];
}

export interface ContentRequest {
  kind: MailKind;
  composition: Composition;
  template: MailTemplate;
  sender: Sender;
  locale: string;
}

export function contentOf(request: ContentRequest): Content {
  const templateProblems: string[] = [];
  const fill = fillerOf(request, templateProblems);
  const blocks = placedBlocks(request.composition.blocks, fill);
  return { subject: oneLine(fill('subject')) || oneLine(request.composition.heading), blocks, templateProblems };
}

/** To embed in another mail. */
export function contentBlocksOf(request: ContentRequest): Block[] {
  return placedBlocks(request.composition.blocks, fillerOf(request, []));
}

function fillerOf({ kind, composition, template, sender, locale }: ContentRequest, templateProblems: string[]) {
  const shipped = defaultTemplate(kind, locale);
  const variables = contentVariables(composition.variables, sender, locale);
  return (part: TemplatePart): string => {
    const own = template[part];
    if (own !== undefined) {
      try {
        return fillTemplate(own, variables);
      } catch (error) {
        templateProblems.push(`${kind}, ${part}: ${(error as Error).message.slice(0, 200)}`);
      }
    }
    return shipped[part] === '' ? '' : fillTemplate(shipped[part], variables);
  };
}

function placedBlocks(available: Block[], fill: (part: TemplatePart) => string): Block[] {
  const intro = blocksOf(fill('intro'), available);
  const closing = blocksOf(fill('closing'), available).filter((block) => !intro.includes(block));
  const placed = new Set([...intro, ...closing]);
  return [...intro, ...available.filter((block) => !placed.has(block)), ...closing];
}

export function contentVariables(own: TextValues, sender: Sender, locale: string): TextValues {
  return { ...own, ...sender, locale };
}

/** A subject cannot contain blocks. */
function oneLine(text: string): string {
  return text
    .replace(/\u0001[^\u0001]*\u0001/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
