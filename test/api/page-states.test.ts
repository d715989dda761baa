import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { fileRequestAnswer } from '#contract/file-requests.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { codeIn, openMailbox } from '#test/kit/mailbox.ts';
import { browserOf, browserProving, inlineFile, newPerson, sendMessage } from '#test/kit/messages.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const password = 'seven lamps under a quiet river';
const ben = 'ben@harbour.example';
const day = 86_400_000;

onOneEngine('A page', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice', { password });
  });

  const send = async (names: string[], more: Record<string, unknown> = {}): Promise<string> => {
    const attachments = names.map((name) => inlineFile(name, 'the plan'));
    const fields = { recipients: [ben], subject: 'Plans of the pier', authorization: 3, send_email: false };
    return (await sendMessage(alice, { ...fields, attachments, ...more })).id;
  };

  test('of a message offers all files together if there are several, and mentions no download that never began', async () => {
    const browser = await browserProving(app, ben);
    for (const [names, offersAll] of [
      [[], false],
      [['plan.txt'], false],
      [['plan.txt', 'map.txt'], true],
    ] as const) {
      const id = await send([...names], { message: 'x' });
      const page = await browser.get(`/message/${id}`);
      assert.equal(page.text.includes(`action="/message/${id}/download"`), offersAll, String(names));
      // The script inserts the templates, so they are not visible yet.
      const shown = page.text.replace(/<template.*?<\/template>/gs, '');
      assert.doesNotMatch(shown, /data-mark="started"|data-interrupted/);
    }
  });

  test('that asks for a code says who may open the message and which address gets a code, at each access level', async () => {
    const pages = [
      [1, 'Confirm an e-mail address to open this file. alice will see which address you used.', 'Any address where'],
      [2, 'This file is for the recipients and people at', 'People at .* sign in instead'],
      [3, 'alice chose to share this file with certain people only', 'The address the file was sent to'],
      [
        4,
        'This file is for the recipients and their colleagues',
        'Colleagues use their own address at the same domain',
      ],
    ] as const;
    for (const [authorization, why, help] of pages) {
      const id = await send(['plan.txt'], { authorization });
      for (const path of [`/message/${id}`, `/verify/other?target=message:${id}`]) {
        const { words } = await new Browser(app.url).get(path);
        assert.match(words, new RegExp(why), path);
        assert.match(words, new RegExp(help), path);
        assert.equal(words.includes('certain people only'), authorization === 3, path);
      }
    }
  });

  test('names no colleagues where all recipients are at public providers', async () => {
    const zoe = 'zoe@gmail.com';
    const id = await send(['plan.txt'], { authorization: 4, recipients: [zoe] });
    const { words } = await new Browser(app.url).get(`/message/${id}`);
    assert.match(words, /certain people only/);
    assert.doesNotMatch(words, /olleagues/);
    assert.match((await (await browserProving(app, zoe)).get(`/message/${id}`)).words, /Only you/);
  });

  test('of a message without files that is over, or not for the visitor, speaks of the message', async () => {
    const id = await send([], { message: 'x' });
    const browser = await browserProving(app, 'cleo@harbour.example');
    assert.match((await browser.get(`/message/${id}`)).words, /The sender chose who can open this message/);
    await alice.expect(200, 'revokeMessage', { params: { id }, body: {} });
    assert.match((await browser.get(`/message/${id}`)).words, /The sender stopped sharing this message/);
  });

  test('of a message says "only you" to the only recipient, and to no one if there is a blind copy', async () => {
    for (const [more, says] of [
      [{}, 'Only you'],
      [{ cc: ['cleo@harbour.example'] }, 'Only the recipients'],
      [{ bcc: ['cleo@harbour.example'] }, 'Only the recipients'],
      [{ authorization: 2 }, 'You and people at'],
      [{ authorization: 4 }, 'You and your colleagues'],
      [{ authorization: 4, recipients: ['cleo@harbour.example'] }, 'The recipients and their colleagues'],
    ] as const) {
      const page = await (await browserProving(app, ben)).get(`/message/${await send(['plan.txt'], more)}`);
      assert.ok(page.words.includes(says), `${says}: ${page.words}`);
      assert.doesNotMatch(page.words, /other recipients/);
    }
  });

  test('of a message shows its sender, and no one else, that recipients see it like this', async () => {
    const id = await send(['plan.txt']);
    const words = async (browser: Browser) => (await browser.get(`/message/${id}`)).words;
    const [own, others] = [await browserOf(app, alice.email, password), await browserProving(app, ben)];
    assert.match(await words(own), /This is what recipients see/);
    assert.match(await words(others), /plan\.txt/);
    assert.doesNotMatch(await words(others), /This is what recipients see/);
  });

  test('of a download shows the state of its message, and of a private one not its subject', async () => {
    const revoke = (id: string) => alice.expect(200, 'revokeMessage', { params: { id }, body: {} });
    const expire = async () => app.clock.advance(40 * day);
    // By then the ticket works only in its own browser.
    const handOn = async () => app.clock.advance(16 * 60_000);
    for (const [end, says] of [
      [revoke, 'The sender stopped sharing this file'],
      [expire, 'This file is no longer available'],
      [handOn, 'This download has ended'],
    ] as const)
      for (const isPrivate of [false, true]) {
        const id = await send(['plan.txt'], { private_message: isPrivate });
        const browser = await browserProving(app, ben);
        const { location } = await browser.submit(`/message/${id}/download`);
        await end(id);
        const reader = end === handOn ? new Browser(app.url) : browser;
        const page = await reader.get(location!, { accept: 'text/html' });
        assert.ok(page.words.includes(says), page.words.slice(0, 2000));
        assert.equal(page.words.includes('Plans of the pier'), !isPrivate);
        assert.equal(page.text.includes(`href="/message/${id}"`), end === handOn, 'the link back, if it is valid');
      }
  });

  test('of a request that is over shows its subject, if it has one', async () => {
    for (const [subject, isAnswered] of [
      ['Your drawings', true],
      ['', true],
      ['Your drawings', false],
      ['', false],
    ] as const) {
      const request = { recipient: ben, subject, message: 'Please', send_email: false };
      const { body } = await alice.expect(200, 'createFileRequest', { body: { request } });
      const path = `/requests/${wireForm(fileRequestAnswer, body).request.id}`;
      if (isAnswered) await new Browser(app.url).submitFiles(path, {}, [{ name: 'a.txt', bytes: 'x' }]);
      else app.clock.advance(40 * day);
      const { words } = await new Browser(app.url).get(path);
      assert.match(words, isAnswered ? /This request has been answered/ : /This request is closed/);
      assert.equal(words.includes('Your drawings'), subject !== '');
      assert.equal(words.includes('What it was'), subject !== '');
    }
  });

  test('that required an address remembers it for two weeks, on a shared computer until the browser is closed', async () => {
    const id = await send(['plan.txt']);
    for (const [shared_computer, age] of [
      ['', 14 * 86_400],
      ['1', null],
    ] as const) {
      const browser = new Browser(app.url);
      const target = `message:${id}`;
      await mailbox.post(app);
      await browser.send('/verify/address', { target, address: ben });
      const [mail] = await mailbox.postTo(app, ben);
      const reply = await browser.submit('/verify/code', { target, code: codeIn(mail!), shared_computer });
      const cookie = reply.headers.getSetCookie().find((line) => line.startsWith('local-rcpt='))!;
      assert.equal(/Max-Age=(\d+)/.exec(cookie)?.[1] ?? null, age === null ? null : String(age));
      const mark = reply.headers.getSetCookie().find((line) => line.startsWith('local-shared='));
      const value = shared_computer === '' ? undefined : `local-shared=${app.clock.now() + 3_600_000}`;
      assert.equal(mark?.split(';')[0], value);
      app.clock.advance(5 * 60_000);
    }
  });
});
