// Files that wait for a real ICAP server: c-icap in front of clamd.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eicar, encryptedZip } from '#server/lib/scanners/self-test.ts';
import { onOneEngine } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { clickDownload } from '#test/kit/downloads.ts';
import { type CIcap, startCIcap } from '#test/kit/servers/c-icap.ts';
import { malware } from '#test/kit/servers/clamd.ts';
import { linkTo, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

onOneEngine('A file in front of an ICAP server', (start) => {
  let icap: CIcap;
  const environment: Record<string, string> = { WAYBILL_ROLE: 'web', WAYBILL_SCANNER_TIMEOUT: '5s' };
  before(async () => {
    icap = await startCIcap();
    environment.WAYBILL_SCANNER = icap.address;
  });
  after(() => icap.remove());
  const app = useApp(start, { environment });
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });
  const scan = () => app.app.jobs.runOnce('scan-files');
  const upload = async (content: string | Uint8Array<ArrayBuffer>) => (await alice.upload('file.bin', content)).id;
  const isDownloadable = async (id: string) => (await clickDownload(app.url, await linkTo(alice, id))).path !== null;
  const blockedMessageOf = async (id: string) => {
    const { body } = await alice.expect(200, 'listAttachments');
    const { attachments } = body as { attachments: { id: string; content_blocked_message: string | null }[] };
    return attachments.find((file) => file.id === id)!.content_blocked_message;
  };

  test('an infected file never leaves, and a clean one does after its verdict', async () => {
    const [bad, large, good] = [
      await upload(new Uint8Array(eicar)),
      await upload(new Uint8Array(Buffer.concat([Buffer.alloc(5_000_000, 65), Buffer.from(malware)]))),
      await upload(new Uint8Array(Buffer.alloc(5_000_000, 66))),
    ];
    assert.equal(await isDownloadable(good), false);
    await scan();
    assert.deepEqual(
      [await isDownloadable(bad), await isDownloadable(large), await isDownloadable(good)],
      [false, false, true],
    );
    assert.match((await blockedMessageOf(bad))!, /Waybill\.Test\.Eicar/);
  });

  test('a file that the server passes without reading all of it is not clean', async () => {
    const image = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(10_000, 65)]);
    const id = await upload(new Uint8Array(image));
    await scan();
    assert.equal(await isDownloadable(id), false);
    assert.match((await blockedMessageOf(id))!, /did not read all of it/);
  });

  test('an encrypted archive is not clean, although the server passes it', async () => {
    const id = await upload(new Uint8Array(encryptedZip));
    await scan();
    assert.match((await blockedMessageOf(id))!, /encrypted/);
  });

  test('a server that stops releases nothing, and scans what waits when it starts again', async () => {
    await icap.stop();
    const id = await upload('waits for the server');
    assert.match((await scan())!, /does not answer/);
    assert.equal(await isDownloadable(id), false);
    await icap.start();
    await scan();
    assert.equal(await isDownloadable(id), true);
  });

  test('a server whose engine is gone gives no verdict, although it answers', async () => {
    await icap.clamd.stop();
    const id = await upload('nobody can scan this');
    await scan();
    assert.equal(await isDownloadable(id), false);
  });
});
