// What senders, recipients and visitors see while files are checked, and of files that are held.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setScanProgress } from '#server/db/scanning/file-scans.ts';
import { clean, infected } from '#server/lib/scanners/scanner.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { createFakeScanner, fakeScannerEnvironment, scanJob } from '#test/kit/fake-scanner.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { linkTo, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const checking = 'This file is being checked for viruses. It usually takes under a minute.';
const megabyte = 1024 * 1024;

onOneEngine('A file that is being checked', (start) => {
  const app = useApp(start, { environment: fakeScannerEnvironment });
  const fake = createFakeScanner();
  fake.judge = (content) => (content.includes('evil') ? infected('Evil.Test') : clean);
  let alice: ApiClient;
  let scan: () => Promise<string>;
  before(async () => {
    alice = await newPerson(app, 'alice', { group: await app.group('Open', { message_can_use_anyone: true }) });
    scan = scanJob(app, fake);
  });
  const pageOf = async (path: string) => (await new Browser(app.url).get(path)).text;
  const send = (attachments: string[]) =>
    sendMessage(alice, { recipients: ['ben@harbour.example'], subject: 'Plans', authorization: 0, attachments });
  const checksOf = async (id: string) => {
    const { body } = await alice.expect(200, 'getSentMessage', { params: { id } });
    const { message } = body as { message: { files: { filename: string; check: Record<string, unknown> | null }[] } };
    return new Map(message.files.map(({ filename, check }) => [filename, check]));
  };

  test('says so on the page of its message and of its link, with progress once a large file is read', async () => {
    const { id } = await alice.upload('large.bin', new Uint8Array(20 * megabyte));
    const message = await send([id]);
    const link = await linkTo(alice, id);
    for (const path of [`/message/${message.id}`, `/link/${link}`]) {
      const page = await pageOf(path);
      assert.ok(page.includes(checking), path);
      assert.match(page, /data-refreshes/);
      assert.match(page, /Check again/);
    }
    await app.app.ctx.db.write((tx) => setScanProgress(tx, id, 5 * megabyte));
    for (const path of [`/message/${message.id}`, `/link/${link}`])
      assert.match(await pageOf(path), /being checked for viruses: 25\s% done/);
    const waiting = { state: 'waiting', percent: 25, verdict: null, reason: '', signature: '' };
    assert.deepEqual((await checksOf(message.id)).get('large.bin'), waiting);
    await scan();
    for (const path of [`/message/${message.id}`, `/link/${link}`])
      assert.doesNotMatch(await pageOf(path), /being checked|data-refreshes/);
    assert.equal((await checksOf(message.id)).get('large.bin'), null);
  });

  test('is named to its sender with the reason when it is held, and to no recipient', async () => {
    const bad = (await alice.upload('bad.txt', 'evil')).id;
    const good = (await alice.upload('good.txt', 'good')).id;
    const { id } = await send([bad, good]);
    await scan();
    const held = { state: 'held', percent: null, verdict: 'infected', reason: '', signature: 'Evil.Test' };
    const checks = await checksOf(id);
    assert.deepEqual([checks.get('bad.txt'), checks.get('good.txt')], [held, null]);
    const page = await pageOf(`/message/${id}`);
    assert.match(page, /good\.txt/);
    assert.doesNotMatch(page, /bad\.txt/);
  });

  test('is named to the visitor who hands it in, also when it is held', async () => {
    const request = { recipient: 'ben@harbour.example', subject: 'Asked for', send_email: false };
    const { body } = await alice.expect(200, 'createFileRequest', { body: { request } });
    const { id } = (body as { request: { id: string } }).request;
    const ben = new Browser(app.url);
    const sent = await ben.sendFiles(`/requests/${id}`, {}, [
      { name: 'bad.txt', bytes: 'evil too' },
      { name: 'good.txt', bytes: 'good too' },
    ]);
    const path = /\/delivered\/[\w-]+/.exec(sent.text)?.[0] ?? '';
    const before = await pageOf(path);
    assert.equal(before.split(checking).length - 1, 2);
    assert.match(before, /data-refreshes/);
    await scan();
    const after = await pageOf(path);
    assert.match(after, /Not handed over: the virus check found malware in this file\./);
    assert.doesNotMatch(after, /being checked|data-refreshes/);
  });
});
