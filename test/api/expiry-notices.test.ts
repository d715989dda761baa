import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { until } from '#test/kit/eventually.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { inlineFile, newPerson, sendMessage } from '#test/kit/messages.ts';
import { clickFile, downloadAs, track } from '#test/kit/sent.ts';
import { useApp } from '#test/kit/use-app.ts';

const dayMs = 86_400_000;
const ben = 'ben@harbour.example';
const chiara = 'chiara@rossi.example';

onEachDatabase('The mail before files end', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });

  const day = (days: number) => new Date(app.clock.now() + days * dayMs).toISOString().slice(0, 10);

  async function send(days: number, more: Record<string, unknown> = {}, sender = alice) {
    const { id } = await sendMessage(sender, {
      recipients: [ben, chiara],
      subject: 'Drawings',
      expires_at: day(days),
      send_receipt: false,
      attachments: [inlineFile('plan.txt', 'the plan')],
      ...more,
    });
    return { id, files: (await track(sender, id)).files.map((file) => file.id) };
  }

  async function noticesAbout(id: string) {
    await mailbox.post(app);
    const report = await app.app.jobs.runOnce('tell-expiring');
    const mails = (await mailbox.post(app)).filter((mail) => mail.kind === 'expiring');
    assert.match(report!, new RegExp(`^${mails.length} senders? notified, `));
    return mails.filter((mail) => mail.about === id);
  }

  const eventsOf = async (id: string) => {
    const { read } = app.app.ctx.db;
    const rows = await read.selectFrom('events').select('action').where('object_id', '=', id).execute();
    return rows.map(({ action }) => action);
  };

  testOnce('is not sent while there is time, nor right after sending a short-lived message', async () => {
    const long = await send(10);
    const short = await send(1);
    assert.deepEqual([...(await noticesAbout(long.id)), ...(await noticesAbout(short.id))], []);
    app.clock.advance(6 * dayMs);
    assert.deepEqual(await noticesAbout(long.id), []);
    assert.ok(!(await eventsOf(long.id)).includes('message.expiry_told'));
  });

  test('names the recipients who have not downloaded everything, three days before, once', async () => {
    const { id, files } = await send(10);
    await downloadAs(app, chiara, id, files);
    app.clock.advance(8 * dayMs);
    const [mail, ...more] = await noticesAbout(id);
    assert.deepEqual(more, []);
    assert.equal(mail!.to, alice.email);
    assert.equal(mail!.subject, 'Not downloaded yet by 1 person: Drawings');
    assert.match(mail!.text, /ben@harbour\.example/);
    assert.doesNotMatch(mail!.text, /chiara/);
    assert.ok(mail!.text.includes(`/app/sent/${id}?remind`) && mail!.text.includes(`/app/sent/${id}?extend`));
    assert.equal((await eventsOf(id)).filter((action) => action === 'message.expiry_told').length, 1);
    assert.deepEqual(await noticesAbout(id), []);
    app.clock.advance(dayMs);
    assert.deepEqual(await noticesAbout(id), []);
  });

  testOnce('is sent in the second half of a short time', async () => {
    const { id } = await send(2);
    app.clock.advance(2 * dayMs);
    assert.equal((await noticesAbout(id)).length, 1);
  });

  testOnce('is sent again for a new last day', async () => {
    const { id } = await send(10);
    app.clock.advance(8 * dayMs);
    assert.equal((await noticesAbout(id)).length, 1);
    await alice.expect(200, 'extendMessage', { params: { id }, body: { expires_at: day(10) } });
    assert.deepEqual(await noticesAbout(id), []);
    app.clock.advance(8 * dayMs);
    assert.equal((await noticesAbout(id)).length, 1);
  });

  test('is not sent when all recipients have everything, there is no file, or the message has ended', async () => {
    const fetched = await send(10, { recipients: [ben] });
    const bare = await send(10, { attachments: [], message: 'No files.' });
    const stopped = await send(10);
    await downloadAs(app, ben, fetched.id, fetched.files);
    await alice.expect(200, 'deleteMessageAttachments', { params: { id: stopped.id } });
    app.clock.advance(8 * dayMs);
    for (const { id } of [fetched, bare, stopped]) assert.deepEqual(await noticesAbout(id), []);
    const expired = await send(1);
    app.clock.advance(3 * dayMs);
    assert.deepEqual(await noticesAbout(expired.id), []);
  });

  testOnce('is not sent where anyone with the link may have been a recipient', async () => {
    const group = await app.group('Open', { message_can_use_anyone: true });
    const olga = await newPerson(app, 'olga', { group });
    const open = await send(10, { authorization: 0 }, olga);
    const untouched = await send(10, { authorization: 0 }, olga);
    const stranger = new Browser(app.url);
    await stranger.get((await clickFile(stranger, open.id, open.files[0]!))!);
    await until(async () => (await track(olga, open.id)).files[0]!.downloads === 1);
    app.clock.advance(8 * dayMs);
    assert.deepEqual(await noticesAbout(open.id), []);
    assert.ok((await eventsOf(untouched.id)).includes('message.expiry_told'));
  });

  testOnce('is not sent to people who switched it off, or whose account is disabled', async () => {
    const quiet = await newPerson(app, 'quiet');
    const gone = await newPerson(app, 'gone');
    await quiet.expect(200, 'changeNotices', { body: { reminders: false } });
    const messages = [await send(10, {}, quiet), await send(10, {}, gone)];
    await app.admin.expect(200, 'changeUser', {
      params: { id: 'gone-example-com' },
      body: { user: { disabled: true } },
    });
    app.clock.advance(8 * dayMs);
    for (const { id } of messages) assert.deepEqual(await noticesAbout(id), []);
  });

  testOnce('offers no reminder where the group has none', async () => {
    const group = await app.group('Silent', { message_reminders: 0 });
    const sam = await newPerson(app, 'sam', { group });
    const { id } = await send(10, {}, sam);
    app.clock.advance(8 * dayMs);
    const [mail] = await noticesAbout(id);
    assert.ok(mail!.text.includes(`/app/sent/${id}?extend`));
    assert.ok(!mail!.text.includes('?remind'));
  });

  test('is no longer sent once the message is withdrawn', async () => {
    const { id } = await send(10);
    app.clock.advance(8 * dayMs);
    await mailbox.post(app);
    await app.app.jobs.runOnce('tell-expiring');
    await alice.expect(200, 'deleteMessageAttachments', { params: { id } });
    assert.deepEqual(await mailbox.postAbout(app, id), []);
  });
});
