import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openFolderTransport } from './folder.ts';
import { sampleMail, transportSuite } from './transport.suite.ts';

const root = mkdtempSync(join(tmpdir(), 'waybill-mail-'));
after(() => rmSync(root, { recursive: true, force: true }));

transportSuite('a folder', async () => {
  const folder = join(root, 'suite');
  const transport = openFolderTransport(folder);
  return {
    transport,
    received: async () => readdirSync(folder).map((name) => readFileSync(join(folder, name))),
    dispose: () => transport.close(),
  };
});

describe('a folder of mails', () => {
  it('puts a mail off when the folder is gone, and says why', async () => {
    const folder = join(root, 'gone');
    const transport = openFolderTransport(folder);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'a file in its place');
    const result = await transport.send(sampleMail());
    assert.equal(result.outcome, 'deferred');
    assert.match(result.outcome === 'deferred' ? result.reason : '', /^the folder for mails: ENOTDIR/);
  });

  it('makes the folder, for its owner alone', () => {
    const folder = join(root, 'deep', 'mails');
    openFolderTransport(folder);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  });

  it('names files by time and chance, readable by their owner alone, and leaves nothing aside', async () => {
    const folder = join(root, 'names');
    const transport = openFolderTransport(folder);
    chmodSync(folder, 0o700);
    const results = await Promise.all([transport.send(sampleMail()), transport.send(sampleMail())]);
    const names = readdirSync(folder);
    assert.equal(names.length, 2);
    for (const name of names) {
      assert.match(name, /^\d{8}T\d{9}Z-[0-9a-f]{12}\.eml$/);
      assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
      assert.ok(results.some((result) => result.outcome === 'accepted' && result.serverText === `kept as ${name}`));
    }
    assert.equal(transport.isReal, false);
  });
});
