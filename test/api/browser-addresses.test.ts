import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { engines } from '#test/kit/engines.ts';

/** Documents for programs, probes, the command line, and files of the app and of pages. */
const otherThanPages =
  /^\/(scim\/v2|openapi|healthz|readyz|metrics|robots\.txt|favicon|assets\/|branding\/|app\/assets|cli\/(waybill\.mjs|SHA256SUMS)$)/;

describe('an address opened in a browser', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp(engines[0]!);
  });
  after(() => app.close());

  test('shows a page, or leads to one', async () => {
    const paths = new Set(app.app.routes.map(({ path }) => path.replace(/:\w+/g, 'x').replace('*', 'x')));
    const wrong: string[] = [];
    for (const path of [...paths].filter((one) => !otherThanPages.test(one))) {
      const browser = new Browser(app.url);
      let reply = await browser.get(path);
      for (let hops = 0; reply.location !== null && hops < 3; hops++)
        reply = await browser.get(new URL(reply.location, app.url).pathname);
      const type = reply.headers.get('content-type') ?? '';
      if (!type.startsWith('text/html') || reply.status >= 500) wrong.push(`${path}: ${reply.status} ${type}`);
    }
    assert.deepEqual(wrong, []);
  });

  test('that only accepts a form leads to the page with the form', async () => {
    const browser = new Browser(app.url);
    const id = 'A'.repeat(22);
    for (const [path, page] of [
      [`/message/${id}/read`, `/message/${id}`],
      [`/message/${id}/download`, `/message/${id}`],
      [`/link/${id}/password`, `/link/${id}`],
      [`/requests/${id}/attachments/upload`, `/requests/${id}`],
      ['/verify/code', '/verify'],
      ['/language', '/'],
    ] as const)
      assert.equal((await browser.get(path)).location, page, path);
  });

  test('of an API call says that it is for programs, and programs still get JSON', async () => {
    const page = await new Browser(app.url).get('/account');
    assert.equal(page.status, 401);
    assert.match(page.words, /This address is for programs/);
    for (const accept of ['*/*', 'application/json']) {
      const reply = await fetch(`${app.url}/account`, { headers: { accept } });
      assert.equal(reply.status, 401);
      assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
    }
  });
});
