// The pages for integrators: there for whoever may see the document, complete, and with commands that work.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Endpoint } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import { guideBlocks } from '#server/http/api-docs/guides.ts';
import { type OpenApi, referenceOf } from '#server/http/api-docs/reference.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';
import refusals from '../../locales/en/refusals.json' with { type: 'json' };

const page = async (url: string) => {
  const response = await fetch(url, { headers: { accept: 'text/html' } });
  return { status: response.status, html: await response.text(), headers: response.headers };
};

onOneEngine('the API pages', (start) => {
  const app = useApp(start);
  const ann = usePerson(app, 'ann');

  test('an unknown section is not found', async () => {
    assert.equal((await page(`${app.url}/docs/api/nothing`)).status, 404);
  });

  test('name every call of the contract, with curl, Node, Python and PowerShell', async () => {
    const tags = new Set(Object.values(endpoints).map(({ tag }) => tag));
    let all = '';
    for (const tag of tags) {
      const { status, html } = await page(`${app.url}/docs/api/${tag.toLowerCase().replaceAll(' ', '-')}`);
      assert.equal(status, 200, tag);
      all += html;
    }
    for (const name of Object.keys(endpoints)) assert.ok(all.includes(`id="${name}"`), name);
    const count = Object.keys(endpoints).length;
    for (const language of ['curl', 'Node', 'Python', 'PowerShell'])
      assert.equal(all.split(`<summary>${language}</summary>`).length - 1, count, language);
  });

  test('show bodies that the calls themselves would take', async () => {
    const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as OpenApi;
    const refused: string[] = [];
    for (const { name: tag } of document.tags) {
      let call = '';
      for (const block of referenceOf(document, tag, app.url)) {
        if (block.is === 'heading') call = block.id!;
        if (block.is !== 'examples') continue;
        const { body } = endpoints[call as keyof typeof endpoints] as Endpoint;
        const shown = / -d '([\s\S]*)'$/.exec(block.examples[0]!.code)?.[1];
        assert.equal(shown !== undefined, typeof body === 'object', call);
        if (typeof body !== 'object') continue;
        const result = body.safeParse(JSON.parse(shown!.replaceAll(`'\\''`, "'")));
        if (!result.success) refused.push(`${call}: ${shown} ${result.error.message}`);
      }
    }
    assert.deepEqual(refused, []);
  });

  test('list every code of a refusal with its sentence', async () => {
    const { html } = await page(`${app.url}/docs/api/errors`);
    for (const code of Object.keys(refusals)) assert.ok(html.includes(`<code>${code}</code>`), code);
    assert.ok(!/, plural,|, select,/.test(html));
  });

  test('load nothing from elsewhere and run no script', async () => {
    const { html, headers } = await page(`${app.url}/docs/api`);
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'/);
    assert.ok(!html.includes('<script'));
    for (const [, address] of html.matchAll(/(?:src|href)="([^"]+)"/g)) assert.match(address!, /^(\/|#)/);
  });

  test('explain keys, errors, lost answers and waiting', async () => {
    const { html } = await page(`${app.url}/docs/api`);
    for (const word of ['Authorization: Bearer', 'Idempotency-Key', 'Retry-After', '/openapi.json'])
      assert.ok(html.includes(word), word);
  });

  test('the commands of the guides work as they are', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waybill-guides-'));
    try {
      writeFileSync(join(folder, 'report.pdf'), Buffer.alloc(9_000_000, 'a'));
      const run = promisify(execFile);
      for (const block of guideBlocks(app.url)) {
        if (block.is !== 'examples') continue;
        for (const { language, code } of block.examples) {
          const env = { ...process.env, WAYBILL_API_KEY: ann.key! };
          const { stdout } = await run('bash', ['-euc', code], { cwd: folder, env }).catch((error) =>
            assert.fail(`${language}: ${error.stdout}${error.stderr}`),
          );
          assert.ok(stdout.includes('{"'), `${language}: ${stdout}`);
        }
      }
      const { body } = await ann.expect(200, 'listSent', {});
      assert.equal((body as { sent: unknown[] }).sent.length, 1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('the API pages where the document is closed', () => {
  onOneEngine('switched off', (start) => {
    const app = useApp(start, { environment: { WAYBILL_OPENAPI: 'off' } });
    test('are not there', async () => assert.equal((await page(`${app.url}/docs/api`)).status, 404));
  });
});
