// How the installation branding, for administrators.
import {
  changeBranding,
  changeLogo,
  deleteLogo,
  getBranding,
  type InstallationBranding,
} from '../../../actions/branding/branding.ts';
import { brandColours, isToneChanged } from '../../../domain/brand-colour.ts';
import { type LogoVariant, logoMaxBytes } from '../../../domain/branding.ts';
import type { HttpDeps } from '../../deps.ts';
import type { Serve } from '../../endpoint.ts';
import { logoPath } from '../../pages/branding-assets.ts';
import { readAll } from '../../transport/body.ts';
import { publicUrl } from '../../transport/urls.ts';

export function serveBranding(serve: Serve): void {
  serve('getBranding', async ({ deps, ctx, caller }) => answer(deps, getBranding(ctx, caller)));
  serve('changeBranding', async ({ deps, ctx, caller, body }) =>
    answer(deps, await changeBranding(ctx, caller, body.branding)),
  );
  serve('changeLogo', async ({ deps, ctx, caller, query, raw, response }) => {
    getBranding(ctx, caller); // check rights before the body is sent
    const bytes = await readAll(raw, response, logoMaxBytes);
    return answer(deps, await changeLogo(ctx, caller, query.variant, bytes));
  });
  serve('deleteLogo', async ({ deps, ctx, caller, query }) =>
    answer(deps, await deleteLogo(ctx, caller, query.variant)),
  );
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
