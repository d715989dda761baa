import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpDeps } from '../deps.ts';
import { createRouter, type Router } from './router.ts';

const answerer = async () => {};

function someRouter(): Router {
  const deps = { ctx: { log: null }, baseUrl: new URL('https://files.example.com') } as unknown as HttpDeps;
  const router = createRouter(deps, { refuse: answerer, requireOpen: answerer });
  router.page('GET', '/link/:id', answerer);
  router.api('GET', '/link/:id', answerer);
  router.page('POST', '/link/:id/download', answerer);
  router.api('DELETE', '/link/:id', answerer);
  router.api('GET', '/account', answerer);
  router.page('GET', '/app/*', answerer);
  router.page('GET', '/a.b', answerer);
  return router;
}

test('a page and a call may share a path; two pages or two calls may not', () => {
  const router = someRouter();
  assert.throws(() => router.page('GET', '/link/:id', answerer), /GET \/link\/:id is answered twice/);
  assert.throws(() => router.api('GET', '/account', answerer), /answered twice/);
  router.page('GET', '/account', answerer);
  assert.deepEqual(
    router.list().filter(({ path }) => path === '/account' || path === '/link/:id'),
    [
      { method: 'GET', path: '/link/:id', kinds: ['page', 'api'] },
      { method: 'DELETE', path: '/link/:id', kinds: ['api'] },
      { method: 'GET', path: '/account', kinds: ['api', 'page'] },
    ],
  );
});

test('each method of a path is listed once, and a path has no more segments than its pattern', () => {
  const router = someRouter();
  assert.deepEqual(router.methodsAt('/link/abc'), ['GET', 'DELETE']);
  assert.deepEqual(router.methodsAt('/link/abc/download'), ['POST']);
  assert.deepEqual(router.methodsAt('/link/abc/def/download'), []);
  assert.deepEqual(router.methodsAt('/link/'), []);
  assert.deepEqual(router.methodsAt('/app/sent/1'), ['GET']);
  assert.deepEqual([router.methodsAt('/a.b'), router.methodsAt('/axb')], [['GET'], []]);
});

test('the nearest page is the path itself, one above it, or the front page', () => {
  const router = someRouter();
  assert.equal(router.nearestPage('/link/abc'), '/link/abc');
  assert.equal(router.nearestPage('/link/abc/download'), '/link/abc');
  assert.equal(router.nearestPage('/account'), '/', 'a call is no page');
  assert.equal(router.nearestPage('/nothing/here'), '/');
});
