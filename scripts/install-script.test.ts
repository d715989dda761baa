// packaging/install.sh with a server on this machine: what it refuses leaves nothing installed.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { repositoryRoot } from './source-files.ts';

const script = join(repositoryRoot, 'packaging', 'install.sh');
const name = `waybill-server-linux-${process.arch}`;
const program = '#!/bin/sh\necho started "$@"\n';
const sumOf = (text: string) => createHash('sha256').update(text).digest('hex');

describe('install.sh', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-install-script-'));
  let server: Server;
  let address: string;
  before(async () => {
    server = createServer((request, answer) => {
      readFile(join(folder, request.url!)).then(
        (bytes) => answer.end(bytes),
        () => answer.writeHead(404).end(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const release = (label: string, sums: string) => {
    mkdirSync(join(folder, label));
    writeFileSync(join(folder, label, name), program);
    writeFileSync(join(folder, label, 'SHA256SUMS'), sums);
    return `${address}/${label}`;
  };
  const install = (label: string, ...args: string[]) => {
    const to = join(folder, 'installed', label);
    return new Promise<{ code: number; output: string; to: string }>((resolve) => {
      const child = execFile('sh', [script, '--to', to, ...args], (_error, output, errors) =>
        resolve({ code: child.exitCode ?? -1, output: output + errors, to }),
      );
      child.stdin!.end();
    });
  };

  test('refuses a file with another checksum', async () => {
    const from = release('replaced', `${sumOf('other')}  ${name}\n`);
    const { code, output, to } = await install('replaced', '--yes', from);
    assert.equal(code, 1);
    assert.match(output, /it is damaged or was replaced\. Nothing was installed/);
    assert.equal(existsSync(to), false);
  });

  test('refuses a file that the checksums do not name', async () => {
    const from = release('unnamed', `${sumOf(program)}  ${name}.sig\nabc  ${name}\n`);
    const { code, output, to } = await install('unnamed', '--yes', from);
    assert.equal(code, 1);
    assert.match(output, /SHA256SUMS does not name waybill-server-linux/);
    assert.equal(existsSync(to), false);
  });

  test('refuses addresses without encryption, missing files and unknown options', async () => {
    for (const [args, sentence] of [
      [['--yes', 'http://files.example.com/0.1.0'], /only https:\/\//],
      [['--yes', `${address}/nothing`], /cannot download/],
      [['--yes', join(folder, 'nothing')], /cannot read/],
      [['--now', address], /no option --now/],
      [[], /usage:/],
    ] as const) {
      const { code, output, to } = await install('refused', ...args);
      assert.equal(code, 1, output);
      assert.match(output, sentence);
      assert.equal(existsSync(to), false);
    }
  });

  test('writes nothing without an answer', async () => {
    const from = release('asked', `${sumOf(program)}  ${name}\n`);
    const { code, output, to } = await install('asked', from);
    assert.equal(code, 1);
    assert.match(output, /no terminal to ask: run it with --yes/);
    assert.equal(existsSync(to), false);
  });

  test('installs from an address or a folder, shows the checksum and starts nothing', async () => {
    const from = release('right', `${sumOf('x')}  other\n${sumOf(program)} *${name}\n`);
    for (const [label, place] of [
      ['address', from],
      ['folder', join(folder, 'right/')],
    ] as const) {
      const { code, output, to } = await install(label, '--yes', place);
      assert.equal(code, 0, output);
      assert.match(output, new RegExp(sumOf(program)));
      assert.doesNotMatch(output, /^started/m);
      assert.equal(await readFile(join(to, 'waybill-server'), 'utf8'), program);
      assert.equal(readlinkSync(join(to, 'waybill')), 'waybill-server');
    }
  });
});
