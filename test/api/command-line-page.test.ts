import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { installSeparately } from '#scripts/separate-packages.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { tokensOf } from '#test/kit/powershell.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

onOneEngine('/cli', (start) => {
  const app = useApp(start);
  const ann = usePerson(app, 'ann');
  const home = mkdtempSync(join(tmpdir(), 'waybill-cli-page-'));
  after(() => rmSync(home, { recursive: true, force: true }));

  const read = async () => {
    const response = await fetch(`${app.url}/cli`, { headers: { accept: 'text/html' } });
    return { response, html: await response.text() };
  };

  test('has no other file', async () => {
    for (const path of ['/cli/main.js', '/cli/..%2Fcli%2Fmain.js', '/cli/.inputs'])
      assert.equal((await fetch(app.url + path)).status, 404, path);
  });

  test('is a page without script that names the file and its checksum', async () => {
    const { response, html } = await read();
    assert.equal(response.status, 200);
    assert.ok(!html.includes('<script'));
    const [sha256] = (await (await fetch(`${app.url}/cli/SHA256SUMS`)).text()).split(' ');
    assert.match(sha256!, /^[0-9a-f]{64}$/);
    assert.equal(html.split(sha256!).length - 1, 1);
    assert.ok(html.includes(sha256!.toUpperCase()), 'for PowerShell');
  });

  test('its commands for Windows are PowerShell that compares the checksum', async () => {
    const { html } = await read();
    const [sha256] = (await (await fetch(`${app.url}/cli/SHA256SUMS`)).text()).split(' ');
    const example = /<summary>PowerShell<\/summary>[\s\S]*?<code>([\s\S]*?)<\/code>/.exec(html)![1]!;
    const code = example.replaceAll('&quot;', '"').replaceAll('&#x27;', "'").replaceAll('&amp;', '&');
    const tokens = tokensOf(code);
    assert.equal(tokens.filter(({ kind }) => kind === 'end').length, 4);
    assert.ok(tokens.some(({ kind, text }) => kind === 'text' && text === sha256!.toUpperCase()));
  });

  test('its commands for Linux install a program that sends a file, also with Node 20', async () => {
    const { html } = await read();
    const example = /<summary>Linux<\/summary>[\s\S]*?<code>([\s\S]*?)<\/code>/.exec(html)![1]!;
    const lines = example.replaceAll('&amp;', '&').split('\n');
    assert.match(lines.at(-1)!, /^waybill login http/);
    const env = { ...process.env, HOME: home, WAYBILL_SERVER: app.url, WAYBILL_API_KEY: ann.key! };
    const options = { cwd: home, env };
    const installed = await promisify(execFile)('bash', ['-euc', lines.slice(0, -1).join('\n')], options);
    assert.match(installed.stdout, /^waybill\.mjs: OK$/m);
    writeFileSync(join(home, 'report.txt'), 'some text');
    const program = join(home, '.local', 'bin', 'waybill');
    const node20 = join(await installSeparately('runtimes'), `node20-${process.arch}`, 'bin', 'node');
    for (const node of [process.execPath, node20]) {
      // The first line of the file calls `node` by name.
      const folder = mkdtempSync(join(home, 'node-'));
      symlinkSync(node, join(folder, 'node'));
      const path = `${folder}:${dirname('/bin/sh')}:/usr/bin`;
      const args = ['send', 'report.txt', '--to', ann.email, '--subject', 'Report'];
      const { stdout } = await promisify(execFile)(program, args, { cwd: home, env: { ...env, PATH: path } });
      assert.match(stdout, /\/message\//);
    }
  });
});
