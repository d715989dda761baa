import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { appReceivedAnswer, ticketAnswer } from '#contract/app/received.ts';
import { changeLogo } from '#server/actions/branding/branding.ts';
import { mailPageUrl, visitMailPage } from '#server/actions/mail/pages.ts';
import { queueMail } from '#server/actions/outbox.ts';
import { completeSetup } from '#server/actions/setup/setup.ts';
import { requireWaitingSpace, submissionMeter } from '#server/actions/submissions/limits.ts';
import { resolveConflict } from '#server/actions/uploads/parts.ts';
import { setAttachmentState } from '#server/db/attachments/attachments.ts';
import { findUpload } from '#server/db/uploads/uploads.ts';
import { operatorCaller, ownUploader, systemCaller } from '#server/domain/caller.ts';
import { receiptKind } from '#server/mail/kinds/receipt.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import { callerFor } from '#test/kit/callers.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { clickDownload } from '#test/kit/downloads.ts';
import { inlineFile, sendMessage } from '#test/kit/messages.ts';
import { ask } from '#test/kit/raw-http.ts';
import { track, untilDownloadsEnd } from '#test/kit/sent.ts';
import { idOf, newPerson, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

const dayMs = 86_400_000;

onOneEngine('A rare refusal', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web', WAYBILL_FORM_UPLOAD_MAX: '3MiB' } });
  let alice: ApiClient;
  let ben: ApiClient;
  before(async () => {
    [alice, ben] = [await newPerson(app, 'alice'), await newPerson(app, 'ben')];
  });
  const send = (more: Record<string, unknown> = {}) =>
    sendMessage(alice, { recipients: [ben.email], subject: 'Plans', message: 'x', send_email: false, ...more });
  const newRequest = async () => {
    const request = { recipient: 'sam@elsewhere.example', send_email: false };
    const { body } = await alice.expect(200, 'createFileRequest', { body: { request } });
    return (body as { request: { id: string } }).request.id;
  };

  test('of added recipients: one above the limit, and a group that may no longer send', async () => {
    const [full, { id }] = [await send(), await send()];
    const people = Array.from({ length: 500 }, (_, index) => `p${index}@harbour.example`);
    const add = (recipients: string[], to = id) => ({ params: { id: to }, body: { recipients, send_email: false } });
    await alice.refused(422, 'message.too_many_recipients', 'addRecipients', add(people, full.id));
    await alice.expect(200, 'addRecipients', add(people.slice(1), full.id));
    await alice.refused(422, 'message.too_many_recipients', 'addRecipients', add(people.slice(0, 1), full.id));
    const group = await app.group('Mute', { can_use_messages: false });
    await app.admin.expect(200, 'changeUser', { params: { id: idOf(alice) }, body: { user: { group } } });
    await alice.refused(422, 'message.not_permitted', 'addRecipients', add(['q@harbour.example']));
    await app.admin.expect(200, 'changeUser', {
      params: { id: idOf(alice) },
      body: { user: { group: 'local-users' } },
    });
    await alice.expect(200, 'addRecipients', add(['q@harbour.example']));
  });

  test('of a file that is damaged, also in a dry run', async () => {
    const { id: attachment } = await alice.upload('plan.txt', 'the plan');
    const plan = async () => {
      const { text } = await alice.expect(200, 'createFileLink', { body: { link: { attachment, dry_run: true } } });
      return text.includes('link.attachment_damaged');
    };
    assert.equal(await plan(), false);
    await app.app.ctx.db.write((tx) => setAttachmentState(tx, attachment, 'damaged'));
    assert.equal(await plan(), true);
  });

  test('of the downloads of a person who is no recipient, and of an expired message that was sent to others', async () => {
    const { id } = await send({ expires_at: '2026-11-20' });
    await alice.expect(200, 'getExposure', { params: { id, address: ben.email } });
    const params = { id, address: 'stranger@harbour.example' };
    await alice.refused(404, 'recipient.not_found', 'getExposure', { params });
    const eve = await newPerson(app, 'eve');
    await eve.refused(404, 'message.not_found', 'getReceived', { params: { id } });
    app.clock.set(Date.UTC(2026, 10, 22));
    await eve.refused(404, 'message.not_found', 'getReceived', { params: { id } });
    await ben.expect(200, 'getReceived', { params: { id } });
  });

  test('is not given while a file is left: the limit is the least of all files, and a ticket ends with the message', async () => {
    const files = [inlineFile('a.txt', 'a'), inlineFile('b.txt', 'b')];
    const { id } = await send({ attachments: files, expires_after: 2 });
    const show = async () =>
      wireForm(appReceivedAnswer, (await ben.expect(200, 'getReceived', { params: { id } })).body).received;
    const [first] = (await show()).attachments;
    assert.equal((await show()).downloads_left, 2);
    const ticket = async () => {
      const body = { attachment: first!.id };
      return wireForm(ticketAnswer, (await ben.expect(200, 'createReceivedTicket', { params: { id }, body })).body)
        .ticket;
    };
    const { url, expires_at } = await ticket();
    assert.equal(Date.parse(expires_at), app.clock.now() + dayMs);
    const openedAt = app.clock.now();
    await ben.fetch(url.slice(app.url.length));
    await untilDownloadsEnd(app);
    const after = await show();
    assert.deepEqual(
      [after.downloads_left, ...after.attachments.map(({ downloads_left }) => downloads_left)],
      [1, 1, 2],
    );
    app.clock.advance(5000);
    await ben.fetch((await ticket()).url.slice(app.url.length));
    await untilDownloadsEnd(app);
    const person = (await track(alice, id)).people.find(({ address }) => address === ben.email)!;
    assert.equal(Date.parse(person.opened_at!), openedAt, 'the first time counts');
    const other = await send({ attachments: files, expires_at: new Date(app.clock.now()).toISOString().slice(0, 10) });
    const body = { attachment: 'all' };
    const reply = await ben.expect(200, 'createReceivedTicket', { params: { id: other.id }, body });
    const { ends, issued } = await app.app.ctx.db.read
      .selectFrom('tickets')
      .select((eb) => [eb.fn.max('expires_at').as('ends'), eb.fn.max('issued_at').as('issued')])
      .where('message_id', '=', other.id)
      .executeTakeFirstOrThrow();
    assert.ok(ends < issued + dayMs, 'the ticket ends with the message');
    const end = Date.parse(wireForm(ticketAnswer, reply.body).ticket.expires_at);
    assert.ok(end < app.clock.now() + dayMs && end > app.clock.now());
  });

  test('of an unknown cursor; statements are listed page by page, to users who may see them', async () => {
    const state = async (exposure: Record<string, unknown>) => {
      const span = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-16T00:00:00.000Z' };
      const { body } = await app.admin.expect(200, 'stateExposure', { body: { exposure: { ...span, ...exposure } } });
      app.clock.advance(1000);
      return (body as { statement: { id: string } }).statement.id;
    };
    const list = async (who: ApiClient, query: Record<string, string>) => {
      const { body } = await who.expect(200, 'listStatements', { query });
      const { statements, next } = body as { statements: { id: string }[]; next: string | null };
      return { ids: statements.map(({ id }) => id), next };
    };
    const made = [
      await state({ address: 'x@elsewhere.example' }),
      await state({ user: ben.email }),
      await state({ user: alice.email }),
    ];
    await app.admin.refused(422, 'list.bad_place', 'listStatements', { query: { after: 'nowhere' } });
    const found: string[] = [];
    let after = '';
    do {
      const page = await list(app.admin, { size: '2', after });
      found.push(...page.ids);
      after = page.next ?? '';
    } while (after !== '');
    assert.deepEqual(found, made.toReversed());
    assert.equal((await list(app.admin, { size: '3' })).next, null);
    const deputy = await newPerson(app, 'deputy', { group: 'administrators' });
    assert.deepEqual((await list(deputy, {})).ids, [made[2], made[1]], 'statements about addresses are left out');
    await deputy.refused(404, 'statement.not_found', 'getStatement', { params: { id: made[0]! } });
  });

  test('of a form that is announced too large, or is none at all', async () => {
    const path = `POST /requests/${await newRequest()}`;
    const form = (type: string, length: number) =>
      ask(app.url, path, [
        `Origin: ${app.url}`,
        'Accept: text/html',
        'Expect: 100-continue',
        `Content-Type: ${type}`,
        `Content-Length: ${length}`,
      ]);
    const most = 3 * 1024 * 1024 + 300 * 1024;
    const large = await form('multipart/form-data; boundary=x', most + 1);
    assert.equal(large.status, 413);
    assert.match(large.text, /3(\.0)?\s?MB/);
    assert.equal((await form('multipart/form-data; boundary=x', most)).status, 100);
    assert.equal((await form('multipart/form-data', 10)).status, 422);
  });

  test('is given for more than a thousand files in one form, and not for a hundred and one', async () => {
    const id = await newRequest();
    const many = Array.from({ length: 101 }, (_, n) => ({ name: `${n}.txt`, bytes: 'x' }));
    const { location } = await new Browser(app.url).submitFiles(`/requests/${id}`, { note: '' }, many);
    assert.match(location!, /\/delivered\//);
    const files = await app.app.ctx.db.read
      .selectFrom('message_attachments')
      .innerJoin('messages', 'messages.id', 'message_attachments.message_id')
      .select('attachment_id')
      .where('messages.request_id', '=', id)
      .execute();
    assert.equal(files.length, 101);
    const ids = Array.from({ length: 1001 }, (_, n): [string, string] => ['attachments', String(n).padStart(22, 'A')]);
    const other = await newRequest();
    const refused = async (some: [string, string][]) =>
      (await new Browser(app.url).sendFiles(`/requests/${other}`, some, [])).text.includes('1,000 files at most');
    assert.equal(await refused(ids), true);
    assert.equal(await refused(ids.slice(1)), false, 'they are refused because they were never uploaded');
  });

  test('of a logo that is too large, of a second first administrator, and of an upload that is closed', async () => {
    const { ctx } = app.app;
    const logo = async (bytes: number) => changeLogo(ctx, operatorCaller(), 'light', Buffer.alloc(bytes));
    await assert.rejects(logo(256 * 1024 + 1), {
      code: 'logo.too_large',
      message: 'A logo may have at most 256 KB.',
      values: { size: { bytes: 256 * 1024 } },
    });
    await assert.rejects(logo(256 * 1024), (error: { code: string }) => error.code !== 'logo.too_large');
    const again = { name: 'x', email: 'x@example.com', password: 'quiet river under seven lamps', organisation: 'x' };
    await assert.rejects(completeSetup(ctx, systemCaller, 'token', again as never), { code: 'page.not_found' });
    const id = (
      await alice.expect(200, 'uploadForLink', { query: { filename: 'a', chunks: '2', chunk: '0' }, bytes: 'abc' })
    ).headers.get('upload-id')!;
    const upload = (await findUpload(ctx.db.read, id))!;
    assert.equal(await resolveConflict(ctx, upload), upload);
    await assert.rejects(resolveConflict(ctx, { ...upload, id: 'A'.repeat(22), hasConflict: true }), {
      code: 'upload.closed',
    });
    await app.admin.expect(200, 'stopRunning', { params: { id: `upload.${id}` } });
    await assert.rejects(resolveConflict(ctx, { ...upload, hasConflict: true }), { code: 'upload.closed' });
  });

  test('of bytes that waited too long together, to the byte', async () => {
    const { ctx } = app.app;
    const requestId = await newRequest();
    const chunk = { params: { id: requestId }, query: { filename: 'a', chunks: '2', chunk: '0' }, bytes: 'abc' };
    const id = (await app.anonymous.expect(200, 'uploadForRequest', chunk)).headers.get('upload-id')!;
    const owner = await callerFor(app, alice);
    const limit = (fileBytes: number, waitingBytes: number) => {
      const submissionLimits = { fileBytes, waitingBytes, dropName: null };
      const uploader = { ...ownUploader(owner), source: `request:${requestId}`, submissionLimits };
      return ctx.db.write((tx) => requireWaitingSpace(ctx, tx, uploader, id));
    };
    await limit(3, 3);
    await assert.rejects(limit(2, 3), { code: 'submission.too_large' });
    await assert.rejects(limit(3, 2), { code: 'submission.too_large' });
    const meter = (fileBytes: number, waitingBytes: number, uploadId: string | null, partNumber: number) => {
      const submissionLimits = { fileBytes, waitingBytes, dropName: null };
      const uploader = { ...ownUploader(owner), source: `request:${requestId}`, submissionLimits };
      return (lengthBytes: number | null) => submissionMeter(ctx, uploader, { uploadId, partNumber, lengthBytes });
    };
    // Three bytes wait: those of the first chunk.
    for (const [open, most] of [
      [meter(10, 12, id, 1), 7],
      [meter(12, 10, id, 1), 7],
      [meter(5, 20, id, 1), 2],
      [meter(10, 12, id, 0), 10],
      [meter(10, 12, null, 0), 9],
    ] as const) {
      await open(most);
      await assert.rejects(open(most + 1), { code: 'submission.too_large' });
      const count = await open(null);
      count(most);
      assert.throws(() => count(1), { code: 'submission.too_large' });
    }
  });

  test('of stopping a download that is over, and of a receipt that has nothing to report', async () => {
    const { ctx } = app.app;
    const { linkId } = await share(alice, { bytes: 'abc' });
    const { path } = await clickDownload(app.url, linkId);
    await app.anonymous.fetch(path!);
    await untilDownloadsEnd(app);
    await ctx.db.write(async (tx) => {
      await tx
        .updateTable('downloads')
        .set({ outcome: 'granted', finished_at: null })
        .where('link_id', '=', linkId)
        .execute();
      await tx.deleteFrom('tickets').where('owner_id', '=', idOf(alice)).execute();
    });
    const { number } = await ctx.db.read
      .selectFrom('downloads')
      .select('number')
      .where('link_id', '=', linkId)
      .executeTakeFirstOrThrow();
    await app.admin.refused(404, 'transfer.not_found', 'stopRunning', {
      params: { id: `download.${number}.${idOf(alice)}` },
    });
    for (const [downloads, isReported] of [
      [receiptKind.sample.downloads, true],
      [[], false],
    ] as const) {
      await ctx.db.write((tx) => tx.deleteFrom('outbox').execute());
      const payload = { ...receiptKind.sample, downloads: [...downloads] };
      await ctx.db.write((tx) =>
        queueMail(ctx, tx, { kind: 'receipt', to: alice.email, payload, ownerId: idOf(alice) }),
      );
      const { id } = await ctx.db.read.selectFrom('outbox').select('id').executeTakeFirstOrThrow();
      const visit = visitMailPage(ctx, mailPageUrl(ctx, id).split('/').at(-1)!, 'en');
      if (isReported) assert.equal((await visit).is, 'shown');
      else await assert.rejects(visit, { code: 'mail.not_found' });
    }
  });
});
