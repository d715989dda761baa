// For operators and machines: is the process there, is it ready, what does the API look like. Small, no details.

import { notFound } from '../domain/problem.ts';
import { jsonHeaders, sendJson } from './answers.ts';
import { demandUser } from './credentials.ts';
import type { HttpDeps } from './deps.ts';
import { openApiDocument } from './openapi.ts';
import type { Router } from './router.ts';
import { publicUrl } from './urls.ts';

export function serveHealth(deps: HttpDeps, router: Router): void {
  router.api('GET', '/healthz', async ({ response, requestId }) =>
    sendJson(response, 200, { status: 'ok' }, requestId),
  );

  router.api('GET', '/readyz', async ({ response, requestId }) => {
    const failing = await deps.failingChecks();
    sendJson(
      response,
      failing.length === 0 ? 200 : 503,
      failing.length === 0 ? { status: 'ready' } : { status: 'not ready', failing },
      requestId,
    );
  });

  // Made when somebody asks: it takes a moment and memory that most installations never need.
  let document: string | null = null;
  router.api('GET', '/openapi.json', async ({ raw, response, requestId }) => {
    if (deps.openapi === 'off') throw notFound('page', "There's nothing at this address.");
    if (deps.openapi === 'signed-in')
      await demandUser(deps, { raw, response, requestId }, { method: 'GET', sessionProof: 'own_page' });
    document ??= JSON.stringify(openApiDocument(publicUrl(deps, '')));
    response.writeHead(200, {
      ...jsonHeaders,
      'content-length': Buffer.byteLength(document),
      'x-request-id': requestId,
    });
    response.end(document);
  });

  router.api('GET', '/robots.txt', async ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'max-age=86400' });
    response.end('User-agent: *\nDisallow: /\n');
  });

  for (const asset of deps.pages.assets) {
    router.api('GET', asset.path, async ({ response }) => {
      response.writeHead(200, {
        'content-type': asset.contentType,
        'content-length': Buffer.byteLength(asset.body),
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      });
      response.end(asset.body);
    });
  }
}
