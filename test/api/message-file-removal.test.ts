import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { exposureAnswer } from '#contract/app/message-actions.ts';
import { activityAnswer, sentListAnswer } from '#contract/app/messages.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { openDownload } from '#test/kit/downloads.ts';
import { until } from '#test/kit/eventually.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { browserProving, fileUrlOf, inlineFile, newPerson, readMessage, sendMessage } from '#test/kit/messages.ts';
import { beyondBuffersBytes } from '#test/kit/outside.ts';
import { referenceOf } from '#test/kit/references.ts';
import { clickFile, downloadAs, track, trackPerson } from '#test/kit/sent.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const dayMs = 86_400_000;
const ben = 'ben@harbour.example';
const large = Buffer.alloc(beyondBuffersBytes, 'x');

onEachDatabase('removing one file from a sent message', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });

  const send = async (more: Record<string, unknown> = {}): Promise<{ id: string; files: string[] }> => {
    const { id } = await sendMessage(alice, {
      recipients: [ben],
      subject: 'Drawings',
      message: 'Here they are.',
      attachments: [inlineFile('plan.txt', 'the plan'), inlineFile('costs.txt', 'the costs')],
      ...more,
    });
    return { id, files: (await track(alice, id)).files.map((file) => file.id) };
  };
  const removal = (id: string, file: string) => ({ params: { id, file }, body: {} });
  const remove = (id: string, file: string) => alice.expect(200, 'removeMessageFile', removal(id, file));
  const refused = (code: string, id: string, file: string) =>
    alice.refused(422, code, 'removeMessageFile', removal(id, file));
  const storedState = async (id: string) =>
    app.app.ctx.db.read
      .selectFrom('attachments')
      .select(['state', 'reference_count'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();

  testOnce("is refused for another person's message, an unknown file and a file of another message", async () => {
    const { id, files } = await send();
    const other = await send();
    const eve = await newPerson(app, 'eve');
    for (const caller of [eve, app.admin])
      await caller.refused(404, 'message.not_found', 'removeMessageFile', removal(id, files[0]!));
    await app.anonymous.refused(401, 'credentials.invalid', 'removeMessageFile', removal(id, files[0]!));
    for (const file of ['nonsense', 'A'.repeat(22), other.files[0]!])
      await alice.refused(404, 'file.not_found', 'removeMessageFile', removal(id, file));
    assert.equal((await track(alice, id)).files.length, 2);
  });

  testOnce('is refused after the end, a second time, and for the last file', async () => {
    const stopped = await send();
    await alice.expect(200, 'revokeMessage', { params: { id: stopped.id }, body: {} });
    await refused('message.ended', stopped.id, stopped.files[0]!);
    assert.deepEqual((await track(alice, stopped.id)).actions.remove_files, []);
    const tomorrow = new Date(app.clock.now() + dayMs).toISOString().slice(0, 10);
    const { id, files } = await send({ expires_at: tomorrow });
    assert.deepEqual((await track(alice, id)).actions.remove_files, files);
    await remove(id, files[0]!);
    await refused('message.file_removed', id, files[0]!);
    await refused('message.last_file', id, files[1]!);
    const kept = await track(alice, id);
    assert.deepEqual([kept.files.map((file) => file.id), kept.actions.remove_files], [[files[1]], []]);
    app.clock.advance(3 * dayMs);
    await refused('message.expired', id, files[1]!);
  });

  test('leaves one file after two concurrent removals', async () => {
    const { id, files } = await send();
    const replies = await Promise.all(files.map((file) => alice.call('removeMessageFile', removal(id, file))));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 422]);
    assert.equal((await track(alice, id)).files.length, 1);
  });

  test('ends every access to it; its bytes are erased, and the size of the message is reduced', async () => {
    const { id, files } = await send();
    const [plan, costs] = files as [string, string];
    const browser = await browserProving(app, ben);
    const ticket = await clickFile(browser, id, plan);
    const archive = (await browser.post(`/message/${id}/download`)).location!;
    const byKey = await fileUrlOf(alice, id);
    assert.match((await browser.get(`/message/${id}`)).text, /plan\.txt/);
    await remove(id, plan);
    assert.equal(await clickFile(browser, id, plan), null);
    assert.equal((await browser.get(ticket!)).status, 410);
    assert.equal((await browser.get(archive)).status, 410);
    assert.equal((await alice.fetch(byKey)).status, 404);
    const page = (await browser.get(`/message/${id}`)).text;
    assert.doesNotMatch(page, /plan\.txt/);
    assert.match(page, /costs\.txt/);
    const { attachments } = await readMessage(alice, id);
    assert.deepEqual(
      attachments.map((file) => file.id),
      [costs],
    );
    assert.deepEqual(await storedState(plan), { state: 'erased', reference_count: 0 });
    assert.deepEqual(await storedState(costs), { state: 'ready', reference_count: 1 });
    assert.equal((await track(alice, id)).size, 'the costs'.length);
    await downloadAs(app, ben, id, [costs]);
  });

  testOnce(
    'cuts running downloads of it, also while another message uses the file, whose downloads continue',
    async () => {
      const shared = await alice.upload('large.bin', large, 'uploadForMessage');
      const { id } = await send({ attachments: [shared.id, inlineFile('costs.txt', 'the costs')] });
      const second = await send({ attachments: [shared.id] });
      const browser = await browserProving(app, ben);
      const running = await openDownload(app.url, (await clickFile(browser, id, shared.id))!);
      await remove(id, shared.id);
      await until(async () => {
        const [download] = (await trackPerson(alice, id, ben)).removed_files[0]!.downloads;
        return download !== undefined && !download.is_running && !download.whole;
      });
      assert.equal((await running.rest()).isWhole, false);
      assert.deepEqual(await storedState(shared.id), { state: 'ready', reference_count: 1 });
      assert.ok((await clickFile(browser, second.id, shared.id)) !== null);
    },
  );

  testOnce('removes its name from waiting mails', async () => {
    // One file has the size of the removed one, the other its name.
    const others = [inlineFile('costs.txt', 'the sums'), inlineFile('plan.txt', 'a longer plan')];
    const attachments = [...others, inlineFile('plan.txt', 'the plan')];
    const { id, files } = await send({ send_email: true, bcc_myself: false, attachments });
    await remove(id, files[2]!);
    const [mail] = await mailbox.postAbout(app, id);
    assert.match(mail!.text, /costs\.txt.*plan\.txt.*13/s);
    assert.equal(mail!.text.match(/plan\.txt/g)!.length, 1);
  });

  testOnce('is shown in the tracker, the list and the timeline, with who has the file', async () => {
    const { id, files } = await send();
    const [plan, costs] = files as [string, string];
    await downloadAs(app, ben, id, [plan]);
    assert.equal((await trackPerson(alice, id, ben)).state, 'partly');
    await remove(id, plan);
    const message = await track(alice, id);
    assert.deepEqual(
      message.removed_files.map((file) => [file.filename, file.downloads, file.people_done]),
      [['plan.txt', 1, 1]],
    );
    const person = await trackPerson(alice, id, ben);
    assert.deepEqual([person.state, person.files_done, person.removed_files[0]!.whole], ['opened', 0, true]);
    const listed = async () => {
      const { body } = await alice.expect(200, 'listSentMessages', { query: { q: id } });
      const [item] = wireForm(sentListAnswer, body).messages;
      return [item!.file_count, item!.first_file, item!.size, item!.people_done];
    };
    assert.deepEqual(await listed(), [1, 'costs.txt', 'the costs'.length, 0]);
    await downloadAs(app, ben, id, [costs]);
    assert.equal((await listed())[3], 1);
    const { body } = await alice.expect(200, 'listMessageActivity', { params: { id }, query: { kind: 'change' } });
    const [line] = wireForm(activityAnswer, body).events;
    assert.deepEqual(
      [line!.action, line!.actor, line!.facts],
      ['message.file_removed', 'you', { attachment: plan, size: 'the plan'.length, ...(await referenceOf(app, id)) }],
    );
    const { body: exposed } = await alice.expect(200, 'getExposure', { params: { id, address: ben } });
    assert.deepEqual(
      wireForm(exposureAnswer, exposed).exposure.files.map((file) => [file.filename, file.whole]),
      [
        ['costs.txt', true],
        ['plan.txt', true],
      ],
    );
  });
});
