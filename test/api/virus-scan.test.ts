// Files that wait for the virus scanner, with a real clamd.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eicar } from '#server/lib/scanners/self-test.ts';
import { onEachEngine } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { ApiClient } from '#test/kit/client.ts';
import { zipOf } from '#test/kit/deflated-zip.ts';
import { clickDownload } from '#test/kit/downloads.ts';
import { inlineFile, readMessage, sendMessage } from '#test/kit/messages.ts';
import { type Clamd, malware, startClamd } from '#test/kit/servers/clamd.ts';
import { linkTo, newPerson, uploadChunks } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const megabyte = 1024 * 1024;

/** EICAR where clamd has to unpack or decode it. */
const hidden: [name: string, bytes: Uint8Array<ArrayBuffer>][] = [
  ['plain.txt', new Uint8Array(eicar)],
  ['archive.zip', new Uint8Array(zipOf([{ name: 'eicar.com', bytes: eicar }]))],
  [
    'mail.eml',
    new Uint8Array(
      Buffer.from(
        [
          'From: ben@example.com',
          'To: alice@example.com',
          'Subject: Invoice',
          'MIME-Version: 1.0',
          'Content-Type: application/octet-stream; name="invoice.com"',
          'Content-Transfer-Encoding: base64',
          '',
          eicar.toString('base64'),
          '',
        ].join('\r\n'),
      ),
    ),
  ],
];

onEachEngine('A file in front of the virus scanner', (start) => {
  let clamd: Clamd;
  const environment: Record<string, string> = { WAYBILL_ROLE: 'web' };
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

  async function blockedMessageOf(attachmentId: string): Promise<string | null> {
    const { body } = await alice.expect(200, 'listAttachments');
    const { attachments } = body as { attachments: { id: string; content_blocked_message: string | null }[] };
    return attachments.find(({ id }) => id === attachmentId)!.content_blocked_message;
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
    const files = [...hidden.map(([name, bytes]) => inlineFile(name, bytes)), inlineFile('clean.txt', 'clean')];
    const { id } = await sendMessage(alice, { recipients: ['ben@example.com'], subject: 'Two', attachments: files });
    await scan();
    const { attachments } = await readMessage(alice, id);
    assert.deepEqual(
      attachments.map(({ available }) => available),
      [false, false, false, true],
    );
  });

  /** What the owner can fetch of the only message with this subject. */
  async function receivedBy(owner: ApiClient, subject: string): Promise<string[]> {
    const { body } = await owner.expect(200, 'listInbox');
    const { messages } = body as { messages: { id: string; subject: string }[] };
    const [message] = messages.filter((one) => one.subject === subject);
    const names: string[] = [];
    for (const { filename, url } of (await readMessage(owner, message!.id)).attachments) {
      const reply = await owner.fetch(url.slice(owner.url.length));
      if (reply.status === 200) names.push(filename);
      else assert.ok([404, 409, 410].includes(reply.status), `${reply.status}`);
    }
    return names;
  }

  test('an infected file does not leave a drop page, not even to its owner', async () => {
    const { body } = await alice.expect(200, 'getAccount');
    const name = (body as { user: { filedrop_url: string } }).user.filedrop_url.split('/').at(-1)!;
    const drop = await app.anonymous.expect(200, 'getFiledrop', { params: { name } });
    const visitor = new ApiClient(app.url, (drop.body as { filedrop: { api_key: string } }).filedrop.api_key, '');
    const attachments: string[] = [];
    for (const [filename, bytes] of [...hidden, ['clean.txt', Buffer.from('clean')] as const]) {
      const call = { params: { name }, query: { filename }, bytes: new Uint8Array(bytes) };
      const reply = await visitor.expect(200, 'uploadForFiledrop', call);
      attachments.push((reply.body as { attachment: { id: string } }).attachment.id);
    }
    const message = { from: 'sam@elsewhere.example', subject: 'Dropped', attachments };
    await visitor.expect(200, 'submitFiledrop', { params: { name }, body: { message } });
    assert.deepEqual(await receivedBy(alice, 'Dropped'), []);
    await scan();
    assert.deepEqual(await receivedBy(alice, 'Dropped'), ['clean.txt']);
  });

  test('an infected file that was asked for does not leave, not even to the person who asked', async () => {
    const request = { recipient: 'ben@harbour.example', subject: 'Asked for', send_email: false };
    const { body } = await alice.expect(200, 'createFileRequest', { body: { request } });
    const { id } = (body as { request: { id: string } }).request;
    const files = [...hidden, ['clean.txt', new Uint8Array(Buffer.from('clean'))] as const];
    const page = await new Browser(app.url).sendFiles(
      `/requests/${id}`,
      {},
      files.map(([name, bytes]) => ({ name, bytes })),
    );
    assert.equal(page.status, 200);
    assert.deepEqual(await receivedBy(alice, 'Asked for'), []);
    await scan();
    assert.deepEqual(await receivedBy(alice, 'Asked for'), ['clean.txt']);
  });

  test('malware across the border of two chunks of a 300 MB file is found, once clamd accepts files of that size', async () => {
    const cut = 30;
    const chunks = [0, 1, 2].map(() => new Uint8Array(100 * megabyte));
    chunks[0]!.set(eicar.subarray(0, cut), 100 * megabyte - cut);
    chunks[1]!.set(eicar.subarray(cut));
    const id = await uploadChunks(alice, 'disk.img', chunks);
    await scan();
    assert.equal(await isDownloadable(id), false);
    assert.match((await blockedMessageOf(id))!, /too large/);
    const limits = ['StreamMaxLength 400M', 'MaxFileSize 400M', 'MaxScanSize 1000M', 'MaxScanTime 0'];
    await clamd.restart({ options: limits });
    app.clock.advance(60_000);
    await app.restart();
    await scan();
    assert.equal(await isDownloadable(id), false);
    assert.match((await blockedMessageOf(id))!, /Waybill\.Test\.Eicar/);
  });
});
