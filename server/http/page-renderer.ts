// Rendering pages for browsers: the built page bundle, the frame around each page, and the headers every page carries.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Asset, Frame, Page, Pages } from '#web/pages/props.ts';
import type { SettingsSource } from '../domain/settings.ts';
import { frameOfLooks } from './looks.ts';
import { basePath } from './urls.ts';

export interface PageRenderer {
  send(
    exchange: { raw: IncomingMessage; response: ServerResponse; requestId: string },
    page: Page,
    options?: PageOptions,
  ): void;
  assets: Asset[];
}

export interface PageOptions {
  /** Id filled into a problem report, such as a link id. */
  reference?: string;
  status?: number;
  headers?: Record<string, string | string[]>;
}

/** Over the bundle that the build made. */
export function createPageRenderer(
  pages: Pages,
  settings: SettingsSource,
  options: { baseUrl: URL; isSetUp: () => boolean },
): PageRenderer {
  const base = basePath(options);
  return {
    assets: pages.assets,
    send({ response, requestId }, page, { reference, status, headers } = {}) {
      const frame: Frame = {
        locale: settings.surroundings.locale,
        timeZone: settings.surroundings.timeZone,
        productName: 'Waybill',
        organisationName: options.isSetUp() ? settings.current().organisationName : null,
        basePath: base,
        reference: reference ?? null,
        ...frameOfLooks(settings.current(), base),
        languageSwitch: null,
      };
      const html = pages.renderPage(page, frame);
      const refresh = pages.refreshSeconds(page);
      response.writeHead(status ?? pages.pageStatus(page), {
        ...pageHeaders(options.baseUrl, pages.pageScripts(page).length > 0),
        'content-type': 'text/html; charset=utf-8',
        'content-length': Buffer.byteLength(html),
        'x-request-id': requestId,
        ...(refresh === null ? {} : { refresh: String(refresh) }),
        ...headers,
      });
      response.end(html);
    },
  };
}

/** No inline script or style, no frame, nothing from elsewhere; scripts only on pages that have one (security D9). */
function pageHeaders(baseUrl: URL, hasScript: boolean): Record<string, string> {
  return {
    'content-security-policy': `default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'${hasScript ? "; script-src 'self'; connect-src 'self'" : ''}`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-robots-tag': 'noindex',
    vary: 'Accept, Authorization, Cookie',
    ...(baseUrl.protocol === 'https:' ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}
