// The style sheet derives from the colour alone, so that every process can serve it.
import { createHash } from 'node:crypto';
import { type BrandTones, brandColours } from '#contract/brand-colour.ts';
import type { Frame } from '#web/pages/props.ts';
import type { LogoFacts, LogoVariant } from '../../domain/branding.ts';
import type { Settings } from '../../domain/settings.ts';

/** `base` is '' or '/files'. */
export function brandingFrame({ branding }: Settings, base: string) {
  const { light, dark } = branding.logo;
  const first = light ?? dark;
  const logo: Frame['logo'] =
    first === null
      ? null
      : {
          url: base + logoPath(light === null ? 'dark' : 'light', first),
          darkUrl: light === null || dark === null ? null : base + logoPath('dark', dark),
          width: first.width,
          height: first.height,
        };
  return {
    contactAddress: branding.contactAddress,
    privacyUrl: branding.privacyUrl,
    footerText: branding.pageFooter === '' ? null : branding.pageFooter,
    brandStylesheetUrl: branding.colour === null ? null : base + stylesheetPath(branding.colour),
    logo,
  };
}

export function stylesheetPath(colour: string): string {
  const hash = createHash('sha256').update(brandStylesheet(colour)).digest('base64url').slice(0, 12);
  return `/brand/colours.${colour.slice(1)}.${hash}.css`;
}

export function logoPath(variant: LogoVariant, { hash, type }: Pick<LogoFacts, 'hash' | 'type'>): string {
  return `/brand/logo-${variant}.${hash}.${type === 'image/png' ? 'png' : 'svg'}`;
}

/** Replaces the tokens of web/tokens.css that have the organisation's hue. */
export function brandStylesheet(colour: string): string {
  const { brand, onBrand, light, dark } = brandColours(colour);
  const own = `--color-brand:${brand};--color-on-brand:${onBrand};`;
  const bySystem = `@media (prefers-color-scheme:dark){:root:not([data-mantine-color-scheme=light]){${declare(dark)}}}`;
  return `:root{${own}${declare(light)}}${bySystem}:root[data-mantine-color-scheme=dark]{${declare(dark)}}`;
}

function declare(tones: BrandTones): string {
  // Plots have the colour of buttons and links.
  return Object.entries({ ...tones, 'data-1': tones.primary })
    .map(([role, value]) => `--color-${role}:${value}`)
    .join(';');
}
