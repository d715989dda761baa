import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sealAll } from '#server/actions/evidence/seal.ts';
import { addCosignature, admitWitness, removeWitness } from '#server/actions/evidence/witnesses.ts';
import { closeRequest, reopenRequest } from '#server/actions/file-requests/changes.ts';
import { createFileRequest } from '#server/actions/file-requests/file-requests.ts';
import { findFiledrop, issueKeyFor, requireDropKey } from '#server/actions/filedrops/filedrops.ts';
import { callerOf } from '#server/actions/sessions/identities.ts';
import { answerRequest, deliverToDrop } from '#server/actions/submissions/submissions.ts';
import { findCheckpoint, findLogHead, listWitnesses } from '#server/db/evidence/evidence.ts';
import { findMail, leaseMail } from '#server/db/mail/outbox.ts';
import { findUserByEmail } from '#server/db/users/users.ts';
import { systemCaller, type UserCaller } from '#server/domain/caller.ts';
import type { FileRequest } from '#server/domain/file-requests.ts';
import type { MailResult } from '#server/domain/ports.ts';
import { recordResult } from '#server/jobs/mail-results.ts';
import { cosign } from '#server/lib/tlog/checkpoints.ts';
import { parseNote, signatureLine, signatureTypes, signerFromSeed, verifierKey } from '#server/lib/tlog/notes.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { ApiClient } from '#test/kit/client.ts';
import { appendEvents } from '#test/kit/evidence.ts';
import { sendMessage } from '#test/kit/messages.ts';
import { rawRequest } from '#test/kit/raw-requests.ts';
import { eventsLeftBy } from '#test/kit/recorded.ts';
import { referenceOf } from '#test/kit/references.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const ben = 'ben@harbour.example';
const hourMs = 3_600_000;

onOneEngine('A submission', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  const leftBy = (work: () => Promise<unknown>) => eventsLeftBy(app, work);
  let people = 0;
  const newCaller = async (
    settings: Record<string, unknown> = {},
  ): Promise<{ client: ApiClient; caller: UserCaller }> => {
    people += 1;
    const group = await app.group(`Group ${people}`, { filedrop_confirm_sender: false, ...settings });
    const client = await newPerson(app, `owner${people}`, { group });
    const user = (await findUserByEmail(app.app.ctx.db.read, client.email))!;
    return { client, caller: callerOf(user, systemCaller.from) };
  };
  const ask = (caller: UserCaller, more: { isReusable?: boolean } = {}) =>
    createFileRequest(app.app.ctx, caller, {
      recipient: ben,
      names: [],
      subject: 'Your drawings',
      body: '',
      sendEmail: false,
      expiresOn: undefined,
      isReusable: undefined,
      copyToSender: false,
      once: null,
      ...more,
    });
  const idIn = ({ body }: { body: unknown }) => (body as { attachment: { id: string } }).attachment.id;
  const handIn = async ({ id }: FileRequest) =>
    idIn(
      await app.anonymous.expect(200, 'uploadForRequest', { params: { id }, query: { filename: 'a' }, bytes: 'plan' }),
    );
  const submissionOf = (...attachmentIds: string[]) => ({
    attachmentIds,
    sender: { address: ben, name: 'Ben', isConfirmed: false },
    subject: 'Drawings',
    note: '',
  });
  const answer = (request: FileRequest, ...ids: string[]) =>
    answerRequest(app.app.ctx, systemCaller, request, submissionOf(...ids));
  /** A key of the person's drop page, with one file uploaded under it. */
  const openDrop = async (client: ApiClient, bytes: string) => {
    const { ctx } = app.app;
    const { body } = await client.expect(200, 'getAccount');
    const name = (body as { user: { filedrop_url: string } }).user.filedrop_url.split('/').at(-1)!;
    const key = await issueKeyFor(ctx, (await findFiledrop(ctx, name))!);
    const file = { params: { name }, query: { filename: 'a' }, bytes };
    const fileId = idIn(await new ApiClient(app.url, key, '').expect(200, 'uploadForFiledrop', file));
    return { access: await requireDropKey(ctx, systemCaller, name, key), fileId };
  };

  test('to a request is recorded, and so are its end and reopening', async () => {
    const { ctx } = app.app;
    const { caller } = await newCaller();
    const request = await ask(caller, { isReusable: true });
    const file = await handIn(request);
    let reference = '';
    const answered = await leftBy(async () => {
      ({ reference } = await answer(request, file));
    });
    const facts = { files: 1, size: 4, request: (await referenceOf(app, request.id)).reference, confirmed: false };
    assert.deepEqual(answered, [
      { action: 'request.answered', actor: '', object: `message ${reference}`, owner: caller.userId, facts },
    ]);
    const changed = await leftBy(async () => {
      await closeRequest(ctx, caller, request.id);
      await reopenRequest(ctx, caller, request.id, { expiresOn: undefined, sendEmail: false });
    });
    const about = { actor: caller.userId, object: `request ${request.id}`, owner: caller.userId };
    const reopened = { from: request.expiresOn, expires: request.expiresOn, mailed: false };
    assert.deepEqual(changed, [
      { action: 'request.closed', ...about, facts: {} },
      { action: 'request.reopened', ...about, facts: reopened },
    ]);
  });

  test('to a drop page is recorded, and its key works once', async () => {
    const { client, caller } = await newCaller();
    const { access, fileId } = await openDrop(client, 'files');
    const { ctx } = app.app;
    let reference = '';
    const delivered = await leftBy(async () => {
      ({ reference } = await deliverToDrop(ctx, systemCaller, access, submissionOf(fileId)));
    });
    const facts = { files: 1, size: 5, request: '', confirmed: false };
    assert.deepEqual(delivered, [
      { action: 'filedrop.delivered', actor: '', object: `message ${reference}`, owner: caller.userId, facts },
    ]);
    const again = () => deliverToDrop(ctx, systemCaller, access, submissionOf('another'));
    assert.deepEqual(await leftBy(() => assert.rejects(again(), { code: 'filedrop.key_used' })), []);
  });

  test('that waits at a drop page becomes the owner’s only if they have storage for it', async () => {
    const { client, caller } = await newCaller({ storage_quota: 1, filedrop_max_size: 1 });
    await client.upload('own.bin', 'x'.repeat(600_000));
    const tooMuch = await openDrop(client, 'y'.repeat(600_000));
    const { ctx } = app.app;
    const deliver = ({ access, fileId }: typeof tooMuch) =>
      deliverToDrop(ctx, systemCaller, access, submissionOf(fileId));
    assert.deepEqual(await leftBy(() => assert.rejects(deliver(tooMuch), { code: 'submission.no_room' })), []);
    const small = await openDrop(client, 'small');
    const delivered = await leftBy(() => deliver(small));
    assert.deepEqual(
      delivered.map(({ action, owner }) => [action, owner]),
      [['filedrop.delivered', caller.userId]],
    );
  });

  test('by the form of a drop page is returned with its errors, and delivers nothing', async () => {
    const { client } = await newCaller();
    const { body } = await client.expect(200, 'getAccount');
    const path = new URL((body as { user: { filedrop_url: string } }).user.filedrop_url).pathname;
    const browser = new Browser(app.url);
    const drop_key = Browser.hidden(await browser.get(path), 'drop_key');
    let shown = '';
    const events = await leftBy(async () => {
      const fields = { drop_key, email: ben, subject: 'x'.repeat(5000) };
      shown = (await browser.submitFiles(path, fields, [{ name: 'a.txt', bytes: 'a' }])).text;
    });
    assert.match(shown, /Use at most \d+ characters for the subject\./);
    assert.deepEqual(
      events.map(({ action }) => action),
      ['attachment.uploaded'],
    );
    const form = { method: 'POST', headers: { origin: app.url, 'content-type': 'multipart/form-data' } };
    const unreadable = await rawRequest(`${app.url}${path}`, { ...form, body: 'x' });
    assert.equal(unreadable.status, 422);
    assert.deepEqual((await client.expect(200, 'listInbox')).body, { messages: [] });
  });

  test('can have 1,000 files, and not one more', async () => {
    const { caller } = await newCaller();
    const request = await ask(caller);
    const ids = Array.from({ length: 1001 }, (_, index) => `file${index}`);
    await assert.rejects(answer(request, ...ids), { code: 'submission.too_many_files' });
    await assert.rejects(answer(request, ...ids.slice(1)), { code: 'submission.unknown_file' });
    await assert.rejects(answer(request), { code: 'submission.no_files' });
  });

  test('to one request is accepted thirty times an hour', async () => {
    const { read, write } = app.app.ctx.db;
    const { caller } = await newCaller();
    const request = await ask(caller, { isReusable: true });
    const { reference } = await answer(request, await handIn(request));
    const row = await read.selectFrom('messages').selectAll().where('id', '=', reference).executeTakeFirstOrThrow();
    await write(async (tx) => {
      for (let copy = 2; copy < 30; copy++)
        await tx
          .insertInto('messages')
          .values({ ...row, id: `${request.id.slice(2)}${copy}` })
          .execute();
    });
    await answer(request, await handIn(request));
    const late = await handIn(request);
    await assert.rejects(answer(request, late), { code: 'submission.too_many', values: { n: 30 } });
    app.clock.advance(hourMs);
    await answer(request, late);
  });

  test('a deferred and a refused mail are recorded with the answer of the server', async () => {
    const { ctx } = app.app;
    const { client, caller } = await newCaller();
    const { id } = await sendMessage(client, { recipients: [ben], send_email: true, message_authorization: 1 });
    const mail = await ctx.db.read
      .selectFrom('outbox')
      .select('id')
      .where('message_id', '=', id)
      .where('recipient', '=', ben)
      .executeTakeFirstOrThrow();
    const result = async (result: MailResult) => {
      app.clock.advance(hourMs);
      const now = app.clock.now();
      assert.ok(await ctx.db.write((tx) => leaseMail(tx, mail.id, now, now + 1)));
      const lease = { id: mail.id, endsAt: now + 1 };
      return leftBy(async () => recordResult(ctx, (await findMail(ctx.db.read, mail.id))!, lease, result));
    };
    const about = { actor: '', object: `message ${id}`, owner: caller.userId };
    const facts = { recipient: ben, kind: 'message' };
    assert.deepEqual(await result({ outcome: 'deferred', reason: '451 later' }), [
      { action: 'mail.deferred', ...about, facts: { ...facts, words: '451 later' } },
    ]);
    assert.deepEqual(await result({ outcome: 'refused', reason: '550 unknown' }), [
      { action: 'mail.refused', ...about, facts: { ...facts, words: '550 unknown' } },
    ]);
  });

  describe('the signature of a witness', () => {
    const witnessOf = (seed: number, name = `elsewhere.example/witness${seed}`) => {
      const signer = signerFromSeed(name, signatureTypes.witness, Buffer.alloc(32, seed));
      const sign = async ({ size, text }: { size: number; text: string }, aheadSeconds = 0) => {
        const line = signatureLine(cosign(text, signer, Math.floor(app.clock.now() / 1000) + aheadSeconds));
        return { size, key: verifierKey(signer), line };
      };
      return { key: verifierKey(signer), sign };
    };
    const seal = async () => {
      const { ctx } = app.app;
      await appendEvents(ctx, 1);
      await sealAll(ctx);
      const { size } = (await findLogHead(ctx.db.read))!;
      return { size, text: parseNote((await findCheckpoint(ctx.db.read, size))!.note).text };
    };
    const linesAt = async (size: number) =>
      (await findCheckpoint(app.app.ctx.db.read, size))!.cosignatures.split('\n').length - 1;

    test('is recorded the first time; later ones replace it, and an older checkpoint changes nothing', async () => {
      const { ctx } = app.app;
      const { caller } = await newCaller({ role: 'system_administrator' });
      const [one, two] = [witnessOf(1), witnessOf(2)];
      const [old, head] = [await seal(), await seal()];
      const add = async ({ sign }: typeof one, checkpoint: typeof old) => {
        const cosigned = await sign(checkpoint);
        return leftBy(() => addCosignature(ctx, caller, cosigned));
      };
      const about = { actor: caller.userId, object: 'system evidence', owner: '' };
      const added = { action: 'evidence.witness_added', ...about };
      assert.deepEqual(await add(one, head), [{ ...added, facts: { witness: one.key } }]);
      assert.deepEqual(await add(two, head), [{ ...added, facts: { witness: two.key } }]);
      app.clock.advance(1000);
      assert.deepEqual(await add(one, head), []);
      assert.equal(await linesAt(head.size), 2, 'one line of each');
      assert.equal((await addCosignature(ctx, caller, await one.sign(old))).size, head.size);
      assert.equal(await linesAt(old.size), 0);
    });

    test('is refused of a witness that no System Administrator or operator has admitted', async () => {
      const { ctx } = app.app;
      const { caller: root } = await newCaller({ role: 'system_administrator' });
      const checkpoint = await seal();
      const cosigned = await witnessOf(5).sign(checkpoint);
      for (const role of ['auditor', 'administrator'] as const) {
        const { caller } = await newCaller({ role });
        const refused = { kind: 'forbidden', code: 'evidence.witness_not_admitted' };
        await assert.rejects(addCosignature(ctx, caller, cosigned), refused);
        if (role === 'administrator')
          await assert.rejects(admitWitness(ctx, caller, cosigned.key), { kind: 'forbidden' });
        await assert.rejects(removeWitness(ctx, caller, cosigned.key), { kind: 'forbidden' });
      }
      assert.equal(await linesAt(checkpoint.size), 0);
      assert.equal(await admitWitness(ctx, root, cosigned.key), true);
      assert.equal(await admitWitness(ctx, root, cosigned.key), false);
      const { caller: auditor } = await newCaller({ role: 'auditor' });
      assert.equal((await addCosignature(ctx, auditor, cosigned)).size, checkpoint.size);
      const about = { actor: root.userId, object: 'system evidence', owner: '' };
      assert.deepEqual(await leftBy(() => removeWitness(ctx, root, cosigned.key)), [
        { action: 'evidence.witness_removed', ...about, facts: { witness: cosigned.key } },
      ]);
      assert.equal(await linesAt(checkpoint.size), 0);
    });

    test('is refused when its time is in the future', async () => {
      const { caller } = await newCaller({ role: 'system_administrator' });
      const checkpoint = await seal();
      const early = await witnessOf(6).sign(checkpoint, 61);
      await assert.rejects(addCosignature(app.app.ctx, caller, early), { code: 'evidence.future_cosignature' });
      const cosigned = await witnessOf(6).sign(checkpoint, 59);
      assert.equal((await addCosignature(app.app.ctx, caller, cosigned)).size, checkpoint.size);
    });

    test('is refused when it is invalid, of an unknown witness, or on a checkpoint that does not exist', async () => {
      const { ctx } = app.app;
      const { caller } = await newCaller({ role: 'auditor' });
      const checkpoint = await seal();
      const good = await witnessOf(3).sign(checkpoint);
      const foreign = await witnessOf(4).sign(checkpoint);
      for (const wrong of [
        { ...good, line: 'x' },
        { ...good, key: 'x' },
        { ...good, line: foreign.line },
      ])
        await assert.rejects(addCosignature(ctx, caller, wrong), { code: 'evidence.bad_cosignature' });
      const nowhere = { ...good, size: good.size + 1000 };
      await assert.rejects(addCosignature(ctx, caller, nowhere), { kind: 'not_found', code: 'evidence.no_checkpoint' });
      assert.equal(await linesAt(checkpoint.size), 0);
    });

    test('is accepted of 32 witnesses, and of each of them again', async () => {
      const { ctx } = app.app;
      const { caller } = await newCaller({ role: 'system_administrator' });
      const checkpoint = await seal();
      const add = async (seed: number) => addCosignature(ctx, caller, await witnessOf(seed).sign(checkpoint));
      const known = (await listWitnesses(ctx.db.read)).length;
      for (let seed = 100; seed < 100 + 32 - known; seed++) await add(seed);
      await assert.rejects(add(99), { kind: 'conflict', code: 'evidence.too_many_witnesses' });
      assert.equal((await add(100)).size, checkpoint.size);
      assert.equal((await listWitnesses(ctx.db.read)).length, 32);
    });
  });

  test('an erased person leaves an event with the number of blanked rows, and without the person', async () => {
    const { client } = await newCaller();
    const body = { erasure: { email: client.email, reason: 'Asked by letter' } };
    const events = await leftBy(() => app.admin.expect(200, 'erasePerson', { params: { id: idOf(client) }, body }));
    const erased = events.filter(({ action }) => action === 'user.erased');
    assert.equal(erased.length, 1);
    const { object, owner, facts } = erased[0]!;
    assert.deepEqual(
      [object, owner, Object.keys(facts)],
      ['system evidence', '', ['erasure', 'events', 'fields', 'digest']],
    );
    assert.ok(Number(facts.events) > 0 && Number(facts.fields) >= Number(facts.events));
    assert.doesNotMatch(JSON.stringify(erased), new RegExp(client.email));
  });
});
