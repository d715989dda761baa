import type { IncomingMessage, ServerResponse } from 'node:http';
import { shippedLanguages } from '#language/locale.ts';
import type { Asset, Page, Pages } from '#web/pages/page.ts';
import type { Frame } from '#web/pages/props.ts';
import { productName, type Settings, type SettingsSource } from '../../domain/settings.ts';
import { mask } from '../../lib/masking.ts';
import { compressText } from '../transport/compression.ts';
import { localeOf } from '../transport/languages.ts';
import { basePath, readTarget } from '../transport/urls.ts';
import { brandingFrame, brandStylesheet } from './branding-assets.ts';
import { readCookie, sharedMarkCookie } from './forms.ts';
import { type ColourScheme, inScheme, withAbsoluteUrls, withStyles } from './previews.ts';

export interface PageRenderer {
  send(
    exchange: { raw: IncomingMessage; response: ServerResponse; requestId: string },
    page: Page,
    options?: PageOptions,
  ): void;
  /** Self-contained HTML without scripts, in one colour scheme. */
  preview(page: Page, view: PreviewView): string;
  assets: Asset[];
}

export interface PreviewView {
  settings: Settings;
  locale: string;
  scheme: ColourScheme;
}

export interface PageOptions {
  /** Such as a link id. */
  reference?: string;
  status?: number;
  /** A language chosen for this page alone. */
  locale?: string;
  headers?: Record<string, string | string[]>;
}

export function createPageRenderer(
  pages: Pages,
  settings: SettingsSource,
  options: {
    baseUrl: URL;
    isSetUp: () => boolean;
    canSendMail: () => boolean;
    csrfOf: (raw: IncomingMessage) => string | undefined;
  },
): PageRenderer {
  const base = basePath(options);
  return {
    assets: pages.assets,
    preview: (page, view) => previewOf(pages, page, { ...view, base, timeZone: settings.surroundings.timeZone }),
    send({ raw, response, requestId }, page, { reference, status, headers, locale: wanted } = {}) {
      const locale = wanted ?? localeOf(options, settings.surroundings.locale, raw);
      const csrf = options.csrfOf(raw);
      const frame: Frame = {
        locale,
        timeZone: settings.surroundings.timeZone,
        productName,
        organisationName: options.isSetUp() ? settings.current().organisationName : null,
        basePath: base,
        reference: reference ?? null,
        isSharedBrowser: /^\d+$/.test(readCookie(options, raw, sharedMarkCookie) ?? ''),
        canSendMail: options.canSendMail(),
        ...brandingFrame(settings.current(), base),
        languageSwitch: {
          form: {
            action: `${base}/language`,
            ...(csrf === undefined ? {} : { csrf }),
            // Masked: the sender of a link controls this address.
            hidden: { to: mask(readTarget(raw.url ?? '/')) },
          },
          locales: [...shippedLanguages],
        },
      };
      const { body, headers: encoding } = compressText(raw, pages.renderPage(page, frame));
      const refresh = pages.refreshSeconds(page);
      response.writeHead(status ?? pages.pageStatus(page), {
        ...pageHeaders(options.baseUrl, pages.pageScripts(page).length > 0),
        'content-type': 'text/html; charset=utf-8',
        ...encoding,
        'content-language': locale,
        'x-request-id': requestId,
        ...(refresh === null ? {} : { refresh: String(refresh) }),
        ...headers,
      });
      response.end(body);
    },
  };
}

function previewOf(
  pages: Pages,
  page: Page,
  { settings, locale, scheme, base, timeZone }: PreviewView & { base: string; timeZone: string },
): string {
  const { colour } = settings.branding;
  const frame: Frame = {
    locale,
    timeZone,
    productName,
    organisationName: settings.organisationName,
    basePath: base,
    reference: null,
    isSharedBrowser: false,
    ...brandingFrame(settings, base),
    brandStylesheetUrl: null,
    languageSwitch: { form: { action: '' }, locales: [...shippedLanguages] },
  };
  const styles = pages.assets.flatMap(({ path, body }) =>
    path.endsWith('.css') ? [withAbsoluteUrls(String(body), base + path)] : [],
  );
  const css = [...styles, colour === null ? '' : brandStylesheet(colour)].join('\n');
  return inScheme(withStyles(pages.renderPage(page, frame), css), scheme);
}

function pageHeaders(baseUrl: URL, hasScript: boolean): Record<string, string> {
  return {
    ...privacyHeaders(baseUrl),
    'content-security-policy': `default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'${hasScript ? "; script-src 'self'; connect-src 'self'" : ''}`,
  };
}

/** Headers of every HTML answer: caching, framing, referrers, robots. */
export function privacyHeaders(baseUrl: URL): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-robots-tag': 'noindex',
    vary: 'Accept, Accept-Encoding, Accept-Language, Authorization, Cookie',
    ...(baseUrl.protocol === 'https:' ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}
