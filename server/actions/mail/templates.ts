// Changing the words of mails, for System Administrators. A template that does not render is refused (security D15).
import type { UserCaller } from '../../domain/caller.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import { demandRight } from '../../domain/roles.ts';
import type { Settings } from '../../domain/settings.ts';
import { checkTemplate, templateVariables } from '../../mail/check-template.ts';
import { isMailKind, type MailKind, mailKinds } from '../../mail/kinds/all.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { changeSettings } from '../settings.ts';

export interface MailWords {
  kind: MailKind;
  isChanged: boolean;
  subject: string;
  intro: string;
  closing: string;
  variables: string[];
}

export function listMailWords(ctx: Ctx, caller: UserCaller): MailWords[] {
  demandRight(caller, 'system.read');
  return (Object.keys(mailKinds) as MailKind[]).map((kind) => describe(kind, ctx.settings.current()));
}

export function getMailWords(ctx: Ctx, caller: UserCaller, kind: string): MailWords {
  demandRight(caller, 'system.read');
  if (!isMailKind(kind)) throw notFound('mail template');
  return describe(kind, ctx.settings.current());
}

/** Parts that are given replace the words in force, those left out stay; an empty part brings the shipped words back. */
export async function changeMailWords(
  ctx: Ctx,
  caller: UserCaller,
  kind: string,
  parts: { subject?: string | undefined; intro?: string | undefined; closing?: string | undefined },
): Promise<MailWords> {
  demandRight(caller, 'system.change');
  if (!isMailKind(kind)) throw notFound('mail template');
  const given = Object.fromEntries(Object.entries(parts).filter(([, text]) => text !== undefined));
  const [first, ...others] = checkTemplate(kind, filled(given));
  if (first !== undefined) throw new Problem('invalid', 'mail_template.does_not_render', first, { others });
  const settings = await changeSettings(ctx, async (tx, current) => {
    const words = filled({ ...current.mailTemplates[kind], ...given });
    await record(ctx, tx, caller, {
      action: 'mail_template.changed',
      object: { kind: 'mail_template', id: kind },
      ownerId: '',
      facts: { parts: Object.keys(given) },
    });
    return { ...current, mailTemplates: { ...current.mailTemplates, [kind]: words } };
  });
  return describe(kind, settings);
}

function filled(parts: Record<string, string | undefined>): Settings['mailTemplates'][string] {
  return Object.fromEntries(Object.entries(parts).filter(([, text]) => text !== undefined && text !== ''));
}

function describe(kind: MailKind, settings: Settings): MailWords {
  const words = settings.mailTemplates[kind] ?? {};
  return {
    kind,
    isChanged: Object.keys(words).length > 0,
    subject: words.subject ?? '',
    intro: words.intro ?? '',
    closing: words.closing ?? '',
    variables: templateVariables(kind).map((variable) => variable.name),
  };
}
