import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
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

function languageOf(agent: string): string {
  if (agent.startsWith('curl')) return 'curl';
  return agent.startsWith('Python') ? 'python' : 'node';
}

function writeExample(folder: string, call: string, language: string, code: string): void {
  const endings: Record<string, string> = {
    curl: 'sh',
    'curl, Basic': 'sh',
    Node: 'mjs',
    Python: 'py',
    PowerShell: 'ps1',
  };
  writeFileSync(join(folder, `${call}.${language}.${endings[language]}`), `${code}\n`);
  if (language === 'Node') assert.doesNotThrow(() => stripTypeScriptTypes(code), call);
}

onOneEngine('the API pages', (start) => {
  const app = useApp(start);
  const ann = usePerson(app, 'ann');
  const eva = usePerson(app, 'eva');

  test('an unknown section is not found', async () => {
    assert.equal((await page(`${app.url}/docs/api/nothing`)).status, 404);
  });

  test('list every call of the contract, with curl, Node, Python and PowerShell', async () => {
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

  test('show every value that a field can have, including an empty one', async () => {
    const { html } = await page(`${app.url}/docs/api/account`);
    assert.ok(html.includes('api_key_expires_at'));
    assert.ok(!html.includes('<code></code>'));
  });

  test('show bodies that the calls accept', async () => {
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
        assert.doesNotMatch(shown!, /: ?false/, `${call}: an example switches something on`);
        const result = body.safeParse(JSON.parse(shown!.replaceAll(`'\\''`, "'")));
        if (!result.success) refused.push(`${call}: ${shown} ${result.error.message}`);
      }
    }
    assert.deepEqual(refused, []);
  });

  test('show programs that their interpreters accept and that work', async () => {
    const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as OpenApi;
    const examples = document.tags.flatMap(({ name }) => referenceOf(document, name, app.url));
    const folder = mkdtempSync(join(tmpdir(), 'waybill-examples-'));
    try {
      writeFileSync(join(folder, 'report.pdf'), 'some bytes');
      let call = '';
      for (const block of examples) {
        if (block.is === 'heading') call = block.id!;
        if (block.is !== 'examples') continue;
        for (const { language, code } of block.examples) writeExample(folder, call, language, code);
      }
      const run = async (command: string, ...args: string[]) => {
        const env = { ...process.env, WAYBILL_API_KEY: eva.key! };
        const ran = promisify(execFile)(command, args, { cwd: folder, env });
        return (await ran.catch((error) => assert.fail(`${args}: ${error.stdout}${error.stderr}`))).stdout;
      };
      await run('bash', '-c', 'cat *.sh > all && bash -n all');
      await run(
        'python3',
        '-c',
        'import glob; [compile(open(name).read(), name, "exec") for name in glob.glob("*.py")]',
      );
      // One call that reads, one that uploads a file and one that sends JSON, in every installed language.
      const { id } = JSON.parse(await run('bash', '-eu', 'uploadForMessage.curl.sh')).attachment;
      for (const [command, ending] of [
        ['bash', 'curl.sh'],
        ['bash', 'curl, Basic.sh'],
        [process.execPath, 'Node.mjs'],
        ['python3', 'Python.py'],
      ] as const) {
        assert.equal(JSON.parse(await run(command, `getAccount.${ending}`)).user.email, eva.email);
        assert.equal(JSON.parse(await run(command, `uploadForMessage.${ending}`)).attachment.size, 10);
        const sending = `sendMessage.${ending}`;
        const code = readFileSync(join(folder, sending), 'utf8').replace('ATTACHMENT_ID', id);
        writeFileSync(join(folder, sending), code);
        assert.match(JSON.parse(await run(command, sending)).message.url, /\/message\//);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('show programs that make the same request in curl, Node and Python, for every call', async () => {
    const seen: { language: string; request: string }[] = [];
    const stub = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { method, url, headers } = request;
      const body = Buffer.concat(chunks).toString();
      const isJson = headers['content-type'] === 'application/json';
      const key = headers.authorization?.replace(/^Basic .*/, `Bearer ${eva.key}`);
      const made = { method, url, key, type: headers['content-type'], body: isJson ? JSON.parse(body) : body };
      seen.push({ language: languageOf(headers['user-agent'] ?? ''), request: JSON.stringify(made) });
      response.end('{}');
    });
    await new Promise<void>((resolve) => void stub.listen(0, '127.0.0.1', resolve));
    const folder = mkdtempSync(join(tmpdir(), 'waybill-samples-'));
    try {
      const { port } = stub.address() as AddressInfo;
      const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as OpenApi;
      writeFileSync(join(folder, 'report.pdf'), 'some bytes');
      const calls: string[] = [];
      for (const block of document.tags.flatMap(({ name }) =>
        referenceOf(document, name, `http://127.0.0.1:${port}`),
      )) {
        if (block.is === 'heading') calls.push(block.id!);
        if (block.is !== 'examples') continue;
        for (const { language, code } of block.examples) {
          const number = String(calls.length).padStart(4, '0');
          writeExample(folder, `${number}.${calls.at(-1)}`, language, code);
        }
      }
      const env = { ...process.env, WAYBILL_API_KEY: eva.key! };
      const run = (program: string, ...args: string[]) =>
        promisify(execFile)(program, args, { cwd: folder, env, maxBuffer: 1 << 26 });
      await run('bash', '-ec', 'for file in *.curl.sh; do bash -eu "$file" > /dev/null; done');
      const paths = `(await import('node:fs')).globSync('*.Node.mjs').sort()`;
      await run(process.execPath, '-e', `for (const path of ${paths}) await import(process.cwd() + '/' + path)`);
      const execute = 'exec(compile(open(name).read(), name, "exec"), {})';
      await run('python3', '-c', `import glob\nfor name in sorted(glob.glob("*.py")): ${execute}`);
      for (const language of ['curl', 'node', 'python']) {
        const made = seen.filter((one) => one.language === language).map(({ request }) => request);
        const wanted = seen.filter((one) => one.language === 'curl').map(({ request }) => request);
        assert.equal(made.length, Object.keys(endpoints).length, language);
        for (const [index, request] of made.entries())
          assert.equal(request, wanted[index], `${calls[index]}: ${language}`);
      }
    } finally {
      stub.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('list every refusal code with its sentence, and what to do by status', async () => {
    const { html } = await page(`${app.url}/docs/api/errors`);
    for (const code of Object.keys(refusals)) assert.ok(html.includes(`<code>${code}</code>`), code);
    assert.ok(!/, plural,|, select,/.test(html));
    for (const status of ['401', '404', '422', '429', '500', '503', '507'])
      assert.match(html, new RegExp(`<code>${status}</code></td><td>[A-Z]`), `what to do about ${status}`);
  });

  test('load nothing from other origins and run no script', async () => {
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

  test('contain only commands that work unchanged', async () => {
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

describe('API pages whose document is not public', () => {
  onOneEngine('switched off', (start) => {
    const app = useApp(start, { environment: { WAYBILL_OPENAPI: 'off' } });
    test('are not found', async () => assert.equal((await page(`${app.url}/docs/api`)).status, 404));
  });
});
