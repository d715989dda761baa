// The client library in every supported version of Node, and in Chromium.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { installSeparately } from '#scripts/separate-packages.ts';
import { repositoryRoot } from '#scripts/source-files.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { buildClient } from '#test/kit/built-client.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const examples = [
  ...readFileSync(join(repositoryRoot, 'docs', 'integrate', 'client.md'), 'utf8').matchAll(
    /^## ([^\n]+)\n[\s\S]*?```js\n([\s\S]*?)```/gm,
  ),
].map(([, title, code]) => ({ title: title!, code: code! }));

onOneEngine('the client library', (start) => {
  const app = useApp(start);
  const ann = usePerson(app, 'ann');
  const content = randomBytes(9_000_000);
  const folder = mkdtempSync(join(tmpdir(), 'waybill-runtimes-'));
  let entry: string;
  let packages: string;
  before(async () => {
    writeFileSync(join(folder, 'report.pdf'), content);
    entry = await buildClient(folder);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    packages = await installSeparately('runtimes');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const major of [20, 22, 24]) {
    test(`its examples work in Node ${major}`, async () => {
      const node = join(packages, `node${major}-${process.arch}`, 'bin', 'node');
      const env = { ...process.env, WAYBILL_SERVER: app.url, WAYBILL_API_KEY: ann.key!, NODE_OPTIONS: '' };
      assert.match((await promisify(execFile)(node, ['--version'])).stdout, new RegExp(`^v${major}\\.`));
      for (const [index, { title, code }] of examples.entries()) {
        const path = join(folder, `${major}-${index}.mjs`);
        writeFileSync(path, code.replace("'waybill/client'", `'${pathToFileURL(entry).href}'`));
        const { stdout } = await promisify(execFile)(node, [path], { cwd: folder, env });
        assert.notEqual(stdout.trim(), '', title);
      }
      assert.deepEqual(readFileSync(join(folder, 'copy.pdf')), content);
    });
  }
});
