import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { attachmentAnswer } from '#contract/attachments.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import { Browser, type PageReply } from '#test/kit/browser.ts';
import { ApiClient } from '#test/kit/client.ts';
import { newNetwork } from '#test/kit/distant-browser.ts';
import { attachmentRow, chargeOf } from '#test/kit/inside.ts';
import { openMailbox } from '#test/kit/mailbox.ts';
import { browserProving, newPerson } from '#test/kit/messages.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const real = 'alice@quay.example';
/** An unknown address, a disabled user, a user whose group has no such page, and a user who closed theirs. */
const others = ['unknown@quay.example', 'gone@quay.example', 'shy@quay.example', 'closed@quay.example'];
const sam = 'sam@elsewhere.example';

onEachDatabase('Drop pages by address', (start) => {
  const mailbox = openMailbox();
  const environment = { ...mailbox.options.environment, WAYBILL_TRUST_PROXY: '127.0.0.1' };
  const app = useApp(start, { ...mailbox.options, environment });
  beforeEach(() => app.clock.advance(2 * 3_600_000));
  let alice: ApiClient;
  let closed: ApiClient;
  let group: string;
  before(async () => {
    group = await app.group('Reachable', { filedrop_email: true, filedrop_confirm_sender: false });
    alice = await newPerson(app, 'Alice Smith', { group, email: real });
    await newPerson(app, 'gone', { group, email: 'gone@quay.example' });
    await newPerson(app, 'shy', { email: 'shy@quay.example' });
    closed = await newPerson(app, 'closed', { group, email: 'closed@quay.example' });
    await closed.expect(200, 'changeAppDrop', { body: { is_open: false } });
    await app.admin.expect(200, 'changeUser', {
      params: { id: 'gone-quay-example' },
      body: { user: { disabled: true } },
    });
  });

  /** Removes what differs in any case: the address itself, ids, keys, times, masked values. */
  const neutral = (text: string, address: string) =>
    text
      .replaceAll(encodeURIComponent(address), 'ADDRESS')
      .replaceAll(address, 'ADDRESS')
      .replace(/\/mail\/[\w-]+/g, '/mail/ID')
      .replace(/value="~[\w-]+"/g, 'value="MASKED"')
      .replace(/\b[A-Za-z0-9]{22}\b/g, 'ID')
      .replace(/"request_id":"[^"]*"/g, '')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');

  const readDrop = async (name: string) =>
    (await app.anonymous.expect(200, 'getFiledrop', { params: { name } })).body as {
      filedrop: { api_key: string; name: string };
    };

  async function program(name: string): Promise<ApiClient> {
    return new ApiClient(app.url, (await readDrop(name)).filedrop.api_key, '');
  }

  async function handIn(
    client: ApiClient,
    name: string,
    query: Record<string, string>,
    bytes = 'plan',
  ): Promise<string> {
    const headers = { 'x-forwarded-for': newNetwork() };
    const reply = await client.expect(200, 'uploadForFiledrop', { params: { name }, query, bytes, headers });
    return reply.text === '' ? '' : wireForm(attachmentAnswer, reply.body).attachment.id;
  }

  const deliver = (client: ApiClient, name: string, attachments: string[], from = sam) =>
    client.call('submitFiledrop', { params: { name }, body: { message: { from, subject: 'Plans', attachments } } });

  const inbox = async (who = alice) =>
    ((await who.expect(200, 'listInbox')).body as { messages: unknown[] }).messages.length;

  test('an address at a domain without such pages is unknown', async () => {
    for (const name of ['unknown@example.com', 'alice@quay.example.evil.example', 'alice@sub.quay.example'])
      await app.anonymous.refused(404, 'filedrop.not_found', 'getFiledrop', { params: { name } });
  });

  testOnce('form and answer are the same for every address, and name the address alone', async () => {
    const page = async (name: string) => (await new Browser(app.url).get(`/filedrop/${name}`)).text;
    const expectedPage = neutral(await page(real), real);
    const answer = neutral(JSON.stringify(await readDrop(real)), real);
    assert.doesNotMatch(expectedPage + answer, /Alice|Smith/);
    for (const name of others) {
      assert.equal(neutral(await page(name), name), expectedPage, name);
      assert.equal(neutral(JSON.stringify(await readDrop(name)), name), answer, name);
    }
  });

  testOnce(
    'refusals, uploads in chunks and the delivery end the same, and only the one to a user is delivered',
    async () => {
      const stories: string[] = [];
      for (const name of [real, ...others]) {
        const client = await program(name);
        const replies = [
          await client.call('uploadForFiledrop', { params: { name }, query: { filename: 'virus.exe' }, bytes: 'x' }),
          await deliver(client, name, ['A'.repeat(22)]),
        ];
        const file = await handIn(client, name, { filename: 'plan.txt' });
        assert.equal(await handIn(client, name, { filename: 'large.bin', chunks: '2', chunk: '0' }), '');
        const large = await handIn(client, name, { filename: 'large.bin', chunks: '2', chunk: '1' });
        replies.push(await deliver(client, name, [file, large], 'no address'));
        replies.push(await deliver(client, name, [file, large]));
        replies.push(await deliver(client, name, [file]));
        stories.push(replies.map(({ status, text }) => `${status} ${neutral(text, name)}`).join('\n'));
      }
      assert.match(stories[0]!, /delivered/);
      assert.deepEqual(new Set(stories).size, 1, stories.join('\n'));
      assert.equal(await inbox(), 1);
      assert.equal(await inbox(closed), 0);
    },
  );

  test('a page that closes between a view and the delivery accepts nothing more, and reveals no more than before', async () => {
    const name = 'closing@quay.example';
    const closing = await newPerson(app, 'closing', { group, email: name });
    const client = await program(name);
    const file = await handIn(client, name, { filename: 'plan.txt' });
    await closing.expect(200, 'changeAppDrop', { body: { is_open: false } });
    const late = await deliver(client, name, [file]);
    assert.deepEqual([late.status, await inbox(closing)], [401, 0]);
    assert.equal((await deliver(await program(name), name, [file])).status, 422);
    await closing.expect(200, 'changeAppDrop', { body: { is_open: true } });
    assert.equal((await deliver(client, name, [file])).status, 200);
    assert.equal(await inbox(closing), 1);
  });

  testOnce('files for an unknown address are deleted, and no mail is sent about them', async () => {
    await mailbox.post(app);
    const before = [await inbox(), await chargeOf(app, real)];
    const client = await program(others[0]!);
    const file = await handIn(client, others[0]!, { filename: 'plan.txt' }, 'x'.repeat(5000));
    assert.doesNotMatch((await alice.expect(200, 'listAttachments')).text, new RegExp(file));
    const forgotten = await handIn(client, others[0]!, { filename: 'other.txt' });
    assert.equal((await deliver(client, others[0]!, [file])).status, 200);
    for (const id of [file, forgotten]) assert.equal((await attachmentRow(app, id)).state, 'erased');
    assert.deepEqual([await inbox(), await chargeOf(app, real)], before);
    assert.deepEqual(await mailbox.post(app), []);
    const events = await app.app.ctx.db.read
      .selectFrom('events')
      .selectAll()
      .where('action', '=', 'filedrop.discarded')
      .execute();
    assert.ok(events.some(({ object_id }) => object_id === others[0]));
  });

  test('a key is valid at the page that issued it, and not at the placeholder page of an unknown address', async () => {
    for (const [from, to] of [
      [others[0]!, real],
      [real, others[0]!],
      [others[0]!, others[1]!],
    ] as const) {
      const client = await program(from);
      await client.refused(401, 'credentials.invalid', 'uploadForFiledrop', {
        params: { name: to },
        query: { filename: 'a.txt' },
        bytes: 'x',
      });
    }
  });

  test('a visitor with a proven address gets the same page and the same receipt', async () => {
    const pages: string[] = [];
    const receipts: string[] = [];
    for (const name of [real, others[0]!]) {
      await mailbox.post(app);
      const browser = await browserProving(app, sam);
      const page = await browser.get(`/filedrop/${name}`);
      const drop_key = Browser.hidden(page, 'drop_key');
      const client = new ApiClient(app.url, drop_key, '');
      const attachments = await handIn(client, name, { filename: 'plan.txt' });
      const done: PageReply = await browser.send(`/filedrop/${name}`, { drop_key, attachments, subject: 'x' });
      assert.equal(done.status, 200);
      pages.push(neutral(done.text, name));
      const [mail] = (await mailbox.post(app)).filter(({ to }) => to === sam);
      receipts.push(neutral(`${mail!.subject}\n${mail!.text}`, name));
    }
    assert.equal(pages[1], pages[0]);
    assert.equal(receipts[1], receipts[0]);
    assert.doesNotMatch(pages[0]! + receipts[0]!, /Alice|Smith/);
  });

  testOnce('an unknown address accepts thirty deliveries an hour too', async () => {
    const name = 'busy@quay.example';
    const statuses: number[] = [];
    for (let round = 0; round < 31; round++) {
      const client = await program(name);
      statuses.push((await deliver(client, name, [await handIn(client, name, { filename: 'a.txt' })])).status);
    }
    assert.deepEqual([statuses.slice(0, 30).every((status) => status === 200), statuses[30]], [true, 422]);
  });
});
