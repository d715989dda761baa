// Puts a composition and its content templates together: subject, and the order of blocks. A template of an
// administrator that does not render any more is replaced by the shipped one, because a mail must not be lost over it.
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
  /** One line for the operator's log per own template that could not be used. */
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
  const { kind, composition, locale } = request;
  const shipped = defaultTemplate(kind, locale);
  const variables = contentVariables(composition.variables, request.sender, locale);
  const templateProblems: string[] = [];
  const fill = (part: TemplatePart): string => {
    const own = request.template[part];
    if (own !== undefined) {
      try {
        return fillTemplate(own, variables);
      } catch (error) {
        templateProblems.push(`${kind}, ${part}: ${(error as Error).message.slice(0, 200)}`);
      }
    }
    return shipped[part] === '' ? '' : fillTemplate(shipped[part], variables);
  };
  const intro = blocksOf(fill('intro'), composition.blocks);
  const closing = blocksOf(fill('closing'), composition.blocks).filter((block) => !intro.includes(block));
  const placed = new Set([...intro, ...closing]);
  const rest = composition.blocks.filter((block) => !placed.has(block));
  const subject = oneLine(fill('subject')) || oneLine(composition.heading);
  return { subject, blocks: [...intro, ...rest, ...closing], templateProblems };
}

/** Everything a template may name: the kind's own variables, and the same few in every mail. */
export function contentVariables(own: TextValues, sender: Sender, locale: string): TextValues {
  return { ...own, ...sender, locale };
}

/** Block marks have no place in a subject. */
function oneLine(text: string): string {
  return text
    .replace(/\u0001[^\u0001]*\u0001/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
