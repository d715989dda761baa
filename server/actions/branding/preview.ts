// Branding as it would be after a change. Saves nothing.
import { type BrandingChanges, changedBranding, readOrganisationName } from '../../domain/branding.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { Problem } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Settings } from '../../domain/settings.ts';
import { mailKinds } from '../../mail/kinds/all.ts';
import { renderMail } from '../../mail/render.ts';
import type { Ctx } from '../context.ts';
import { withEmbeddedPictures } from '../mail/templates.ts';
import { mailFrame } from '../messages/mails.ts';
import { findMailLogo } from './branding.ts';

/** A value that cannot be saved, such as half an address, has no effect. */
export function draftBranding(ctx: Ctx, caller: UserCaller, changes: BrandingChanges): Settings {
  requireRight(caller, 'console.read');
  const settings = ctx.settings.current();
  const { organisationName, ...others } = changes;
  const branding = Object.entries(others).reduce(
    (known, [field, value]) => ifValid(() => changedBranding(known, { [field]: value })) ?? known,
    settings.branding,
  );
  const name = ifValid(() => readOrganisationName(organisationName ?? settings.organisationName, 'organisation_name'));
  return { ...settings, branding, organisationName: name ?? settings.organisationName };
}

/** What recipients of the preview get. */
export const sampleMessage = mailKinds.message.sample;

/** HTML of a message's mail with sample data. */
export async function previewBrandedMail(ctx: Ctx, caller: UserCaller, changes: BrandingChanges): Promise<string> {
  const draft = draftBranding(ctx, caller, changes);
  const settings = { ...ctx.settings, surroundings: ctx.settings.surroundings, current: () => draft };
  const frame = { ...mailFrame({ ...ctx, settings }), logo: await findMailLogo(ctx) };
  return withEmbeddedPictures(renderMail('message', sampleMessage, frame));
}

function ifValid<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}
