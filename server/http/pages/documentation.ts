// `/docs`: the documentation site that `npm run docs` builds.

import { encodings, suffixes } from '#web/encodings.ts';
import type { ApiDocsPage } from '#web/pages/api-docs-props.ts';
import { notFound } from '../../domain/problem.ts';
import { builtFiles } from '../../lib/program-files.ts';
import type { HttpDeps } from '../deps.ts';
import { sendPage } from '../identity/pre-session.ts';
import { compressText, sendBuiltFile } from '../transport/compression.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';
import { seeOther } from './forms.ts';
import { privacyHeaders } from './page-renderer.ts';

const files = builtFiles('docs');

const contentTypes: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  png: 'image/png',
  woff2: 'font/woff2',
};

export function serveDocumentation(deps: HttpDeps, router: Router): void {
  for (const path of ['/docs', '/docs/*']) router.page('GET', path, (exchange) => sendFile(deps, exchange));
}

async function sendFile(deps: HttpDeps, exchange: Exchange): Promise<void> {
  if (!files.has('index.html')) return sendPage(deps, exchange, notBuilt, { status: 404 });
  const below = exchange.params['*'] ?? '';
  // Links are relative, and the router ignores a slash at the end.
  const index = `${below === '' ? '' : `${below}/`}index.html`;
  if (isName(index) && files.has(index)) return seeOther(exchange.response, `${basePath(deps)}/docs/${index}`);
  const path = /\.\w+$/.test(below) ? below : `${below}.html`;
  const contentType = contentTypes[path.split('.').at(-1)!];
  if (!isName(path) || contentType === undefined || !files.has(path))
    throw notFound('page', 'There’s nothing at this address.');
  if (path.startsWith('assets/')) return sendAsset(deps, exchange, { path, contentType });
  const content = await contentOf(deps, path);
  const isText = !path.endsWith('.png');
  const { body, headers } = compressText(exchange.raw, content, isText ? encodings : []);
  exchange.response.writeHead(200, {
    ...privacyHeaders(deps.baseUrl),
    'cache-control': 'no-cache',
    // Pictures as data: icons in the styles.
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    'content-type': contentType,
    ...headers,
    'x-request-id': exchange.requestId,
  });
  exchange.response.end(body);
}

function isName(path: string): boolean {
  return /^(?:[\w@-][\w@.-]*\/)*[\w@-][\w@.-]*$/.test(path);
}

async function sendAsset(
  deps: HttpDeps,
  exchange: Exchange,
  { path, contentType }: { path: string; contentType: string },
): Promise<void> {
  const available = basePath(deps) === '' ? encodings.filter((encoding) => files.has(path + suffixes[encoding])) : [];
  await sendBuiltFile(exchange, {
    name: path.split('/').at(-1)!,
    contentType,
    encodings: available,
    read: (encoding) => (encoding === null ? contentOf(deps, path) : files.readLater(path + suffixes[encoding])),
  });
}

/** The site is built for `/docs/`; the public address may have a path before it. */
async function contentOf(deps: HttpDeps, path: string): Promise<Buffer | string> {
  const content = await files.readLater(path);
  const base = basePath(deps);
  if (base === '' || !/\.(html|js|css)$/.test(path)) return content;
  return content.toString().replace(/(["'`(])\/docs\//g, `$1${base}/docs/`);
}

const notBuilt: ApiDocsPage = {
  kind: 'api-docs',
  title: 'Documentation',
  sections: [],
  blocks: [
    { is: 'text', text: 'The documentation is not built on this server. Packages contain it.' },
    {
      is: 'text',
      text: 'To build it, run `npm run docs` in the folder of the sources. The server then shows it here.',
    },
  ],
};
