// How the installation looks, for administrators.
import { changeBranding, changeLogo, deleteLogo, getBranding, type Looks } from '../../../actions/branding/branding.ts';
import { type BrandTones, brandColours, isToneChanged } from '../../../domain/brand-colour.ts';
import { type LogoVariant, logoMaxBytes } from '../../../domain/branding.ts';
import type { HttpDeps } from '../../deps.ts';
import type { Serve } from '../../endpoint.ts';
import { logoPath } from '../../pages/branding-assets.ts';
import { readAll } from '../../transport/body.ts';
import { publicUrl } from '../../transport/urls.ts';

export function serveBranding(serve: Serve): void {
  serve('getBranding', async ({ deps, ctx, caller }) => brandingBody(deps, getBranding(ctx, caller)));
  serve('changeBranding', async ({ deps, ctx, caller, body }) => {
    const given = body.branding;
    const looks = await changeBranding(ctx, caller, {
      organisationName: given.organisation_name,
      colour: given.colour,
      contactAddress: given.contact_address,
      privacyUrl: given.privacy_url,
      pageFooter: given.page_footer,
      mailFooter: given.mail_footer,
    });
    return brandingBody(deps, looks);
  });
  serve('changeLogo', async ({ deps, ctx, caller, query, raw, response }) => {
    getBranding(ctx, caller); // before the body: nobody sends a picture in vain
    const bytes = await readAll(raw, response, logoMaxBytes);
    return brandingBody(deps, await changeLogo(ctx, caller, query.variant ?? 'light', bytes));
  });
  serve('deleteLogo', async ({ deps, ctx, caller, query }) =>
    brandingBody(deps, await deleteLogo(ctx, caller, query.variant ?? 'light')),
  );
}

function brandingBody(deps: HttpDeps, looks: Looks) {
  const colours = brandColours(looks.colour);
  return {
    branding: {
      organisation_name: looks.organisationName,
      colour: looks.colour,
      contact_address: looks.contactAddress,
      privacy_url: looks.privacyUrl,
      page_footer: looks.pageFooter,
      mail_footer: looks.mailFooter,
      logo: { light: logoBody(deps, looks, 'light'), dark: logoBody(deps, looks, 'dark') },
      tones: { light: tonesBody(colours.light), dark: tonesBody(colours.dark) },
      is_tone_changed: isToneChanged(colours),
    },
  };
}

function logoBody(deps: HttpDeps, looks: Looks, variant: LogoVariant) {
  const facts = looks.logo[variant];
  if (facts === null) return null;
  return {
    url: publicUrl(deps, logoPath(variant, facts)),
    type: facts.type,
    width: facts.width,
    height: facts.height,
    size: facts.sizeBytes,
    is_in_mails: facts.type === 'image/png',
  };
}

function tonesBody(tones: BrandTones) {
  return {
    primary: tones.primary,
    primary_hover: tones['primary-hover'],
    primary_active: tones['primary-active'],
    on_primary: tones['on-primary'],
    primary_soft: tones['primary-soft'],
    on_primary_soft: tones['on-primary-soft'],
  };
}
