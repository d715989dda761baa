// Health, readiness, the API description and the files of pages.
import { encodings } from '#web/encodings.ts';
import { notFound } from '../../domain/problem.ts';
import { toYaml } from '../../lib/yaml.ts';
import { openApiDocument } from '../api-docs/openapi.ts';
import type { HttpDeps } from '../deps.ts';
import { requireUser } from '../identity/credentials.ts';
import { sendJson, sendJsonText } from './answers.ts';
import { type BuiltFile, sendBuiltFile } from './compression.ts';
import type { Exchange, Router } from './router.ts';
import { publicUrl } from './urls.ts';

export function serveHealth(deps: HttpDeps, router: Router): void {
  router.api('GET', '/healthz', async (exchange) => sendJson(exchange, 200, { status: 'ok' }));

  router.api('GET', '/readyz', async (exchange) => {
    const failing = await deps.failingChecks();
    if (failing.length === 0) sendJson(exchange, 200, { status: 'ready', ...(await deps.readinessWarnings()) });
    else sendJson(exchange, 503, { status: 'not ready', failing });
  });

  // Created on demand: most installations never need it.
  let json: string | null = null;
  let yaml: string | null = null;
  router.api('GET', '/openapi.json', async (exchange) => {
    await requireReader(deps, exchange);
    json ??= JSON.stringify(openApiDocument(publicUrl(deps, '')));
    sendJsonText(exchange, 200, json);
  });
  router.api('GET', '/openapi.yaml', async (exchange) => {
    await requireReader(deps, exchange);
    yaml ??= toYaml(openApiDocument(publicUrl(deps, '')));
    sendJsonText({ ...exchange, headers: { 'content-type': 'application/yaml; charset=utf-8' } }, 200, yaml);
  });

  router.api('GET', '/robots.txt', async ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'max-age=86400' });
    response.end('User-agent: *\nDisallow: /\n');
  });

  for (const { path, contentType, body, encoded = {} } of deps.pages.assets) {
    const file: BuiltFile = {
      name: path.slice(path.lastIndexOf('/') + 1),
      contentType,
      encodings: encodings.filter((encoding) => encoded[encoding] !== undefined),
      read: async (encoding) => (encoding === null ? body : encoded[encoding]!),
    };
    router.api('GET', path, (exchange) => sendBuiltFile(exchange, file));
  }
}

async function requireReader(deps: HttpDeps, exchange: Exchange): Promise<void> {
  if (deps.openapi === 'off') throw notFound('page', 'There’s nothing at this address.');
  if (deps.openapi === 'signed-in') await requireUser(deps, exchange, { method: 'GET', sessionProof: 'own_page' });
}
