import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { z } from 'zod';
import { appLinkAnswer, appLinksAnswer } from '#contract/app/file-links.ts';
import { appFilesAnswer } from '#contract/app/files.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { clickDownload, fetchFile } from '#test/kit/downloads.ts';
import { linkTo } from '#test/kit/links.ts';
import { newPerson, sendMessage } from '#test/kit/messages.ts';
import { referenceOf } from '#test/kit/references.ts';
import { untilDownloadsEnd } from '#test/kit/sent.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const dayMs = 86_400_000;

onEachDatabase('links of the web app', (start) => {
  const app = useApp(start);
  const alice = usePerson(app, 'alice');
  const ben = usePerson(app, 'ben');

  const list = async (who: ApiClient, query: Record<string, string> = {}) =>
    wireForm(appLinksAnswer, (await who.expect(200, 'listAppLinks', { query })).body);
  const show = async (who: ApiClient, id: string, query: Record<string, string> = {}) =>
    wireForm(appLinkAnswer, (await who.expect(200, 'getAppLink', { params: { id }, query })).body).link;
  const files = async (who: ApiClient, query: Record<string, string> = {}) =>
    wireForm(appFilesAnswer, (await who.expect(200, 'listAppFiles', { query })).body);
  const newLink = async (who: ApiClient, name: string, settings: Record<string, unknown> = {}) => {
    const { id } = await who.upload(name, `content of ${name}`);
    return linkTo(who, id, settings);
  };

  testOnce('callers without a key are refused', async () => {
    for (const name of ['listAppLinks', 'listAppFiles'] as const)
      await app.anonymous.refused(401, 'credentials.invalid', name);
  });

  testOnce('a link of another user is refused like one that never existed', async () => {
    const link = await newLink(alice, 'secret.txt');
    const foreign = await ben.refused(404, 'link.not_found', 'getAppLink', { params: { id: link.id } });
    for (const id of ['A'.repeat(22), 'x', "' or 1=1"]) {
      const unknown = await ben.refused(404, 'link.not_found', 'getAppLink', { params: { id } });
      assert.deepEqual(sentences(unknown), sentences(foreign));
    }
    for (const password of ['a fine password', ''])
      await ben.refused(404, 'link.not_found', 'changeLinkPassword', { params: { id: link.id }, body: { password } });
    assert.equal((await list(ben)).items.length, 0);
  });

  testOnce('a query that is not in the contract is refused', async () => {
    const bad: Record<string, string>[] = [
      { page: '0' },
      { page: '-1' },
      { size: '101' },
      { size: '0' },
      { sort: 'password_hash' },
      { state: 'all' },
      { q: 'x'.repeat(201) },
    ];
    for (const query of bad) await alice.refused(422, 'request.invalid', 'listAppLinks', { query });
  });

  testOnce('a group without links has no list of them', async () => {
    const group = await app.group('no links', { can_use_filelinks: false });
    const cleo = await newPerson(app, 'cleo', { group });
    await cleo.refused(422, 'link.not_permitted', 'listAppLinks');
  });

  test('each state is returned and can be filtered by', async () => {
    const dora = await newPerson(app, 'dora');
    const today = new Date(app.clock.now()).toISOString().slice(0, 10);
    const later = new Date(app.clock.now() + 40 * dayMs).toISOString().slice(0, 10);
    const active = await newLink(dora, 'active.txt', { expires_at: later });
    const ending = await newLink(dora, 'ending.txt', { expires_at: today });
    const deleted = await newLink(dora, 'deleted.txt');
    await dora.expect(200, 'deleteFileLink', { params: { id: deleted.id } });
    const ids = async (query: Record<string, string>) => (await list(dora, query)).items.map((link) => link.id);
    assert.deepEqual(await ids({ state: 'active' }), [active.id]);
    assert.deepEqual(await ids({ state: 'ending' }), [ending.id]);
    assert.deepEqual(await ids({ state: 'live', sort: 'expires_at' }), [ending.id, active.id]);
    assert.deepEqual(await ids({ state: 'deleted' }), [deleted.id]);
    assert.deepEqual(await ids({ sort: 'expires_at' }), [ending.id, active.id]);
    assert.equal((await show(dora, deleted.id)).state, 'deleted');
    app.clock.advance(2 * dayMs);
    assert.deepEqual(await ids({ state: 'expired' }), [ending.id]);
    assert.deepEqual(await ids({ state: 'ending' }), []);
    assert.deepEqual(await ids({ state: 'live' }), [active.id]);
    const all = await list(dora, { size: '1', page: '2' });
    assert.deepEqual([all.total, all.page, all.size, all.items.length], [2, 2, 1, 1]);
  });

  test('downloads are counted and returned by day', async () => {
    const link = await newLink(alice, 'counted.txt');
    assert.deepEqual(
      [(await show(alice, link.id)).downloads, (await show(alice, link.id)).last_download_at],
      [0, null],
    );
    for (let count = 0; count < 2; count++) {
      const { path } = await clickDownload(app.url, link.id);
      await fetchFile(app.url, path!);
    }
    const shown = await show(alice, link.id);
    assert.equal(shown.downloads, 2);
    assert.equal(shown.last_download_at, new Date(app.clock.now()).toISOString());
    assert.deepEqual(shown.downloads_per_day, [
      { date: new Date(app.clock.now()).toISOString().slice(0, 10), downloads: 2 },
    ]);
    assert.deepEqual(
      shown.recent_downloads.map((download) => download.filename),
      ['counted.txt', 'counted.txt'],
    );
    assert.equal((await list(alice, { q: 'counted' })).items[0]!.downloads, 2);
  });

  test("downloads are counted by the days of the person's time zone", async () => {
    const link = await newLink(alice, 'late.txt');
    const midnight = Math.ceil(app.clock.now() / dayMs) * dayMs;
    app.clock.set(midnight + 23.5 * 3_600_000);
    await fetchFile(app.url, (await clickDownload(app.url, link.id)).path!);
    const days = async (query: Record<string, string>) => (await show(alice, link.id, query)).downloads_per_day;
    const on = (instant: number) => [{ date: new Date(instant).toISOString().slice(0, 10), downloads: 1 }];
    assert.deepEqual(await days({}), on(midnight));
    assert.deepEqual(await days({ zone: 'Europe/Stockholm' }), on(midnight + dayMs));
    assert.deepEqual(await days({ zone: 'Asia/Kolkata' }), on(midnight + dayMs));
    await alice.refused(422, 'log.bad_zone', 'getAppLink', { params: { id: link.id }, query: { zone: 'Nowhere' } });
  });

  test('a download that was given back is in none of its counts', async () => {
    const [link, other] = [await newLink(alice, 'taken back.txt'), await newLink(alice, 'kept.txt')];
    for (const { id } of [link, link, other]) await fetchFile(app.url, (await clickDownload(app.url, id)).path!);
    await untilDownloadsEnd(app);
    const { read, write } = app.app.ctx.db;
    const ofLink = await read.selectFrom('downloads').select('number').where('link_id', '=', link.id).execute();
    await write(async (tx) => {
      const taken = tx.updateTable('downloads').set({ outcome: 'refunded' }).where('link_id', '=', link.id);
      await taken.where('number', '=', Number(ofLink[0]!.number)).execute();
    });
    const shown = await show(alice, link.id);
    assert.deepEqual(
      [shown.downloads, shown.downloads_per_day.map(({ downloads }) => downloads), shown.recent_downloads.length],
      [1, [1], 1],
    );
    assert.equal((await list(alice, { q: 'taken' })).items[0]!.downloads, 1);
    assert.equal((await list(alice, { q: 'kept' })).items[0]!.downloads, 1);
  });

  test('words are found in names, regardless of case and accents', async () => {
    const erin = await newPerson(app, 'erin');
    const link = await newLink(erin, 'Résumé of the Harbour.pdf');
    await newLink(erin, 'other.txt');
    for (const q of ['resume', 'HARBOUR resume', link.id]) {
      const found = await list(erin, { q });
      assert.deepEqual([found.items.map(({ id }) => id), found.total, found.is_complete], [[link.id], 1, true], q);
    }
    assert.equal((await list(erin, { q: 'harbour missing' })).total, 0);
  });

  test('a password is set, changed and removed, and never returned', async () => {
    const link = await newLink(alice, 'locked.txt');
    const change = (password: string | null) =>
      alice.expect(200, 'changeLinkPassword', { params: { id: link.id }, body: { password } });
    const reply = await change('open sesame please');
    assert.equal((reply.body as { link: { has_password: boolean } }).link.has_password, true);
    assert.ok(!reply.text.includes('sesame'));
    assert.equal((await clickDownload(app.url, link.id)).path, null);
    await alice.refused(422, 'link.empty_password', 'changeLinkPassword', {
      params: { id: link.id },
      body: { password: '' },
    });
    await change(null);
    assert.equal((await show(alice, link.id)).has_password, false);
    assert.notEqual((await clickDownload(app.url, link.id)).path, null);
    const reference = await referenceOf(app, link.id);
    const facts = await app.app.ctx.db.read
      .selectFrom('events')
      .select('facts')
      .where('object_id', '=', link.id)
      .where('action', '=', 'link.changed')
      .orderBy('seq')
      .execute();
    assert.deepEqual(
      facts.map((event) => JSON.parse(event.facts) as unknown),
      [
        { password: true, ...reference },
        { password: false, ...reference },
      ],
    );
  });

  testOnce('a group that may not set passwords may not set them later either', async () => {
    const group = await app.group('no passwords', { filelink_can_set_password: false });
    const fay = await newPerson(app, 'fay', { group });
    const link = await newLink(fay, 'plain.txt');
    await fay.refused(422, 'link.setting_locked', 'changeLinkPassword', {
      params: { id: link.id },
      body: { password: 'open sesame please' },
    });
  });

  test('stored files are listed with where they are used, and can be used again without an upload', async () => {
    const gus = await newPerson(app, 'gus');
    const { id } = await gus.upload('plan.pdf', 'the plan');
    assert.deepEqual(
      (await files(gus)).items.map((file) => [file.id, file.last_day]),
      [[id, null]],
    );
    const message = await sendMessage(gus, { recipients: ['ben@example.com'], subject: 'Plans', attachments: [id] });
    const link = await linkTo(gus, id);
    const again = await sendMessage(gus, { recipients: ['cleo@example.com'], subject: 'Again', attachments: [id] });
    const [file] = (await files(gus)).items;
    assert.deepEqual(
      file!.used_in.map((use) => [use.kind, use.id, use.title]).toSorted(),
      [
        ['message', message.id, 'Plans'],
        ['message', again.id, 'Again'],
        ['link', link.id, 'plan.pdf'],
      ].toSorted(),
    );
    assert.equal(file!.last_day, [message.expires_at, link.expires_at, again.expires_at].toSorted().at(-1));
    await gus.expect(200, 'deleteFileLink', { params: { id: link.id } });
    await gus.expect(200, 'deleteMessageAttachments', { params: { id: message.id } });
    assert.deepEqual(
      (await files(gus)).items[0]!.used_in.map((use) => use.id),
      [again.id],
    );
    await gus.expect(200, 'deleteMessageAttachments', { params: { id: again.id } });
    assert.deepEqual((await files(gus)).items, []);
    await ben.refused(422, 'link.attachment_unknown', 'createFileLink', { body: { link: { attachment: id } } });
  });
});

function sentences(reply: { body: unknown }): unknown {
  return (reply.body as z.infer<z.ZodObject>).errors;
}
