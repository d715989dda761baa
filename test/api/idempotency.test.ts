import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { claimKey, findAnswer } from '#server/db/system/idempotency.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import { assertRefused, type Reply } from '#test/kit/client.ts';
import { attachmentRow } from '#test/kit/inside.ts';
import { listLinks } from '#test/kit/links.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const dayMs = 24 * 3_600_000;

onEachDatabase('Idempotency-Key', (start) => {
  const app = useApp(start);
  const alice = usePerson(app, 'alice');
  const bob = usePerson(app, 'bob');
  let keys = 0;

  const freshKey = () => `key-${keys++}`;
  const create = (key: string, link: Record<string, unknown>, who = alice): Promise<Reply> =>
    who.call('createFileLink', { body: { link }, headers: { 'idempotency-key': key } });
  const newFile = async (who = alice) => (await who.upload('a.txt', 'hello')).id;

  async function created(...args: Parameters<typeof create>): Promise<Reply> {
    const reply = await create(...args);
    assert.equal(reply.status, 200, reply.text);
    return reply;
  }

  async function refused(code: string, ...args: Parameters<typeof create>): Promise<void> {
    assertRefused(await create(...args), 422, code);
  }

  test('is refused if empty, too long or not printable', async () => {
    const attachment = await newFile();
    for (const key of ['', 'k'.repeat(256), 'two words', 'caf\u00e9'])
      await refused('idempotency.bad_key', key, { attachment });
    assert.equal((await attachmentRow(app, attachment)).reference_count, 0);
  });

  test('is refused with 422 with another body', async () => {
    const attachment = await newFile();
    const key = freshKey();
    await created(key, { attachment });
    await refused('idempotency.key_reused', key, { attachment, expires_at: '2026-11-20' });
    await refused('idempotency.key_reused', key, { attachment: 'NoSuchFileNoSuchFileNo' });
    assert.equal((await attachmentRow(app, attachment)).reference_count, 1);
  });

  test('is not stored for a refused request', async () => {
    const attachment = await newFile();
    const key = freshKey();
    await refused('link.expiry_past', key, { attachment, expires_at: '2026-11-01' });
    await refused('link.attachment_unknown', key, { attachment: 'NoSuchFileNoSuchFileNo' });
    await created(key, { attachment });
  });

  test('returns the same answer, byte for byte, and creates nothing new', async () => {
    const attachment = await newFile();
    const key = freshKey();
    const link = { attachment, password: 'correct horse', expires_at: '2026-11-20' };
    const first = await created(key, link);
    app.clock.advance(3_600_000);
    const again = await created(key, link);
    assert.equal(again.text, first.text);
    assert.equal((await attachmentRow(app, attachment)).reference_count, 1);
    assert.equal((await listLinks(alice)).filter(({ id }) => first.text.includes(id)).length, 1);
  });

  test('returns the same answer when the request would be refused now', async () => {
    const attachment = await newFile();
    const key = freshKey();
    const tonight = new Date(app.clock.now()).toISOString().slice(0, 10);
    const link = { attachment, expires_at: tonight };
    const first = await created(key, link);
    app.clock.advance(23 * 3_600_000);
    assert.equal((await created(key, link)).text, first.text);
    const { id } = (first.body as { link: { id: string } }).link;
    await alice.expect(200, 'deleteFileLink', { params: { id } });
    assert.equal((await created(key, link)).text, first.text);
    assert.equal((await attachmentRow(app, attachment)).state, 'erased');
  });

  test('creates one link from many concurrent requests', async () => {
    const attachment = await newFile();
    const key = freshKey();
    const replies = await Promise.all(Array.from({ length: 8 }, () => created(key, { attachment })));
    assert.equal(new Set(replies.map((reply) => reply.text)).size, 1);
    assert.equal((await attachmentRow(app, attachment)).reference_count, 1);
  });

  test('returns the answer of the first to all concurrent requests, also when a second one would exceed a limit', async () => {
    const recipients = Array.from({ length: 300 }, (_, index) => `person-${index}@harbour.example`);
    const body = { message: { recipients, subject: 'To 300 of 500 an hour', send_email: true } };
    const headers = { 'idempotency-key': freshKey() };
    const replies = await Promise.all(Array.from({ length: 3 }, () => bob.call('sendMessage', { body, headers })));
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200],
      replies.map(({ text }) => text.slice(0, 200)).join('\n'),
    );
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
    await bob.refused(422, 'message.mail_limit', 'sendMessage', { body, headers: { 'idempotency-key': freshKey() } });
  });

  test('cannot be used again while its answer is stored, and can be used from then on', async () => {
    const { db, random } = app.app.ctx;
    const { id: ownerId } = await db.read.selectFrom('users').select('id').limit(1).executeTakeFirstOrThrow();
    const place = { ownerId, keyHash: random.bytes(32) };
    const claim = (answer: string, createdAt: number) =>
      db.write((tx) => claimKey(tx, place, { requestHash: random.bytes(32), answer, createdAt }, createdAt - dayMs));
    const now = app.clock.now();
    assert.equal(await claim('first', now), true);
    assert.equal(await claim('second', now), false);
    assert.equal(await claim('third', now + dayMs), false);
    assert.equal((await findAnswer(db.read, place))?.answer, 'first');
    assert.equal(await claim('fourth', now + dayMs + 1), true);
    assert.equal((await findAnswer(db.read, place))?.answer, 'fourth');
  });

  test('belongs to its person, and without one nothing is stored', async () => {
    const [hers, his] = [await newFile(alice), await newFile(bob)];
    const key = freshKey();
    await created(key, { attachment: hers });
    await created(key, { attachment: his }, bob);
    for (let count = 0; count < 2; count++)
      await alice.expect(200, 'createFileLink', { body: { link: { attachment: hers } } });
    assert.equal((await attachmentRow(app, hers)).reference_count, 3);
    assert.equal((await attachmentRow(app, his)).reference_count, 1);
  });

  test('is new again after 24 hours, whether or not the job has deleted it', async () => {
    for (const isTidied of [false, true]) {
      const attachment = await newFile();
      const key = freshKey();
      const first = await created(key, { attachment });
      app.clock.advance(dayMs);
      assert.equal((await created(key, { attachment })).text, first.text);
      app.clock.advance(1);
      if (isTidied) await app.app.jobs.runOnce('tidy');
      const second = await created(key, { attachment });
      assert.notEqual(second.text, first.text);
      assert.equal((await created(key, { attachment })).text, second.text);
      assert.equal((await attachmentRow(app, attachment)).reference_count, 2);
    }
  });

  test('stores neither request nor answer in readable form', async () => {
    const attachment = await newFile();
    const body = { link: { attachment, password: 'swordfish' } };
    const reply = await alice.expect(200, 'createFileLink', { body, headers: { 'idempotency-key': freshKey() } });
    const rows = await app.app.ctx.db.read.selectFrom('idempotency').selectAll().execute();
    const guess = createHash('sha256').update(JSON.stringify(body)).digest();
    const { id } = (reply.body as { link: { id: string } }).link;
    for (const row of rows) {
      assert.ok(!Buffer.from(row.request_hash).equals(guess), 'a password could be tried against this');
      assert.ok(!Buffer.from(row.answer_sealed).includes(id));
      assert.ok(!Buffer.from(row.key_hash).includes('key-'));
    }
  });
});
