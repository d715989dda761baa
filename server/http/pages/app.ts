// The web app: one HTML shell for every address (docs/adr/0026).

import { randomBytes } from 'node:crypto';
import { markHidden } from '#contract/hidden-characters.ts';
import { directionOf, languageOf, shippedLanguages } from '#language/locale.ts';
import english from '../../../locales/en/app/noscript.json' with { type: 'json' };
import { getPreferences } from '../../actions/account/preferences.ts';
import { notFound } from '../../domain/problem.ts';
import { escapeHtml } from '../../lib/markup.ts';
import { shipped } from '../../lib/program-files.ts';
import type { HttpDeps } from '../deps.ts';
import { pathOfStep, visitorOfPage } from '../identity/visits.ts';
import { compressText, sendBuiltFile } from '../transport/compression.ts';
import { localeOf } from '../transport/languages.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';
import { brandStyles, frameMarkup, schemeAttribute, screenScripts } from './app-frame.ts';
import { brandingFrame } from './branding-assets.ts';
import { seeOther } from './forms.ts';
import { privacyHeaders } from './page-renderer.ts';

export function serveApp(deps: HttpDeps, router: Router): void {
  router.page('GET', '/app', (exchange) => showApp(deps, exchange));
  router.page('GET', '/app/*', (exchange) => showApp(deps, exchange));
  router.api('GET', '/app/assets/:name', (exchange) => sendAsset(deps, exchange));
}

async function showApp(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const visitor = await visitorOfPage(deps, exchange.raw);
  if (visitor.restricted !== null)
    return seeOther(exchange.response, `${basePath(deps)}${pathOfStep(visitor.restricted.requires)}`);
  if (visitor.user === null) {
    const to = (exchange.raw.url ?? '/app').slice(0, 500);
    return seeOther(exchange.response, `${basePath(deps)}/sign-in?to=${encodeURIComponent(to)}`);
  }
  // For styles that the component library inserts at run time.
  const nonce = randomBytes(16).toString('base64url');
  const locale = localeOf(deps, deps.ctx.settings.surroundings.locale, exchange.raw);
  const settings = deps.ctx.settings.current();
  const path = (exchange.raw.url ?? '').slice(basePath(deps).length);
  const { theme } = await getPreferences(deps.ctx, { userId: visitor.user.id });
  const preloads = screenScripts(deps.builtApp, path, locale)
    .map((name) => `<link rel="modulepreload" href="${escapeHtml(`${basePath(deps)}/app/assets/${name}`)}" />`)
    .join('');
  const shell = shellOf(deps)
    .replace('</head>', `${preloads}</head>`)
    .replace('</body>', `${brandingStyles(deps)}</body>`);
  const html = fill(shell, {
    lang: locale,
    dir: directionOf(locale),
    scheme: schemeAttribute(theme),
    brandStyles: brandStyles(settings),
    frame: frameMarkup({ path, locale, settings }),
    title: markHidden(settings.organisationName),
    icon: `${basePath(deps)}${deps.pages.assets.find(({ contentType }) => contentType === 'image/svg+xml')?.path ?? ''}`,
    base: basePath(deps),
    nonce,
    noscript: `<style nonce="${nonce}">.frame{display:none}</style>${withoutScript(deps, textsWithoutScript.get(languageOf(locale)) ?? english)}`,
  });
  const { body, headers } = compressText(exchange.raw, html);
  exchange.response.writeHead(200, {
    ...privacyHeaders(deps.baseUrl),
    'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self'; font-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    'content-type': 'text/html; charset=utf-8',
    ...headers,
    'x-request-id': exchange.requestId,
  });
  exchange.response.end(body);
}

/** After the app's own styles, some of which they replace. */
function brandingStyles(deps: HttpDeps): string {
  const fonts = deps.pages.assets.find(({ path }) => /\/fonts\.[\w-]+\.css$/.test(path));
  const { brandStylesheetUrl } = brandingFrame(deps.ctx.settings.current(), basePath(deps));
  return [fonts === undefined ? null : basePath(deps) + fonts.path, brandStylesheetUrl]
    .filter((url) => url !== null)
    .map((url) => `<link rel="stylesheet" href="${escapeHtml(url)}" />`)
    .join('');
}

/** The public address may have a path. */
function shellOf(deps: HttpDeps): string {
  return deps.builtApp.shell
    .replaceAll('./assets/', `${basePath(deps)}/app/assets/`)
    .replace('<html lang="en" dir="ltr">', '<html lang="{{lang}}" dir="{{dir}}"{{scheme}}>');
}

/** Missing translations are in English. */
const textsWithoutScript = new Map(
  shippedLanguages.map((language) => {
    const file = `locales/${language}/app/noscript.json`;
    const own = shipped.has(file) ? (JSON.parse(shipped.read(file).toString()) as Partial<typeof english>) : {};
    return [language, { ...english, ...own }];
  }),
);

/** Names what works without script. */
function withoutScript(deps: HttpDeps, texts: typeof english): string {
  const links = [
    ...(deps.openapi === 'off' ? [] : [{ href: `${basePath(deps)}/openapi.json`, words: texts.api }]),
    { href: `${basePath(deps)}/sign-out`, words: texts.signOut },
  ];
  const items = links.map(({ href, words }) => `<li><a href="${escapeHtml(href)}">${escapeHtml(words)}</a></li>`);
  return `<main class="no-script"><h1>${escapeHtml(texts.title)}</h1><p>${escapeHtml(texts.text)}</p><ul>${items.join('')}</ul></main>`;
}

/** Our own markup; everything else is escaped. */
const written = new Set(['noscript', 'frame', 'scheme', 'brandStyles']);

function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the shell of the app asks for ${name}`);
    return written.has(name) ? value : escapeHtml(value);
  });
}

async function sendAsset(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const name = exchange.params.name ?? '';
  const asset = deps.builtApp.assets.get(name);
  if (asset === undefined) throw notFound('page', 'There’s nothing at this address.');
  await sendBuiltFile(exchange, { name, ...asset });
}
