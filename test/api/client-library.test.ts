import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { repositoryRoot } from '#scripts/source-files.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { buildClient } from '#test/kit/built-client.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';
import { connect } from '../../client/waybill.ts';
import manifest from '../../package.json' with { type: 'json' };

const page = readFileSync(join(repositoryRoot, 'docs', 'integrate', 'client.md'), 'utf8');
const examples = [...page.matchAll(/^## ([^\n]+)\n[\s\S]*?```js\n([\s\S]*?)```/gm)].map(([, title, code]) => ({
  title: title!,
  code: code!,
}));

onOneEngine('the client library', (start) => {
  const app = useApp(start);
  const ann = usePerson(app, 'ann');
  const content = randomBytes(9_000_000);
  const folder = mkdtempSync(join(tmpdir(), 'waybill-client-'));
  let entry: string;
  before(async () => {
    writeFileSync(join(folder, 'report.pdf'), content);
    entry = await buildClient(folder);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const library = () => connect({ server: `${app.url}/`, apiKey: ann.key! });

  test('a wrong key and a file that may not be sent are refused with their sentences', async () => {
    const stranger = connect({ server: app.url, apiKey: 'wrong' });
    await assert.rejects(stranger.calls.getAccount(), { status: 401 });
    // @ts-expect-error: the types require the parameters of the path
    await assert.rejects(stranger.calls.getMessage({}));
    await assert.rejects(stranger.upload(new Blob(['x']), { name: 'a.txt' }), { name: 'UploadRefused' });
    await assert.rejects(library().upload(new Blob(['MZ']), { name: 'a.exe' }), {
      name: 'UploadRefused',
      message: /exe/,
    });
    await assert.rejects(async () => library().upload(new Blob(['x'])), TypeError);
  });

  test('is one file that loads nothing else, and the entry of the package', () => {
    const code = readFileSync(entry, 'utf8');
    assert.doesNotMatch(code, /^import |\bimport\(|\brequire\(/m);
    assert.deepEqual(manifest.exports['./client'], {
      types: './dist/client/types/client/waybill.d.ts',
      default: './dist/client/waybill.js',
    });
  });

  test('the page has an example for each of its statements', () => {
    assert.deepEqual(
      examples.map(({ title }) => title),
      ['Send a file', 'Stop and resume an upload', 'Download a file', 'Refusals'],
    );
  });

  for (const { title, code } of examples) {
    test(`the example "${title}" works unchanged`, async () => {
      const path = join(folder, `${createHash('sha256').update(title).digest('hex').slice(0, 8)}.mjs`);
      writeFileSync(path, code.replace("'waybill/client'", `'${pathToFileURL(entry).href}'`));
      const env = { ...process.env, WAYBILL_SERVER: app.url, WAYBILL_API_KEY: ann.key! };
      const { stdout } = await promisify(execFile)(process.execPath, [path], { cwd: folder, env });
      assert.notEqual(stdout.trim(), '');
      if (title === 'Download a file') assert.deepEqual(readFileSync(join(folder, 'copy.pdf')), content);
      if (title === 'Refusals') assert.equal(stdout, '422 message.bad_recipient\n');
    });
  }

  test('a download in Node ends with an error when its bytes do not match', async () => {
    const lying: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (!String(input).includes('/message/')) return response;
      const headers = new Headers(response.headers);
      headers.set('repr-digest', `sha-256=:${Buffer.alloc(32).toString('base64')}:`);
      return new Response(response.body, { status: response.status, headers });
    };
    const waybill = connect({ server: app.url, apiKey: ann.key!, fetch: lying });
    const id = await waybill.upload(new Blob(['hello']), { name: 'hello.txt' });
    const { message } = (await waybill.calls.sendMessage({
      body: { message: { recipients: [ann.email], subject: 'Hello', attachments: [id] } },
    })) as { message: { id: string } };
    const { message: read } = await library().calls.getMessage({ params: { id: message.id } });
    const reading = new Response(waybill.download(read.attachments[0]!.url)).text();
    await assert.rejects(reading, { name: 'ChecksumMismatch' });
    assert.equal(await new Response(library().download(read.attachments[0]!.url)).text(), 'hello');
  });
});
