import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type SystemDropBody, systemDropAnswer, systemDropsAnswer } from '#contract/admin/filedrops.ts';
import { attachmentAnswer } from '#contract/attachments.ts';
import { filedropAnswer } from '#contract/filedrops.ts';
import { inboxAnswer } from '#contract/messages.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { ApiClient, assertRefused } from '#test/kit/client.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const sam = 'sam@elsewhere.example';

onEachDatabase('drop pages of functions', (start) => {
  const mailbox = openMailbox();
  const app = useApp(start, mailbox.options);
  let alice: ApiClient;
  let bob: ApiClient;
  let boss: ApiClient;
  let chief: ApiClient;
  let auditor: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
    bob = await newPerson(app, 'bob');
    boss = await newPerson(app, 'boss', { group: 'administrators' });
    chief = await newPerson(app, 'chief', { group: 'system-administrators' });
    const group = await app.group('Auditors', { role: 'auditor' });
    auditor = await newPerson(app, 'watcher', { group });
  });

  let made = 0;
  async function create(settings: Record<string, unknown> = {}, as = boss): Promise<SystemDropBody> {
    made++;
    const filedrop = { name: `function-${made}`, title: `Function ${made}`, receivers: [alice.email], ...settings };
    return wireForm(systemDropAnswer, (await as.expect(200, 'createSystemDrop', { body: { filedrop } })).body).filedrop;
  }
  const change = (id: string, filedrop: Record<string, unknown>, as = boss) =>
    as.call('changeSystemDrop', { params: { id }, body: { filedrop } });
  const list = async (as = boss) =>
    wireForm(systemDropsAnswer, (await as.expect(200, 'listSystemDrops')).body).filedrops;

  async function visitor(name: string): Promise<ApiClient> {
    const { body } = await app.anonymous.expect(200, 'getFiledrop', { params: { name } });
    return new ApiClient(app.url, wireForm(filedropAnswer, body).filedrop.api_key, '');
  }
  const upload = (key: ApiClient, name: string, filename = 'bill.pdf', bytes = 'a bill') =>
    key.call('uploadForFiledrop', { params: { name }, query: { filename }, bytes });
  async function deliver(name: string, subject = 'Bill'): Promise<void> {
    const key = await visitor(name);
    const { id } = wireForm(attachmentAnswer, (await upload(key, name)).body).attachment;
    await key.expect(200, 'submitFiledrop', {
      params: { name },
      body: { message: { from: sam, subject, message: '', attachments: [id] } },
    });
  }
  const inbox = async (client: ApiClient) =>
    wireForm(inboxAnswer, (await client.expect(200, 'listInbox')).body).messages;

  test('are created with their own address, and listed for all users with access to the console', async () => {
    const drop = await create({ name: ' Accounts-Payable ', title: 'Accounts payable', intro: 'One bill each.' });
    assert.deepEqual(
      [drop.name, drop.url, drop.open, drop.confirm_sender, drop.deliveries],
      ['accounts-payable', `${app.url}/filedrop/accounts-payable`, true, true, 0],
    );
    assert.deepEqual(drop.receivers, [{ id: idOf(alice), name: 'alice', email: alice.email, can_receive: true }]);
    for (const seat of [boss, auditor, app.admin]) assert.ok((await list(seat)).some(({ id }) => id === drop.id));
    const page = await new Browser(app.url).get('/filedrop/Accounts-Payable');
    assert.match(page.text, /Accounts payable/);
    assert.match(page.text, /One bill each\./);
    assert.doesNotMatch(page.text, /alice/i, 'the page does not name its receivers');
  });

  test('deliver to all of their receivers, and the first keeps the files', async () => {
    const { id, name, title } = await create({ receivers: [idOf(bob), alice.email], title: 'Claims office' });
    await deliver(name, 'Claim 1');
    const [forBob] = (await inbox(bob)).filter(({ subject }) => subject === 'Claim 1');
    const [forAlice] = (await inbox(alice)).filter(({ subject }) => subject === 'Claim 1');
    assert.equal(forAlice!.id, forBob!.id);
    const { deliveries, last_delivery_at } = (await list()).find((one) => one.id === id)!;
    assert.equal(deliveries, 1);
    assert.notEqual(last_delivery_at, null);
    const mails = (await mailbox.postAbout(app, forBob!.id)).filter(({ text }) => text.includes(title));
    assert.deepEqual(mails.map(({ to }) => to).sort(), [alice.email, bob.email]);
  });

  test('continue with the next receiver when the first one leaves, and close with the last', async () => {
    const carol = await newPerson(app, 'carol');
    const drop = await create({ receivers: [carol.email, alice.email] });
    await app.admin.expect(200, 'deleteUser', { params: { id: idOf(carol) } });
    await deliver(drop.name, 'For the remaining receiver');
    assert.ok((await inbox(alice)).some(({ subject }) => subject === 'For the remaining receiver'));
    const dan = await newPerson(app, 'dan');
    const alone = await create({ receivers: [dan.email] });
    await app.admin.expect(200, 'changeUser', { params: { id: idOf(dan) }, body: { user: { disabled: true } } });
    await app.anonymous.expect(404, 'getFiledrop', { params: { name: alone.name } });
    assert.equal((await list()).find(({ id }) => id === alone.id)!.receivers[0]!.can_receive, false);
  });

  test('have their own limits, never wider than those of the group', async () => {
    const { name } = await create({ max_size: 1, permitted_extensions: '.PDF, exe' });
    const { body } = await app.anonymous.expect(200, 'getFiledrop', { params: { name } });
    const { filedrop } = wireForm(filedropAnswer, body);
    assert.deepEqual([filedrop.max_upload_size, filedrop.permitted_extensions], [1, 'pdf']);
    const key = await visitor(name);
    assert.equal((await upload(key, name, 'run.exe')).status, 422);
    assert.equal((await upload(key, name, 'big.pdf', 'x'.repeat(1024 * 1024 + 1))).status, 422);
    assert.equal((await upload(key, name)).status, 200);
    const wide = await create({ max_size: 9_999_999 });
    const reply = await app.anonymous.expect(200, 'getFiledrop', { params: { name: wide.name } });
    assert.equal(wireForm(filedropAnswer, reply.body).filedrop.max_upload_size, 5120);
  });

  test('require a confirmed sender’s address, or not, whatever the group says', async () => {
    const strict = await create({});
    const easy = await create({ confirm_sender: false });
    const needs = async ({ name }: SystemDropBody) =>
      /we e-mail you a code/.test((await new Browser(app.url).get(`/filedrop/${name}`)).text);
    assert.deepEqual([await needs(strict), await needs(easy)], [true, false]);
  });

  test('stop immediately when they are closed, moved to another address, or deleted', async () => {
    const drop = await create({});
    const key = await visitor(drop.name);
    assert.equal((await change(drop.id, { open: false })).status, 200);
    assert.equal((await upload(key, drop.name)).status, 404);
    assert.equal((await new Browser(app.url).get(`/filedrop/${drop.name}`)).status, 404);
    assert.equal((await change(drop.id, { open: true, name: `${drop.name}-new` })).status, 200);
    await app.anonymous.expect(404, 'getFiledrop', { params: { name: drop.name } });
    assert.notEqual((await upload(key, `${drop.name}-new`)).status, 200, 'a key works only at the page that issued it');
    await deliver(`${drop.name}-new`, 'Kept');
    await boss.expect(200, 'deleteSystemDrop', { params: { id: drop.id } });
    await app.anonymous.expect(404, 'getFiledrop', { params: { name: `${drop.name}-new` } });
    await boss.refused(404, 'filedrop.not_found', 'getSystemDrop', { params: { id: drop.id } });
    assert.ok((await inbox(alice)).some(({ subject }) => subject === 'Kept'));
  });

  test('refuse invalid settings, with their field', async () => {
    const taken = await create({});
    const refused: [Record<string, unknown>, string, string][] = [
      [{ name: 'a' }, 'filedrop.bad_name', 'name'],
      [{ name: 'two words' }, 'filedrop.bad_name', 'name'],
      [{ name: 'alice@example.com' }, 'filedrop.bad_name', 'name'],
      [{ name: taken.name.toUpperCase() }, 'filedrop.name_taken', 'name'],
      [{ title: ' ' }, 'filedrop.bad_title', 'title'],
      [{ intro: 'x'.repeat(2001) }, 'filedrop.bad_intro', 'intro'],
      [{ receivers: [] }, 'filedrop.no_receiver', 'receivers'],
      [{ receivers: ['unknown@example.com'] }, 'filedrop.unknown_receiver', 'receivers'],
      [{ receivers: [chief.email] }, 'filedrop.unknown_receiver', 'receivers'],
      [{ receivers: Array.from({ length: 51 }, () => alice.email) }, 'filedrop.too_many_receivers', 'receivers'],
      [{ max_size: 0 }, 'filedrop.bad_size', 'max_size'],
      [{ permitted_extensions: 'a b' }, 'filedrop.bad_types', 'permitted_extensions'],
      [{ permitted_extensions: 'exe' }, 'filedrop.types_not_permitted', 'permitted_extensions'],
    ];
    const before = (await list()).length;
    for (const [settings, code, field] of refused) {
      const filedrop = { name: 'fresh', title: 'Fresh', receivers: [alice.email], ...settings };
      const { status, body } = await boss.call('createSystemDrop', { body: { filedrop } });
      const { code: returned, details } = body as { code: string; details?: { field?: string } };
      assert.deepEqual([status, returned], [422, code], JSON.stringify(settings).slice(0, 100));
      assert.ok(details === undefined || details.field === field);
    }
    assert.equal((await list()).length, before);
  });

  test('are not moved to the address of another one, and keep their own', async () => {
    const [drop, other] = [await create({}), await create({})];
    assertRefused(await change(drop.id, { name: other.name.toUpperCase() }), 422, 'filedrop.name_taken');
    assert.equal((await change(drop.id, { name: drop.name, title: 'Another title' })).status, 200);
  });

  test('with receivers of higher rank are changed by System Administrators only', async () => {
    const drop = await create({ receivers: [chief.email, alice.email] }, app.admin);
    const seen = (await list(boss)).find(({ id }) => id === drop.id)!;
    assert.equal(seen.may_change, false);
    assert.deepEqual(seen.receivers[0], { id: '', name: '', email: '', can_receive: true });
    for (const settings of [{ receivers: [boss.email] }, { title: 'Mine' }, { open: false }]) {
      const reply = await change(drop.id, settings);
      assert.deepEqual([reply.status, (reply.body as { code: string }).code], [403, 'filedrop.out_of_reach']);
    }
    await boss.refused(403, 'filedrop.out_of_reach', 'deleteSystemDrop', { params: { id: drop.id } });
    assert.equal((await list(auditor)).find(({ id }) => id === drop.id)!.receivers[0]!.email, chief.email);
    assert.equal((await change(drop.id, { title: 'Board' }, app.admin)).status, 200);
  });

  test('are in the log with old and new value', async () => {
    const drop = await create({ title: 'Before' });
    await change(drop.id, { title: 'After', receivers: [bob.email] });
    await boss.expect(200, 'deleteSystemDrop', { params: { id: drop.id } });
    const { body } = await app.admin.expect(200, 'listEvents', { query: { object: drop.id } });
    const { events } = body as {
      events: { action: string; changes: { field: string; from: unknown; to: unknown }[] }[];
    };
    assert.deepEqual(
      events.map(({ action }) => action),
      ['filedrop.deleted', 'filedrop.changed', 'filedrop.created'],
    );
    assert.deepEqual(events[1]!.changes, [
      { field: 'title', from: 'Before', to: 'After' },
      { field: 'receivers', from: [idOf(alice)], to: [idOf(bob)] },
    ]);
  });

  test('do not count as deliveries to the page of the person who keeps their files', async () => {
    const own = async () =>
      ((await bob.expect(200, 'getAppDrop')).body as { drop: { deliveries: number } }).drop.deliveries;
    const before = await own();
    await deliver((await create({ receivers: [bob.email] })).name);
    assert.equal(await own(), before);
  });
});
