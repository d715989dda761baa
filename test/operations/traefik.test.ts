// Debian has no Traefik, so its two files are only checked: keys exist in Traefik 3, and cross-references resolve.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { operationsFolder } from './pages.ts';

/** From the reference of Traefik 3 (install and routing configuration); `*` is a user-defined name. */
const known = new Set([
  'entryPoints.*.address',
  'entryPoints.*.http.redirections.entryPoint.to',
  'entryPoints.*.http.redirections.entryPoint.scheme',
  'entryPoints.*.http3',
  'entryPoints.*.transport.respondingTimeouts.readTimeout',
  'entryPoints.*.transport.respondingTimeouts.idleTimeout',
  'certificatesResolvers.*.acme.email',
  'certificatesResolvers.*.acme.storage',
  'certificatesResolvers.*.acme.tlsChallenge',
  'providers.file.filename',
  'http.routers.*.rule',
  'http.routers.*.entryPoints',
  'http.routers.*.service',
  'http.routers.*.tls.certResolver',
  'http.services.*.loadBalancer.passHostHeader',
  'http.services.*.loadBalancer.servers',
  'http.services.*.loadBalancer.healthCheck.path',
  'http.services.*.loadBalancer.healthCheck.interval',
  'http.services.*.loadBalancer.responseForwarding.flushInterval',
]);
const named = /^(entryPoints|certificatesResolvers|http\.routers|http\.services)\.[^.]+/;

const read = async (name: string) => parse(await readFile(join(operationsFolder, 'proxies', name), 'utf8'));

function keysOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path];
  const keys = Object.entries(value).flatMap(([key, inner]) => keysOf(inner, path === '' ? key : `${path}.${key}`));
  return keys.length === 0 ? [path] : keys;
}

test('the files for Traefik have only known keys, and match each other', async () => {
  const [fixed, routes] = [await read('traefik.yml'), await read('traefik-waybill.yml')];
  for (const key of [...keysOf(fixed), ...keysOf(routes)])
    assert.ok(known.has(key.replace(named, '$1.*')), `${key} is no key of Traefik`);
  const { rule, entryPoints, service, tls } = routes.http.routers.waybill;
  assert.match(rule, /^Host\(`[a-z.]+`\)$/);
  for (const point of [...entryPoints, fixed.entryPoints.web.http.redirections.entryPoint.to])
    assert.ok(point in fixed.entryPoints, point);
  assert.ok(tls.certResolver in fixed.certificatesResolvers);
  const { loadBalancer } = routes.http.services[service];
  assert.ok(URL.canParse(loadBalancer.servers[0].url));
  // A limit on the whole request would cut large uploads, and buffering would delay answers.
  assert.equal(fixed.entryPoints.websecure.transport.respondingTimeouts.readTimeout, '0s');
  assert.equal(loadBalancer.responseForwarding.flushInterval, '-1ms');
});
