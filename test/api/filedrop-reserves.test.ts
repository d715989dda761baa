// Unused keys cost nothing. Waiting uploads count for a separate reserve, not for the owner, and expire after an hour.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { attachmentAnswer } from '#contract/attachments.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { ApiClient } from '#test/kit/client.ts';
import { someBytes } from '#test/kit/content.ts';
import { newNetwork, openDistantMailbox } from '#test/kit/distant-browser.ts';
import { until } from '#test/kit/eventually.ts';
import { holdUpload } from '#test/kit/held-upload.ts';
import { attachmentRow, chargeOf, storedBlobs } from '#test/kit/inside.ts';
import { newPerson } from '#test/kit/messages.ts';
import { ask, basic } from '#test/kit/raw-http.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const minuteMs = 60_000;
const megabyte = 1024 * 1024;

onEachDatabase('The reserve of a drop page', (start) => {
  const app = useApp(start, openDistantMailbox().options);
  let group: string;
  let people = 0;
  before(async () => {
    group = await app.group('Open to all', { filedrop_max_size: 1, storage_quota: 4, filedrop_confirm_sender: false });
  });

  const newDrop = async () => {
    const owner = await newPerson(app, `owner${++people}`, { group });
    const { body } = await owner.expect(200, 'getAccount');
    const { filedrop_url } = (body as { user: { filedrop_url: string } }).user;
    return { owner, name: filedrop_url.slice(`${app.url}/filedrop/`.length) };
  };
  const keyOf = async (name: string): Promise<ApiClient> => {
    const { body } = await app.anonymous.expect(200, 'getFiledrop', { params: { name } });
    return new ApiClient(app.url, (body as { filedrop: { api_key: string } }).filedrop.api_key, '');
  };
  const upload = (
    client: ApiClient,
    name: string,
    bytes: Uint8Array<ArrayBuffer> | string = 'x',
    network = newNetwork(),
  ) =>
    client.call('uploadForFiledrop', {
      params: { name },
      query: { filename: 'a.bin' },
      bytes,
      headers: { 'x-forwarded-for': network },
    });
  const idIn = (reply: { body: unknown }) => wireForm(attachmentAnswer, reply.body).attachment.id;
  const deliver = (client: ApiClient, name: string, attachments: string[]) =>
    client.call('submitFiledrop', {
      params: { name },
      body: { message: { from: 'sam@elsewhere.example', subject: 'Plans', attachments } },
    });
  /** Keys as a GET creates them, or with a network as the first upload does. */
  const writeKeys = (owner: ApiClient, name: string, count: number, network?: string) => {
    const { ctx } = app.app;
    const now = app.clock.now();
    const rows = Array.from({ length: count }, () => ({
      id: ctx.random.id(),
      lookup: ctx.random.bytes(32),
      owner_id: owner.email.replace(/[@.]/g, '-'),
      drop_name: name,
      pending_sealed: null,
      state: 'open' as const,
      created_at: now,
      expires_at: now + 86_400_000,
      network: network ?? '',
      opened_at: network === undefined ? null : now,
      active_at: network === undefined ? 0 : now,
    }));
    return ctx.db.write(async (tx) => {
      for (let start = 0; start < rows.length; start += 200)
        await tx
          .insertInto('drop_keys')
          .values(rows.slice(start, start + 200))
          .execute();
    });
  };
  const openKeys = async (name: string) =>
    (
      await app.app.ctx.db.read.selectFrom('drop_keys').select('opened_at').where('drop_name', '=', name).execute()
    ).filter((key) => key.opened_at !== null).length;

  test('is not used by keys without uploads, however many are requested', async () => {
    const { name } = await newDrop();
    const first = await keyOf(name);
    for (let count = 0; count < 25; count++) await keyOf(name);
    await new Browser(app.url).get(`/filedrop/${name}`);
    assert.equal(await openKeys(name), 0);
    assert.equal((await upload(first, name)).status, 200);
    assert.equal(await openKeys(name), 1);
  });

  test('has room for keys when a thousand of them are unused, and they are not stored permanently', async () => {
    const { owner, name } = await newDrop();
    const { ctx } = app.app;
    await writeKeys(owner, name, 1000);
    const key = await keyOf(name);
    assert.match(key.key!, /^[A-Za-z0-9]{22}$/);
    const count = async () =>
      (await ctx.db.read.selectFrom('drop_keys').select('id').where('drop_name', '=', name).execute()).length;
    assert.equal(await count(), 1000);
    const { name: other } = await newDrop();
    assert.equal((await upload(key, other)).status, 401, 'a key of this page alone');
    const wrong = new ApiClient(
      app.url,
      key.key!.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      '',
    );
    assert.equal((await upload(wrong, name)).status, 401);
    const file = await upload(key, name, 'the plan');
    assert.equal(file.status, 200, file.text);
    assert.equal((await deliver(key, name, [idIn(file)])).status, 200);
    const late = await keyOf(name);
    app.clock.advance(86_400_000);
    assert.equal((await upload(late, name)).status, 401, 'a key is valid for a day');
  });

  testOnce('accepts uploads under sixty keys an hour, and under twenty from one network', async () => {
    const [{ owner, name }, { name: other }] = [await newDrop(), await newDrop()];
    const network = newNetwork();
    await writeKeys(owner, name, 19, network);
    assert.equal((await upload(await keyOf(name), name, 'x', network)).status, 200);
    for (const page of [name, other]) {
      const refused = await upload(await keyOf(page), page, 'x', network);
      assert.deepEqual([refused.status, (refused.body as { code: string }).code], [422, 'filedrop.too_many']);
    }
    await writeKeys(owner, name, 39, newNetwork());
    assert.equal((await upload(await keyOf(name), name)).status, 200);
    const last = await keyOf(name);
    assert.equal((await upload(last, name)).status, 422);
    assert.equal((await upload(await keyOf(other), other)).status, 200, 'other pages are not concerned');
    app.clock.advance(60 * minuteMs + 1);
    assert.equal((await upload(last, name)).status, 200);
  });

  testOnce('is not the owner’s storage until the delivery, which is refused where that is full', async () => {
    const { owner, name } = await newDrop();
    const sender = await keyOf(name);
    const file = idIn(await upload(sender, name, someBytes(megabyte)));
    assert.deepEqual(await chargeOf(app, owner.email), { storedBytes: 0, reservedBytes: 0 });
    for (let count = 0; count < 4; count++) await owner.upload(`own${count}.bin`, someBytes(megabyte));
    const refused = await deliver(sender, name, [file]);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /no room for these files/);
    assert.doesNotMatch(refused.text, /administrator|group|quota/);
    assert.deepEqual(await chargeOf(app, owner.email), { storedBytes: 4 * megabyte, reservedBytes: 0 });
    const { body } = await owner.expect(200, 'listAttachments');
    const [own] = (body as { attachments: { id: string }[] }).attachments;
    await owner.expect(200, 'deleteAttachment', { params: { id: own!.id } });
    assert.equal((await deliver(sender, name, [file])).status, 200);
    assert.deepEqual(await chargeOf(app, owner.email), { storedBytes: 4 * megabyte, reservedBytes: 0 });
  });

  test('counts running uploads, so that no number of concurrent uploads exceeds it', async () => {
    const { name } = await newDrop();
    const held = [];
    for (let count = 0; count < 2; count++) {
      const client = await keyOf(name);
      held.push(
        await holdUpload(client, `/filedrop/${name}/attachments/upload?filename=${count}.bin`, {
          lengthBytes: megabyte,
        }),
      );
      await held[count]!.send(Buffer.from(someBytes(1000)));
    }
    const refused = await upload(await keyOf(name), name, someBytes(1000));
    assert.deepEqual([refused.status, (refused.body as { code: string }).code], [422, 'filedrop.full']);
    for (const one of held) one.cut();
    const promised = () => app.app.ctx.db.read.selectFrom('reservations').select('id').execute();
    await until(async () => (await promised()).length === 0);
    assert.equal((await upload(await keyOf(name), name, someBytes(1000))).status, 200);
  });

  testOnce('is empty after an hour without uploads, and not before', async () => {
    const { owner, name } = await newDrop();
    const sweep = async () => {
      await app.app.jobs.runOnce('abandon-uploads', { isConfirmed: true });
      await app.app.jobs.runOnce('remove-erased');
    };
    for (let count = 0; count < 3; count++) await sweep();
    const before = await storedBlobs(app);
    const [silent, busy] = [await keyOf(name), await keyOf(name)];
    const forgotten = idIn(await upload(silent, name, 'forgotten'));
    const chunk = await silent.call('uploadForFiledrop', {
      params: { name },
      query: { filename: 'b.bin', chunks: '2', chunk: '0' },
      bytes: 'half',
    });
    assert.equal(chunk.status, 200);
    const kept = idIn(await upload(busy, name, 'kept'));
    app.clock.advance(59 * minuteMs);
    await sweep();
    assert.equal((await attachmentRow(app, forgotten)).state, 'ready');
    const second = idIn(await upload(busy, name, 'kept too'));
    app.clock.advance(2 * minuteMs);
    await sweep();
    assert.equal((await attachmentRow(app, forgotten)).state, 'erased');
    assert.equal((await attachmentRow(app, kept)).state, 'ready', 'its key was used since');
    assert.equal((await storedBlobs(app)).filter((key) => !before.includes(key)).length, 2);
    assert.equal((await deliver(silent, name, [forgotten])).status, 422);
    assert.equal((await deliver(busy, name, [kept, second])).status, 200);
    app.clock.advance(120 * minuteMs);
    await sweep();
    assert.equal((await attachmentRow(app, kept)).state, 'ready', 'delivered files stay');
    assert.deepEqual(await chargeOf(app, owner.email), {
      storedBytes: 'kept'.length + 'kept too'.length,
      reservedBytes: 0,
    });
  });

  testOnce('holds a thousand files and no more', async () => {
    const { name } = await newDrop();
    const sender = await keyOf(name);
    const id = idIn(await upload(sender, name));
    const { ctx } = app.app;
    const row = await attachmentRow(app, id);
    await ctx.db.write(async (tx) => {
      const rows = Array.from({ length: 998 }, () => ({ ...row, id: ctx.random.id() }));
      for (let start = 0; start < rows.length; start += 100)
        await tx
          .insertInto('attachments')
          .values(rows.slice(start, start + 100))
          .execute();
    });
    assert.equal((await upload(sender, name)).status, 200);
    const refused = await upload(sender, name);
    assert.deepEqual([refused.status, (refused.body as { code: string }).code], [422, 'filedrop.full']);
  });

  testOnce('of a removed address is emptied with the next run of the job', async () => {
    const { owner, name } = await newDrop();
    const file = idIn(await upload(await keyOf(name), name));
    await owner.expect(200, 'resetAppDrop');
    await app.app.jobs.runOnce('abandon-uploads', { isConfirmed: true });
    assert.equal((await attachmentRow(app, file)).state, 'erased');
  });

  testOnce('is filled by first-generation clients under the same limits', async () => {
    const { name } = await newDrop();
    const { key } = await keyOf(name);
    const body = ['--b', 'Content-Disposition: form-data; name="Filedata"; filename="a.txt"', '', 'hello', '--b--', ''];
    const headers = [basic(key), 'Content-Type: multipart/form-data; boundary=b', `X-Forwarded-For: ${newNetwork()}`];
    const text = body.join('\r\n');
    const reply = await ask(app.url, 'POST /attachments', [...headers, `Content-Length: ${text.length}`], text);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(await openKeys(name), 1);
  });
});
