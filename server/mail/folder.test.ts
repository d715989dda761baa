import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { watchSyncs } from '#test/kit/syncs.ts';
import { openFolderTransport, prune } from './folder.ts';
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
  it('defers a mail with the reason if the folder is missing', async () => {
    const folder = join(root, 'gone');
    const transport = openFolderTransport(folder);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'a file in its place');
    const result = await transport.send(sampleMail());
    assert.equal(result.outcome, 'deferred');
    assert.match(result.outcome === 'deferred' ? result.reason : '', /^the folder for mails: ENOTDIR/);
  });

  it('creates the folder for its owner only', () => {
    const folder = join(root, 'deep', 'mails');
    openFolderTransport(folder);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  });

  it('keeps the mails of thirty days, at most ten thousand, and leaves other files alone', async () => {
    const folder = join(root, 'old');
    openFolderTransport(folder);
    const name = (stamp: string, number: number) => `${stamp}-${number.toString(16).padStart(12, '0')}.eml`;
    const kept = [name('20261017T090000001Z', 0), 'notes.eml', name('20261116T090000000Z', 1)];
    for (const file of [...kept, name('20261017T085959999Z', 2), name('20250101T000000000Z', 3)])
      writeFileSync(join(folder, file), '');
    await prune(folder, new Date(Date.UTC(2026, 10, 16, 9)));
    assert.deepEqual(readdirSync(folder).sort(), [...kept].sort());
    for (let number = 0; number < 10_000; number++)
      writeFileSync(join(folder, name('20261116T090000001Z', number)), '');
    await prune(folder, new Date(Date.UTC(2026, 10, 16, 9)));
    const left = readdirSync(folder);
    assert.equal(left.length, 10_001);
    assert.ok(left.includes('notes.eml') && !left.includes(kept[0]!) && !left.includes(kept[2]!));
  });

  it('accepts a mail once its bytes and its name are durable', async (t) => {
    const transport = openFolderTransport(join(root, 'durable'));
    const synced = await watchSyncs(t);
    assert.equal((await transport.send(sampleMail())).outcome, 'accepted');
    assert.deepEqual(synced, ['file', 'folder']);
  });

  it('names files by time and random letters, readable by their owner only, and leaves no temporary file', async () => {
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

  it('removes old mails with the first mail, and on request the mails that name a person', async () => {
    const folder = join(root, 'removed');
    const transport = openFolderTransport(folder);
    const old = '20200101T000000000Z-000000000000.eml';
    writeFileSync(join(folder, old), '');
    await transport.send(sampleMail());
    assert.ok(!readdirSync(folder).includes(old));
    const named = '20991231T000000000Z-000000000001.eml';
    writeFileSync(join(folder, named), 'To: forgotten@harbour.example\r\n\r\nHello.');
    await transport.forget!(['forgotten@harbour.example']);
    assert.equal(readdirSync(folder).length, 1);
    assert.ok(!readdirSync(folder).includes(named));
  });

  it('leaves nothing of a mail that could not be stored', async (t) => {
    const folder = join(root, 'failing');
    const transport = openFolderTransport(folder);
    const handle = await open(folder, 'r');
    await handle.close();
    t.mock.method(Object.getPrototypeOf(handle) as FileHandle, 'sync', () => Promise.reject(new Error('no room')));
    assert.deepEqual(await transport.send(sampleMail()), {
      outcome: 'deferred',
      reason: 'the folder for mails: no room',
    });
    assert.deepEqual(readdirSync(folder), []);
  });
});
