// Mail templates, for System Administrators. A template that does not render is refused.
import type { UserCaller } from '../../domain/caller.ts';
import type { Check } from '../../domain/checks.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Settings } from '../../domain/settings.ts';
import { checkTemplate, templateVariables } from '../../mail/check-template.ts';
import { defaultTemplate } from '../../mail/default-template.ts';
import { isMailKind, type MailKind, mailKinds } from '../../mail/kinds/all.ts';
import { renderMail } from '../../mail/render.ts';
import { type MailTemplate, templateParts } from '../../mail/template.ts';
import { mailTexts } from '../../mail/text.ts';
import { findMailLogo } from '../branding/branding.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { mailFrame } from '../messages/mails.ts';
import { changeSettings } from '../settings.ts';
import { recordTest } from './delivery.ts';
import type { MailConnection } from './mail-connection.ts';

export interface ManagedMailTemplate {
  kind: MailKind;
  isChanged: boolean;
  subject: string;
  intro: string;
  closing: string;
  variables: string[];
  shipped: ShippedTexts;
  /** Null if unchanged since the template was saved. */
  shippedWhenChanged: ShippedTexts | null;
}

type ShippedTexts = Settings['mailTemplatesShipped'][string];
type Parts = { subject?: string | undefined; intro?: string | undefined; closing?: string | undefined };

export function listMailTemplates(ctx: Ctx, caller: UserCaller): ManagedMailTemplate[] {
  requireRight(caller, 'system.read');
  return (Object.keys(mailKinds) as MailKind[]).map((kind) => describe(ctx, kind, ctx.settings.current()));
}

export function getMailTemplate(ctx: Ctx, caller: UserCaller, kind: string): ManagedMailTemplate {
  requireRight(caller, 'system.read');
  if (!isMailKind(kind)) throw notFound('mail template');
  return describe(ctx, kind, ctx.settings.current());
}

/** An empty part restores the shipped text. */
export async function changeMailTemplate(
  ctx: Ctx,
  caller: UserCaller,
  kind: string,
  parts: Parts,
): Promise<ManagedMailTemplate> {
  requireRight(caller, 'system.change');
  if (!isMailKind(kind)) throw notFound('mail template');
  const given = Object.fromEntries(Object.entries(parts).filter(([, text]) => text !== undefined));
  const [first, ...others] = checkTemplate(kind, filled(given));
  if (first !== undefined) throw new Problem('invalid', 'mail_template.does_not_render', first, { others });
  const settings = await changeSettings(ctx, async (tx, current) => {
    const template = filled({ ...current.mailTemplates[kind], ...given });
    await record(ctx, tx, caller, {
      action: 'mail_template.changed',
      object: { kind: 'mail_template', id: kind },
      ownerId: '',
      facts: { parts: Object.keys(given), changes: partChanges(current.mailTemplates[kind] ?? {}, template) },
    });
    return {
      ...current,
      mailTemplates: { ...current.mailTemplates, [kind]: template },
      mailTemplatesShipped: { ...current.mailTemplatesShipped, [kind]: shippedTexts(ctx, kind) },
    };
  });
  return describe(ctx, kind, settings);
}

export interface MailPreview {
  subject: string;
  text: string;
  /** With embedded images. */
  html: string;
  problems: string[];
}

export async function previewMail(ctx: Ctx, caller: UserCaller, kind: string, parts: Parts): Promise<MailPreview> {
  const { rendered, problems } = await renderSample(ctx, caller, kind, parts);
  return { subject: rendered.subject, text: rendered.text, html: withEmbeddedPictures(rendered), problems };
}

/** For a frame, which loads nothing. */
export function withEmbeddedPictures({ html, pictures }: ReturnType<typeof renderMail>): string {
  return pictures.reduce(
    (text, { name, bytes }) => text.replaceAll(`cid:${name}`, `data:image/png;base64,${bytes.toString('base64')}`),
    html,
  );
}

export async function testMailTemplate(
  ctx: Ctx,
  caller: UserCaller,
  mailConnection: MailConnection,
  { kind, parts }: { kind: string; parts: Parts },
): Promise<{ to: string; steps: Check[] }> {
  const { rendered, problems } = await renderSample(ctx, caller, kind, parts);
  const [first, ...others] = problems;
  if (first !== undefined) throw new Problem('invalid', 'mail_template.does_not_render', first, { others });
  const to = caller.email;
  const steps = await mailConnection.sendNow({ id: ctx.random.id(), to, rendered });
  await recordTest(ctx, caller, { to, kind, steps });
  return { to, steps };
}

async function renderSample(ctx: Ctx, caller: UserCaller, kind: string, parts: Parts) {
  requireRight(caller, 'system.change');
  if (!isMailKind(kind)) throw notFound('mail template');
  const given = Object.fromEntries(Object.entries(parts).filter(([, text]) => text !== undefined));
  const problems = checkTemplate(kind, filled(given), ctx.settings.surroundings.locale);
  const own = problems.length > 0 ? {} : filled({ ...ctx.settings.current().mailTemplates[kind], ...given });
  const frame = { ...mailFrame(ctx), templates: { [kind]: own }, logo: await findMailLogo(ctx) };
  return { rendered: renderMail(kind, mailKinds[kind].sample as never, frame), problems };
}

function shippedTexts(ctx: Ctx, kind: MailKind): ShippedTexts {
  return defaultTemplate(kind, mailTexts.localeFor(ctx.settings.surroundings.locale));
}

/** '' for the shipped text. */
function partChanges(before: MailTemplate, after: MailTemplate) {
  const changed = templateParts.filter((part) => before[part] !== after[part]);
  return Object.fromEntries(changed.map((part) => [part, { from: before[part] ?? '', to: after[part] ?? '' }]));
}

function filled(parts: Record<string, string | undefined>): Settings['mailTemplates'][string] {
  return Object.fromEntries(Object.entries(parts).filter(([, text]) => text !== undefined && text !== ''));
}

function describe(ctx: Ctx, kind: MailKind, settings: Settings): ManagedMailTemplate {
  const template = settings.mailTemplates[kind] ?? {};
  const isChanged = Object.keys(template).length > 0;
  const shipped = shippedTexts(ctx, kind);
  const shippedBefore = settings.mailTemplatesShipped[kind];
  const isOutdated =
    isChanged && shippedBefore !== undefined && JSON.stringify(shippedBefore) !== JSON.stringify(shipped);
  return {
    kind,
    isChanged,
    subject: template.subject ?? '',
    intro: template.intro ?? '',
    closing: template.closing ?? '',
    variables: templateVariables(kind).map((variable) => variable.name),
    shipped,
    shippedWhenChanged: isOutdated ? shippedBefore : null,
  };
}
