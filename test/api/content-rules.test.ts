// Content rules of groups, and messages that a second person releases.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { encryptedZip } from '#server/lib/scanners/self-test.ts';
import { onEachDatabase } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { clickDownload } from '#test/kit/downloads.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { referenceOf } from '#test/kit/references.ts';
import { linkTo, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const program = new Uint8Array(Buffer.concat([Buffer.from('MZ'), Buffer.alloc(300)]));

onEachDatabase('Content rules', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let holding: ApiClient;
  let refusing: ApiClient;
  let refusingGroup: string;
  before(async () => {
    const rules = (action: string) => ({
      content_type_mismatch: action,
      content_encrypted_archives: action,
      content_archive_depth: 1,
    });
    holding = await newPerson(app, 'holding', { group: await app.group('Holding', rules('hold')) });
    refusingGroup = await app.group('Refusing', rules('refuse'));
    refusing = await newPerson(app, 'refusing', { group: refusingGroup });
  });
  const scan = () => app.app.jobs.runOnce('scan-files');
  const upload = async (owner: ApiClient, name: string, bytes: string | Uint8Array<ArrayBuffer>) =>
    (await owner.upload(name, bytes)).id;
  const fieldsOf = async (owner: ApiClient, id: string) => {
    const { body } = await owner.expect(200, 'listAttachments');
    return (body as { attachments: Record<string, unknown>[] }).attachments.find((file) => file.id === id)!;
  };

  test('a file waits for them without a virus scanner, and the fields do not claim a scan', async () => {
    const [bad, good] = [await upload(holding, 'photo.png', program), await upload(holding, 'good.txt', 'text')];
    assert.equal((await fieldsOf(holding, good)).available, false);
    await scan();
    const held = await fieldsOf(holding, bad);
    assert.deepEqual(
      [held.available, held.content_blocked, held.virus_scan_required, held.virus_scanned],
      [false, true, false, false],
    );
    assert.match(String(held.content_blocked_message), /not of the type/);
    assert.equal((await fieldsOf(holding, good)).available, true);
  });

  test('a held file may be sent, does not leave, and is in the quarantine with its reason', async () => {
    const id = await upload(holding, 'secret.zip', new Uint8Array(encryptedZip));
    await scan();
    const link = await linkTo(holding, id);
    assert.equal((await clickDownload(app.url, link)).path, null);
    const { body } = await app.admin.expect(200, 'listQuarantine');
    const { quarantine } = body as { quarantine: Record<string, unknown>[] };
    const held = quarantine.find((file) => file.filename === 'secret.zip')!;
    assert.deepEqual([held.verdict, held.reason], ['blocked', 'encrypted_archive']);
  });

  test('a group that refuses them answers 422 once it is known, also in a dry run', async () => {
    const id = await upload(refusing, 'photo.png', program);
    const message = { recipients: ['ben@example.com'], subject: 'x', attachments: [id] };
    await scan();
    const link = { link: { attachment: id } };
    await refusing.refused(422, 'attachment.content_blocked', 'createFileLink', { body: link });
    await refusing.refused(422, 'attachment.content_blocked', 'sendMessage', { body: { message } });
    const reply = await refusing.expect(200, 'sendMessage', { body: { message: { ...message, dry_run: true } } });
    const { rules } = (reply.body as { dry_run: { rules: { allowed: boolean; source: string }[] } }).dry_run;
    const refused = rules.filter(({ allowed }) => !allowed).map(({ source }) => source);
    assert.deepEqual(refused, ['content_type_mismatch']);
  });

  test('a replay names the sends that a stricter rule would refuse or hold', async () => {
    const group = await app.group('Lenient', { content_archive_depth: 5 });
    const lenient = await newPerson(app, 'lenient', { group });
    const id = await upload(lenient, 'photo.png', program);
    await scan();
    await sendMessage(lenient, { recipients: ['ben@example.com'], subject: 'x', attachments: [id] });
    const replay = async (changes: Record<string, unknown>) => {
      const call = { params: { id: group }, body: { replay: { group: changes } } };
      const { body } = await app.admin.expect(200, 'replayGroup', call);
      return (body as { replay: { refused: { rules: { source: string }[] }[]; changed: { values: unknown[] }[] } })
        .replay;
    };
    const [refused] = (await replay({ content_type_mismatch: 'refuse' })).refused;
    assert.deepEqual(
      refused?.rules.map(({ source }) => source),
      ['content_type_mismatch'],
    );
    const [changed] = (await replay({ content_type_mismatch: 'hold', message_review: 'held' })).changed;
    assert.deepEqual(changed?.values, [
      { field: 'held_files', from: 0, to: 1 },
      { field: 'message_review', from: false, to: true },
    ]);
    assert.deepEqual(await replay({}), { ...(await replay({})), refused: [], changed: [] });
  });
});

onEachDatabase('A message that a second person releases', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  let ben: ApiClient;
  let sent = 0;
  before(async () => {
    const group = await app.group('Reviewed', { message_review: 'all' });
    alice = await newPerson(app, 'alice', { group });
    ben = await newPerson(app, 'ben');
  });
  const run = (job: string) => app.app.jobs.runOnce(job);
  const send = async () => {
    sent += 1;
    const subject = `Message ${sent}`;
    const attachments = [inlineFile('a.txt', `text ${sent}`)];
    return sendMessage(alice, { recipients: [ben.email], subject, send_email: true, attachments });
  };
  const nameOf = async (id: string) => {
    const { reference } = await referenceOf(app, id);
    const { body } = await app.admin.expect(200, 'listReviews');
    const { reviews } = body as { reviews: { transfer: { reference: string } }[] };
    assert.ok(reviews.some(({ transfer }) => transfer.reference === reference));
    return { id: reference };
  };
  const mailsOf = (id: string) =>
    app.app.ctx.db.read
      .selectFrom('outbox')
      .select(['state', 'attempts'])
      .where('message_id', '=', id)
      .where('recipient', '=', ben.email)
      .execute();
  const review = { reason: 'Looked at it' };
  const isInInbox = async (id: string) => (await ben.expect(200, 'listInbox')).text.includes(id);
  const stateOf = async (id: string) => {
    const { body } = await alice.expect(200, 'getSentMessage', { params: { id } });
    const { state, review: decision } = (body as { message: { state: string; review: unknown } }).message;
    return { state, decision };
  };

  test('reaches nobody before, and its sender sees why', async () => {
    const { id } = await send();
    await run('send-outbox');
    assert.deepEqual(await mailsOf(id), [{ state: 'pending', attempts: 0 }]);
    assert.equal((await ben.call('getMessage', { params: { id } })).status, 404);
    assert.equal(await isInInbox(id), false);
    const { body } = await alice.expect(200, 'getMessage', { params: { id } });
    const [file] = (body as { message: { attachments: { url: string }[] } }).message.attachments;
    assert.equal((await ben.fetch(file!.url.slice(app.url.length), {})).status, 404);
    assert.equal((await alice.fetch(file!.url.slice(app.url.length), {})).status, 200);
    const waiting = { state: 'waiting', reason: null, decided_at: null };
    assert.deepEqual(await stateOf(id), { state: 'in_review', decision: waiting });
  });

  test('is not decided by its sender, without a reason, by users, or twice', async () => {
    const { id } = await send();
    const params = await nameOf(id);
    await alice.refused(403, 'admin.not_permitted', 'releaseMessage', { params, body: { review } });
    await app.admin.refused(422, 'user.reason_missing', 'releaseMessage', {
      params,
      body: { review: { reason: ' ' } },
    });
    await app.admin.expect(200, 'releaseMessage', { params, body: { review } });
    await app.admin.refused(422, 'review.not_waiting', 'refuseMessage', { params, body: { review } });
    assert.equal((await ben.call('getMessage', { params: { id } })).status, 200);
    await app.app.ctx.db.write(async (tx) => {
      const admin = await tx.selectFrom('users').select('id').where('email', '=', app.admin.email).executeTakeFirst();
      await tx
        .updateTable('messages')
        .set({ owner_id: admin!.id, review_state: 'waiting' })
        .where('id', '=', id)
        .execute();
    });
    await app.admin.refused(403, 'review.own_message', 'releaseMessage', { params, body: { review } });
  });

  test('is delivered when it is released', async () => {
    const { id } = await send();
    const params = await nameOf(id);
    await run('scan-files');
    await app.admin.expect(200, 'releaseMessage', { params, body: { review } });
    await run('send-outbox');
    assert.equal((await mailsOf(id))[0]!.attempts, 1);
    assert.equal(await isInInbox(id), true);
    assert.match(JSON.stringify((await stateOf(id)).decision), /"state":"released","reason":"Looked at it"/);
  });

  test('is withdrawn when it is refused, with the reason for its sender', async () => {
    const { id } = await send();
    const params = await nameOf(id);
    await app.admin.expect(200, 'refuseMessage', { params, body: { review } });
    await run('send-outbox');
    assert.equal((await mailsOf(id))[0]!.state, 'cancelled');
    assert.equal((await ben.call('getMessage', { params: { id } })).status, 404);
    const { state, decision } = await stateOf(id);
    assert.equal(state, 'refused');
    assert.match(JSON.stringify(decision), /"state":"refused","reason":"Looked at it"/);
    const { text } = await app.admin.expect(200, 'listEvents', { query: { action: 'message.review_refused' } });
    assert.match(text, /message\.review_refused/);
  });

  test('waits only if a file is held, where the group says so, and its release frees the file', async () => {
    const rules = { message_review: 'held', content_type_mismatch: 'hold' };
    const carl = await newPerson(app, 'carl', { group: await app.group('Held only', rules) });
    const to = { recipients: [ben.email], subject: 'x', send_email: true };
    const good = await sendMessage(carl, { ...to, attachments: [inlineFile('a.txt', 'text')] });
    const bad = await sendMessage(carl, { ...to, attachments: [inlineFile('a.png', program)] });
    await run('scan-files');
    await run('send-outbox');
    assert.deepEqual([await isInInbox(good.id), await isInInbox(bad.id)], [true, false]);
    const params = await nameOf(bad.id);
    await app.admin.expect(200, 'releaseMessage', { params, body: { review } });
    assert.equal(await isInInbox(bad.id), true);
    const { body } = await ben.expect(200, 'getMessage', { params: { id: bad.id } });
    const { attachments } = (body as { message: { attachments: { available: boolean }[] } }).message;
    assert.deepEqual(
      attachments.map(({ available }) => available),
      [true],
    );
  });
});
