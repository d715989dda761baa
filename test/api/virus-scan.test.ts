// Files that wait for the virus scanner, with a real clamd.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { clickDownload } from '#test/kit/downloads.ts';
import { inlineFile, readMessage, sendMessage } from '#test/kit/messages.ts';
import { type Clamd, malware, startClamd } from '#test/kit/servers/clamd.ts';
import { linkTo, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

onEachEngine('A file in front of the virus scanner', (start) => {
  let clamd: Clamd;
  const environment: Record<string, string> = { WAYBILL_ROLE: 'web', WAYBILL_SCANNER_TIMEOUT: '5s' };
  before(async () => {
    clamd = await startClamd();
    environment.WAYBILL_SCANNER = clamd.address;
  });
  after(() => clamd.stop());
  const app = useApp(start, { environment });
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });
  const scan = () => app.app.jobs.runOnce('scan-files');

  async function isDownloadable(attachmentId: string): Promise<boolean> {
    const link = await linkTo(alice, attachmentId);
    return (await clickDownload(app.url, link)).path !== null;
  }

  test('a clean file leaves only after its verdict', async () => {
    const { id, available } = await alice.upload('clean.txt', 'Nothing to see.');
    assert.equal(available, false);
    assert.equal(await isDownloadable(id), false);
    await scan();
    assert.equal(await isDownloadable(id), true);
  });

  test('an infected file never leaves', async () => {
    const { id } = await alice.upload('bad.txt', `before ${malware} after`);
    await scan();
    assert.equal(await isDownloadable(id), false);
    await scan();
    assert.equal(await isDownloadable(id), false);
  });

  test('an infected file inside a request does not leave, and a clean one beside it does', async () => {
    const files = [inlineFile('bad.txt', malware), inlineFile('clean.txt', 'clean')];
    const { id } = await sendMessage(alice, { recipients: ['ben@example.com'], subject: 'Two', attachments: files });
    await scan();
    const { attachments } = await readMessage(alice, id);
    assert.deepEqual(
      attachments.map(({ available }) => available),
      [false, true],
    );
  });
});
