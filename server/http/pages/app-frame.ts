// The frame of the app as users on a slow connection see it before the scripts arrive. Styles: web/app/first-paint.css.
import { markHidden } from '#contract/hidden-characters.ts';
import { languageOf, shippedLanguages } from '#language/locale.ts';
import type { BuiltApp } from '#web/app/load.ts';
import type { Theme } from '../../domain/preferences.ts';
import type { Settings } from '../../domain/settings.ts';
import { escapeHtml } from '../../lib/markup.ts';
import { shipped } from '../../lib/program-files.ts';
import { brandStylesheet } from './branding-assets.ts';

/** By the first path segment below /app. */
const screens: Record<string, { catalogue: string; source: string }> = {
  send: { catalogue: 'send', source: 'messages/send/send.tsx' },
  sent: { catalogue: 'sent', source: 'messages/sent/sent.tsx' },
  received: { catalogue: 'received', source: 'received/received.tsx' },
  links: { catalogue: 'file-links', source: 'file-links/file-links.tsx' },
  requests: { catalogue: 'file-requests', source: 'file-requests/file-requests.tsx' },
  drop: { catalogue: 'filedrops', source: 'filedrops/filedrops.tsx' },
  log: { catalogue: 'downloads', source: 'downloads/downloads.tsx' },
  account: { catalogue: 'account', source: 'account/account.tsx' },
  search: { catalogue: 'search', source: 'search/search.tsx' },
};

/** `de/sent` → `Gesendet`. */
const titles = new Map(
  shippedLanguages.flatMap((language) =>
    Object.entries(screens).map(([screen, { catalogue }]) => {
      const file = shipped.read(`locales/${language}/app/${catalogue}.json`).toString();
      return [`${language}/${screen}`, (JSON.parse(file) as { title: string }).title] as const;
    }),
  ),
);

interface Asked {
  /** Below the base path, with the query. */
  path: string;
  locale: string;
  settings: Settings;
}

/** Hidden from screen readers until the app is interactive. */
export function frameMarkup({ path, locale, settings }: Asked): string {
  const name = markHidden(settings.organisationName);
  const mark = /[\p{L}\p{N}]/u.exec(settings.organisationName)?.[0]?.toLocaleUpperCase() ?? '';
  const brand = `<div class="frame-brand"><span class="frame-mark">${escapeHtml(mark)}</span><span class="frame-name">${escapeHtml(name)}</span></div>`;
  const places = '<div class="frame-place"></div>'.repeat(5);
  const title = `<div class="frame-title">${escapeHtml(titleOf(path, locale))}</div>`;
  return `<div class="frame" aria-hidden="true"><div class="frame-rail">${brand}${places}</div><div><div class="frame-top">${brand}</div><div class="frame-main">${title}<div class="frame-card"></div></div></div><div class="frame-bar"></div></div>`;
}

/** With a query such as `?sent=` a screen shows no form. */
function titleOf(path: string, locale: string): string {
  if (/[?&](sent|link|new)=/.test(path)) return '';
  return titles.get(`${languageOf(locale)}/${screenOf(path)}`) ?? '';
}

function screenOf(path: string): string {
  return /^\/app\/(\w+)\/?(\?|$)/.exec(path)?.[1] ?? '';
}

/** Loaded in parallel with those of the frame. */
export function screenScripts(app: Pick<BuiltApp, 'scriptsOf'>, path: string, locale: string): string[] {
  const language = languageOf(locale);
  const screen = screens[screenOf(path)];
  const frameTexts = `frame-texts/${language}.ts`;
  if (screen === undefined) return app.scriptsOf(frameTexts);
  // English always, for what another language lacks.
  const catalogues = ['en', language].map((one) => `../../locales/${one}/app/${screen.catalogue}.json`);
  const sources = [frameTexts, `screens/${screen.source}`, ...catalogues];
  return [...new Set(sources.flatMap((source) => app.scriptsOf(source)))];
}

export function brandStyles({ branding }: Settings): string {
  return branding.colour === null ? '' : brandStylesheet(branding.colour);
}

export function schemeAttribute(theme: Theme): string {
  return theme === 'system' ? '' : ` data-mantine-color-scheme="${theme}"`;
}
