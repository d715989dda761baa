// Serves the documentation site; `npm run docs` builds it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { listFiles, repositoryRoot } from '#scripts/source-files.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { useApp } from '#test/kit/use-app.ts';

const site = join(repositoryRoot, 'dist/docs');
const page = (url: string) => fetch(url, { headers: { accept: 'text/html' }, redirect: 'manual' });

onOneEngine('the documentation at /docs', (start) => {
  const app = useApp(start);
  const below = useApp(start, { environment: { WAYBILL_BASE_URL: 'http://localhost:8443/files/' } });

  before(async () => {
    if (!existsSync(join(site, 'index.html')))
      await promisify(execFile)(process.execPath, [join(repositoryRoot, 'scripts', 'docs.ts')]);
  });

  test('says how to build it where it is not built', async () => {
    const aside = `${site}-aside`;
    renameSync(site, aside);
    try {
      const answer = await page(`${app.url}/docs/`);
      assert.equal(answer.status, 404);
      assert.match(await answer.text(), /npm run docs/);
    } finally {
      renameSync(aside, site);
    }
  });

  test('opens without a key, by sections and by pages', async () => {
    assert.equal((await page(`${app.url}/docs`)).headers.get('location'), '/docs/index.html');
    assert.equal((await page(`${app.url}/docs/operate/`)).headers.get('location'), '/docs/operate/index.html');
    for (const path of ['index.html', 'operate/index.html', 'operate/mail', 'operate/mail.html', 'trust/security']) {
      const answer = await page(`${app.url}/docs/${path}`);
      assert.equal(answer.status, 200, path);
      assert.match(await answer.text(), /<h1/, path);
    }
    assert.equal((await page(`${app.url}/docs/api`)).status, 200);
  });

  test('a policy permits its own files only, and no page needs more', async () => {
    const policy = (await page(`${app.url}/docs/index.html`)).headers.get('content-security-policy')!;
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
    for (const path of listFiles(site).filter((name) => name.endsWith('.html'))) {
      const html = readFileSync(join(site, path), 'utf8');
      assert.doesNotMatch(html, /<script(?![^>]* src="\/docs\/)/, path);
      assert.doesNotMatch(html, /<[^<>]* style="/, path);
      assert.doesNotMatch(html, /<(?:script|link|img)[^>]*(?:src|href)="(?:https?:)?\/\//, path);
    }
  });

  test('refuses addresses outside of the site', async () => {
    for (const path of ['nothing', '..%2f..%2fpackage.json', '%2e%2e/server/main.js', '.inputs', 'assets/', 'a%00b'])
      assert.equal((await page(`${app.url}/docs/${path}`)).status, 404, path);
  });

  test('scripts are cached for a year and compressed', async () => {
    const html = await (await page(`${app.url}/docs/index.html`)).text();
    const script = /src="(\/docs\/assets\/app\.[\w-]+\.js)"/.exec(html)![1]!;
    const answer = await fetch(app.url + script, { headers: { 'accept-encoding': 'br' } });
    assert.equal(answer.headers.get('content-encoding'), 'br');
    assert.match(answer.headers.get('cache-control')!, /immutable/);
  });

  test('works below a path', async () => {
    const html = await (await page(`${below.url}/files/docs/index.html`)).text();
    assert.match(html, /src="\/files\/docs\/assets\/app\./);
    assert.doesNotMatch(html, /["(]\/docs\//);
  });
});
