// How the installation branding, for administrators.

import { brandColours, isToneChanged } from '#contract/brand-colour.ts';
import {
  changeBranding,
  changeLogo,
  deleteLogo,
  getBranding,
  type InstallationBranding,
} from '../../../actions/branding/branding.ts';
import { draftBranding, previewBrandedMail } from '../../../actions/branding/preview.ts';
import { type LogoVariant, logoMaxBytes } from '../../../domain/branding.ts';
import { addDays, dateOf } from '../../../lib/dates.ts';
import type { HttpDeps } from '../../deps.ts';
import { alreadySent, type Serve } from '../../endpoint.ts';
import { logoPath } from '../../pages/branding-assets.ts';
import { inScheme, previewHeaders } from '../../pages/previews.ts';
import { sampleDays, sampleMessagePage } from '../../pages/sample-message.ts';
import { readAll } from '../../transport/body.ts';
import { localeOf } from '../../transport/languages.ts';
import { publicUrl } from '../../transport/urls.ts';

const mailHeaders = previewHeaders('sandbox; img-src data:');
/** Logo and fonts come from this server. */
const pageHeaders = previewHeaders("sandbox allow-same-origin; img-src 'self' data:; font-src 'self'");

export function serveBranding(serve: Serve): void {
  serve('getBranding', async ({ deps, ctx, caller }) => answer(deps, getBranding(ctx, caller)));
  serve('changeBranding', async ({ deps, ctx, caller, body }) =>
    answer(deps, await changeBranding(ctx, caller, body.branding)),
  );
  serve('showBranding', async ({ deps, ctx, caller, query, response, requestId, raw }) => {
    const { view, scheme = 'light', ...changes } = query;
    const isMail = view === 'mail';
    const html = isMail
      ? inScheme(await previewBrandedMail(ctx, caller, changes), scheme)
      : deps.pages.preview(sampleMessagePage(sampleExpiry(ctx)), {
          settings: draftBranding(ctx, caller, changes),
          locale: localeOf(deps, ctx.settings.surroundings.locale, raw),
          scheme,
        });
    const headers = isMail ? mailHeaders : pageHeaders;
    response.writeHead(200, { ...headers, 'x-request-id': requestId });
    response.end(html);
    return alreadySent;
  });
  serve('changeLogo', async ({ deps, ctx, caller, query, raw, response }) => {
    getBranding(ctx, caller); // check rights before the body is sent
    const bytes = await readAll(raw, response, logoMaxBytes);
    return answer(deps, await changeLogo(ctx, caller, query.variant, bytes));
  });
  serve('deleteLogo', async ({ deps, ctx, caller, query }) =>
    answer(deps, await deleteLogo(ctx, caller, query.variant)),
  );
}

function sampleExpiry({ clock, settings }: HttpDeps['ctx']): string {
  return addDays(dateOf(clock.now(), settings.surroundings.timeZone), sampleDays);
}

function answer(deps: HttpDeps, branding: InstallationBranding) {
  const tones = brandColours(branding.colour);
  const logo = (variant: LogoVariant) => {
    const facts = branding.logo[variant];
    return facts === null ? null : { ...facts, url: publicUrl(deps, logoPath(variant, facts)) };
  };
  return {
    branding: {
      ...branding,
      logo: { light: logo('light'), dark: logo('dark') },
      tones,
      isToneChanged: isToneChanged(tones),
    },
  };
}
