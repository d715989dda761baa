import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine, type TestApp, testOnce } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { someBytes } from '#test/kit/content.ts';
import { openDownload } from '#test/kit/downloads.ts';
import { linkTo } from '#test/kit/links.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { browserProving, countersOf, inlineFile, newPerson, sendMessage } from '#test/kit/messages.ts';
import { beyondBuffersBytes } from '#test/kit/outside.ts';
import { untilDownloadsEnd } from '#test/kit/sent.ts';

onEachEngine('interrupted downloads', (start) => {
  const mailbox = openMailbox();
  let app: TestApp;
  let alice: ApiClient;
  const content = Buffer.from(someBytes(beyondBuffersBytes));
  /** The large file, which all tests send and link. */
  let attachment: string;
  before(async () => {
    app = await start(mailbox.options);
    const group = await app.group('Senders', { message_can_use_anyone: true, message_can_change_expires_after: true });
    alice = await newPerson(app, 'alice', { group });
    attachment = (await alice.upload('model.zip', new Uint8Array(content))).id;
  });
  after(() => app.close());

  const sendLarge = async (more: Record<string, unknown> = {}) => {
    const { id } = await sendMessage(alice, {
      recipients: ['ben@harbour.example'],
      subject: 'The model',
      attachments: [attachment],
      authorization: 3,
      expires_after: 1,
      ...more,
    });
    return { id, page: `/message/${id}`, press: `/message/${id}/download/${attachment}` };
  };
  /** Reads some bytes, disconnects, and waits until the server has noticed. */
  const breakOff = async (path: string) => {
    const running = await openDownload(app.url, path);
    running.cut();
    await untilDownloadsEnd(app);
  };
  const lines = async (id: string) => {
    const { body } = await alice.expect(200, 'listMessageDownloads', { params: { id } });
    return (body as { downloads: { recipient: string }[] }).downloads.length;
  };
  const usedOf = async (id: string) => [...new Set(Object.values(await countersOf(app, id)))];

  test('can be started again when only one is permitted, to the last byte, and count once', async () => {
    const { id, page, press } = await sendLarge();
    const ben = await browserProving(app, 'ben@harbour.example');
    await breakOff((await ben.submit(press)).location!);
    assert.deepEqual(await usedOf(id), [1]);
    const shown = await ben.get(page);
    assert.match(shown.words, /was interrupted/);
    const again = await ben.submit(press);
    assert.match(again.location!, /^\/dl\//);
    assert.deepEqual((await ben.get(again.location!)).bytes, content);
    assert.deepEqual(await usedOf(id), [1]);
    assert.equal(await lines(id), 1);
    const over = await ben.get(page);
    assert.match(over.words, /No downloads left/);
    assert.doesNotMatch(over.words, /was interrupted/);
  });

  testOnce('belong to the visitor: another one finds the limit used up at the click', async () => {
    const { id, page, press } = await sendLarge({ authorization: 0 });
    const [one, other] = [new Browser(app.url), new Browser(app.url)];
    await breakOff((await one.submit(press)).location!);
    const refused = await other.post(press);
    assert.equal(refused.location, page, 'no ticket, the page instead');
    const shown = await other.get(page);
    assert.match(shown.words, /All permitted downloads have been used.*Ask alice to allow more/);
    assert.match(shown.words, /No downloads left/);
    assert.match(
      shown.text,
      new RegExp(`mailto:alice@[^"]*subject=[^"]*${id}`),
      'the page offers a mail to the sender',
    );
    assert.deepEqual((await one.get((await one.submit(press)).location!)).bytes, content);
    assert.deepEqual(await usedOf(id), [1]);
  });

  testOnce('serve no more than twice the file over all clicks', async () => {
    const { press, page } = await sendLarge();
    const ben = await browserProving(app, 'ben@harbour.example');
    const first = (await ben.submit(press)).location!;
    await breakOff(first);
    const second = (await ben.submit(press)).location!;
    assert.equal((await ben.get(first)).status, 410, 'the earlier address is used up');
    assert.deepEqual((await ben.get(second)).bytes, content);
    assert.equal((await ben.post(press)).location, page);
  });

  testOnce('of a link are one entry of its log', async () => {
    const link = await linkTo(alice, attachment);
    const guest = new Browser(app.url);
    await breakOff((await guest.submit(`/link/${link.id}/download`)).location!);
    const again = (await guest.submit(`/link/${link.id}/download`)).location!;
    assert.deepEqual((await guest.get(again)).bytes, content);
    const { body } = await alice.expect(200, 'listLinkDownloads', { params: { id: link.id } });
    assert.equal((body as { downloads: unknown[] }).downloads.length, 1);
  });

  test('of all files together continue as the same archive', async () => {
    const { id } = await sendMessage(alice, {
      recipients: ['ben@harbour.example'],
      subject: 'Two files',
      attachments: [attachment, inlineFile('a.txt', 'a')],
      authorization: 3,
      expires_after: 1,
    });
    const ben = await browserProving(app, 'ben@harbour.example');
    await breakOff((await ben.submit(`/message/${id}/download`)).location!);
    const again = (await ben.submit(`/message/${id}/download`)).location!;
    assert.match(again, /^\/dl\//);
    const archive = await ben.get(again);
    assert.ok(archive.bytes.length > content.length);
    assert.deepEqual(await usedOf(id), [1]);
    assert.equal(await lines(id), 2);
  });
});
