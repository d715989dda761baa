import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onOneEngine } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { browserProving, newPerson, readMessage, sendMessage, tracesOf } from '#test/kit/messages.ts';
import { useApp } from '#test/kit/use-app.ts';

const written = [
  '<p onclick="steal()">Hello <b>Ben</b>,</p><script>steal()</script>',
  '<ul><li>one</li><li><a href="https://quay.example/a" style="x">two</a></li></ul>',
  '<a href="javascript:steal()">three</a><img src="https://evil.example/pixel" onerror="steal()">',
].join('');
const cleaned = [
  '<p>Hello <b>Ben</b>,</p>',
  '<ul><li>one</li><li><a href="https://quay.example/a" rel="noopener noreferrer nofollow">two</a></li></ul>',
  '<span>three</span>',
].join('');
const plain = 'Hello Ben,\n\n- one\n- two (https://quay.example/a)\n\nthree';
const ben = 'ben@harbour.example';

onOneEngine('Formatted messages', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  let alice: ApiClient;
  let plainAlice: ApiClient;
  before(async () => {
    const group = await app.group('Writers', { message_can_use_html: true, message_can_use_anyone: true });
    alice = await newPerson(app, 'alice', { group });
    plainAlice = await newPerson(app, 'plain');
  });

  const pageOf = async (id: string) => (await (await browserProving(app, ben)).get(`/message/${id}`)).text;

  test('are refused in a group without the right, and leave nothing', async () => {
    const earlier = await tracesOf(app);
    await plainAlice.refused(422, 'message.html_not_permitted', 'sendMessage', {
      body: { message: { recipients: [ben], message: '<p>x</p>', message_format: 'html' } },
    });
    await alice.expect(422, 'sendMessage', {
      body: { message: { recipients: [ben], message: 'x', message_format: 'rtf' } },
    });
    assert.deepEqual(await tracesOf(app), earlier);
  });

  test('are refused with more markup than a person writes', async () => {
    const send = (message: string) => ({ body: { message: { recipients: [ben], message } } });
    await alice.refused(422, 'message.too_much_markup', 'sendMessage', send('<b>'.repeat(80_000)));
    await alice.expect(413, 'sendMessage', send('<b>'.repeat(350_000)));
  });

  test('are plain text without the right, or marked as plain', async () => {
    for (const [client, more] of [
      [plainAlice, {}],
      [alice, { message_format: 'plain' }],
    ] as const) {
      const { id } = await sendMessage(client, { recipients: [ben], message: written, send_email: true, ...more });
      const read = await readMessage(client, id);
      assert.deepEqual([read.message, read.message_html], [written, undefined]);
      const page = await pageOf(id);
      assert.ok(page.includes('&lt;script&gt;steal()'));
      assert.doesNotMatch(page, /<b>Ben|<script>steal|onclick="/);
      const [mail] = (await mailbox.postAbout(app, id)).filter(({ to }) => to === ben);
      assert.doesNotMatch(mail!.html, /<b>Ben|<script|<p onclick/);
      assert.match(mail!.text, /<script>steal/);
    }
  });

  test('are cleaned before they are stored, and read as text and as HTML', async () => {
    const { id } = await sendMessage(alice, { recipients: [ben], message: written });
    const read = await readMessage(alice, id);
    assert.equal(read.message_html, cleaned);
    assert.equal(read.message, plain);
    const row = await app.app.ctx.db.read
      .selectFrom('messages')
      .select('html_sealed')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    assert.equal(app.app.ctx.keys.openText('text', row.html_sealed!, `${id}/html`), cleaned);
  });

  test('are shown formatted on the page, without anything that runs, loads or styles', async () => {
    const { id } = await sendMessage(alice, { recipients: [ben], message: written });
    const page = await pageOf(id);
    assert.ok(page.includes(cleaned));
    assert.doesNotMatch(page, /steal|pixel|javascript:/);
  });

  test('are formatted in the HTML of the mail and readable in its text, copy of the sender included', async () => {
    const { id } = await sendMessage(alice, {
      recipients: [ben],
      message: written,
      send_email: true,
      bcc_myself: true,
    });
    const mails = await mailbox.postAbout(app, id);
    assert.deepEqual(mails.map(({ kind }) => kind).sort(), ['copy-to-sender', 'message']);
    for (const mail of mails) {
      assert.ok(mail.html.includes(cleaned), mail.kind);
      assert.doesNotMatch(mail.html, /steal|pixel|javascript:/);
      for (const line of ['> Hello Ben,', '> - two (https://quay.example/a)', '> three'])
        assert.ok(mail.text.includes(line), `${mail.kind}: ${line}`);
      assert.doesNotMatch(mail.text, /<b>|<li>/);
    }
  });

  test('have both forms in the text for callers', async () => {
    const { html, plain: text } = await sendMessage(alice, { recipients: [ben], message: written });
    // In single quotes, which every client can read.
    assert.ok(html.includes(cleaned.replaceAll('"', "'")));
    assert.match(text, /> - one\n/);
    assert.doesNotMatch(html + text, /steal|pixel/);
  });

  test('are plain in the mail if long, and continue behind the link', async () => {
    const message = `<p>${'<b>word</b> '.repeat(1600)}</p>`;
    const { id } = await sendMessage(alice, { recipients: [ben], message, send_email: true });
    const [mail] = (await mailbox.postAbout(app, id)).filter(({ kind }) => kind === 'message');
    assert.doesNotMatch(mail!.html, /<b>word/);
    assert.match(mail!.html, /word word/);
    assert.ok((await pageOf(id)).includes('<b>word</b>'));
  });

  test('are kept out of the mail if private, and are shown after the click', async () => {
    const { id } = await sendMessage(alice, {
      recipients: [ben],
      message: written,
      private_message: true,
      send_email: true,
    });
    for (const mail of await mailbox.postAbout(app, id)) assert.doesNotMatch(mail.html + mail.text, /Hello/);
    const browser = await browserProving(app, ben);
    assert.doesNotMatch((await browser.get(`/message/${id}`)).text, /Hello/);
    assert.ok((await browser.send(`/message/${id}/read`)).text.includes(cleaned));
  });
});
