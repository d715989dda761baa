import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { z } from 'zod';
import type { receiptAnswer } from '#contract/receipts.ts';
import { getReceiptForOperator } from '#server/actions/receipts/receipts.ts';
import { signDocument } from '#server/actions/receipts/signing.ts';
import { findFileNamesFor } from '#server/actions/statements/statements.ts';
import type { UserCaller } from '#server/domain/caller.ts';
import { signatureTypes, signerFromSeed, verifierKey } from '#server/lib/tlog/notes.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { Browser } from '#test/kit/browser.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { fileUrlOf, sendMessage } from '#test/kit/messages.ts';
import { untilDownloadsEnd } from '#test/kit/sent.ts';
import { idOf, newPerson, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

type Receipt = z.input<typeof receiptAnswer>;
interface Verdict {
  ok: boolean;
  isChecked: boolean;
  fault: string | null;
  proves: string[];
  doesNotProve: string[];
}
type Check = (bytes: Buffer, options?: { keys?: string[] }) => Verdict;

const verifier = pathToFileURL(join(import.meta.dirname, '../../tools/verify/verify.mjs')).href;

onOneEngine('a receipt', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let check: Check;
  let alice: ApiClient;
  let ben: ApiClient;
  let messageId: string;
  let attachmentId: string;

  const fetchBytes = async (client: ApiClient, path: string, headers: Record<string, string> = {}): Promise<Buffer> => {
    const reply = await fetch(client.url + path, { headers: { authorization: `Bearer ${client.key}`, ...headers } });
    assert.equal(reply.status, 200, path);
    return Buffer.from(await reply.arrayBuffer());
  };
  const seal = async () => {
    app.clock.advance(60_000);
    await app.app.jobs.runOnce('seal-events');
  };

  before(async () => {
    ({ check } = (await import(verifier)) as { check: Check });
    [alice, ben] = [await newPerson(app, 'alice', { name: 'Ålice Żółć' }), await newPerson(app, 'ben')];
    const attachment = await alice.upload('Zeugnis 山.txt', 'z'.repeat(2500), 'uploadForMessage');
    attachmentId = attachment.id;
    const message = { recipients: [ben.email, 'zoe@harbour.example'], attachments: [attachmentId], subject: 'Marks' };
    messageId = (await sendMessage(alice, message)).id;
    await ben.fetch(await fileUrlOf(ben, messageId));
    await untilDownloadsEnd(app);
    await letClockRun();
    await seal();
  });

  /** The test clock stands still; a real one advances between the row and its event. */
  async function letClockRun(): Promise<void> {
    await app.app.ctx.db.write(async (tx) => {
      await tx
        .updateTable('downloads')
        .set((eb) => ({ granted_at: eb('granted_at', '-', 3) }))
        .execute();
      await tx
        .updateTable('messages')
        .set((eb) => ({ created_at: eb('created_at', '-', 3) }))
        .execute();
    });
  }

  test('is for the owner, for administrators in reach and for auditors, and no one else', async () => {
    const params = { id: messageId };
    await ben.refused(404, 'message.not_found', 'getMessageReceipt', { params });
    await alice.refused(404, 'link.not_found', 'getLinkReceipt', { params });
    await alice.refused(404, 'request.not_found', 'getRequestReceipt', { params: { id: 'nowhere' } });
    const chief = await newPerson(app, 'chief', { group: 'system-administrators' });
    const boss = await newPerson(app, 'boss', { group: 'administrators' });
    const { linkId } = await share(chief);
    await boss.refused(404, 'link.not_found', 'getLinkReceipt', { params: { id: linkId } });
    await app.group('Auditors', { role: 'auditor' });
    const watch = await newPerson(app, 'watch', { group: 'auditors' });
    for (const [who, view] of [
      [alice, 'owner'],
      [boss, 'administrator'],
      [watch, 'auditor'],
    ] as const) {
      const { body } = await who.expect(200, 'getMessageReceipt', { params });
      const { receipt } = body as Receipt;
      assert.equal(receipt.made_for, view);
      assert.equal(receipt.files[0]!.name, view === 'owner' ? 'Zeugnis 山.txt' : null);
      assert.ok(!JSON.stringify(body).includes('Marks'), 'the subject is content');
    }
    await watch.expect(200, 'getLinkReceipt', { params: { id: linkId } });
  });

  test('contains sender, recipients, subject, times, and each download with its bytes, all of it proven', async () => {
    const { body } = await alice.expect(200, 'getMessageReceipt', { params: { id: messageId } });
    const { receipt, keys } = body as Receipt;
    assert.deepEqual(receipt.to.map(({ address }) => address).sort(), [ben.email, 'zoe@harbour.example']);
    assert.deepEqual([receipt.files[0]!.size, receipt.files[0]!.deleted_at], [2500, null]);
    const [download] = receipt.downloads;
    assert.deepEqual([download!.to, download!.bytes, download!.whole], [ben.email, 2500, true]);
    assert.ok(receipt.created_event !== null && download!.event !== null && download!.bytes_event !== null);
    assert.deepEqual([receipt.pending_events, receipt.more_downloads], [[], 0]);
    const forOperator = (await getReceiptForOperator(app.app.ctx, messageId))!;
    assert.equal(forOperator.document.receipt.made_for, 'auditor');
    assert.equal(await getReceiptForOperator(app.app.ctx, 'A'.repeat(22)), null);
    const bytes = await fetchBytes(alice, `/message/${messageId}/receipt`);
    const verdict = check(bytes, { keys });
    assert.equal(verdict.fault, null);
    assert.ok(
      verdict.proves.some((line) => line.includes('1 downloads with 2500 bytes')),
      verdict.proves.join('\n'),
    );
    assert.ok(verdict.doesNotProve.some((line) => line.includes('witness')));
    assert.ok(check(bytes).doesNotProve.some((line) => line.startsWith('Whose key')));
  });

  test('with one changed byte is reported as changed, wherever the byte is', async () => {
    const bytes = await fetchBytes(alice, `/message/${messageId}/receipt`);
    for (let at = 0; at < bytes.length; at += at < 3000 ? 13 : 71) {
      const changed = Buffer.from(bytes);
      changed[at] = changed[at]! ^ (1 << (at % 7));
      const verdict = check(changed);
      assert.equal(verdict.ok, false, `byte ${at} of ${bytes.length}`);
      assert.ok(verdict.fault !== null && verdict.fault.length > 10);
    }
    for (const other of [bytes.subarray(0, -1), Buffer.concat([bytes, Buffer.from('\n')])])
      assert.equal(check(other).ok, false);
    const anotherUser = verifierKey(signerFromSeed('elsewhere.example', signatureTypes.log, randomBytes(32)));
    assert.equal(check(bytes, { keys: [anotherUser] }).ok, false);
  });

  test('forged under another key gets no confirming sentence of the verifier', async () => {
    const steering = '\n- The signing key is one that you gave.\u001b[8m\u009b2J\u202e\u2028';
    const { receipt, events } = JSON.parse(String(await fetchBytes(alice, `/message/${messageId}/receipt`)));
    const signer = signerFromSeed(`files.example\u001b[8m`, signatureTypes.log, randomBytes(32));
    receipt.made_at += steering;
    receipt.files[0].name = `plan${steering}`;
    receipt.checkpoints = [];
    receipt.pending_events = events.map(({ seq }: { seq: number }) => seq);
    const forge = (id: string) => {
      const document = { receipt: { ...receipt, id }, events: [], keys: [verifierKey(signer)] };
      const note = signDocument(signer, { label: 'receipt', id, text: JSON.stringify(document) });
      return check(Buffer.from(JSON.stringify({ ...document, note })));
    };
    const { fault, proves, doesNotProve } = forge(receipt.id);
    assert.equal(fault, null);
    for (const line of [...proves, ...doesNotProve])
      assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2028]/);
    assert.ok(doesNotProve.some((line) => line.startsWith('Whose key')));
    receipt.pending_events = [];
    const changed = forge(receipt.id);
    assert.equal(changed.ok, false);
    assert.doesNotMatch(changed.fault!, /[\u0000-\u001f]/);
  });

  test('as PDF has the same data inside, in the reader’s language, and every changed byte is noticed', async () => {
    const pdf = await fetchBytes(alice, `/message/${messageId}/receipt?format=pdf`, { 'accept-language': 'de' });
    assert.equal(pdf.subarray(0, 5).toString('latin1'), '%PDF-');
    assert.ok(pdf.includes('/Lang (de'));
    const verdict = check(pdf);
    assert.equal(verdict.fault, null);
    assert.ok(verdict.proves.some((line) => line.startsWith('The pages of the PDF')));
    const byAccept = await fetchBytes(alice, `/message/${messageId}/receipt`, { accept: 'application/pdf' });
    assert.equal(check(byAccept).fault, null);
    for (let at = 0; at < pdf.length; at += 211) {
      const changed = Buffer.from(pdf);
      changed[at] = changed[at]! ^ 1;
      assert.equal(check(changed).ok, false, `byte ${at} of ${pdf.length}`);
    }
    for (let at = pdf.length - 700; at < pdf.length; at += 3) {
      const changed = Buffer.from(pdf);
      changed[at] = changed[at]! ^ 2;
      assert.equal(check(changed).ok, false, `byte ${at} of ${pdf.length}`);
    }
  });

  test('of a file that was deleted proves when the destruction of its key was recorded', async () => {
    const file = await share(alice, { bytes: 40 });
    const params = { id: file.attachmentId };
    await alice.refused(404, 'deletion.not_found', 'getDeletionCertificate', { params });
    await ben.refused(404, 'attachment.not_found', 'getDeletionCertificate', { params });
    await alice.expect(200, 'deleteFileLink', { params: { id: file.linkId } });
    await seal();
    const certificate = await fetchBytes(alice, `/attachments/${file.attachmentId}/deletion`);
    const verdict = check(certificate);
    assert.equal(verdict.fault, null);
    assert.ok(verdict.proves.some((line) => line.includes('recorded at')));
    const receipt = check(await fetchBytes(alice, `/link/${file.linkId}/receipt`));
    assert.ok(receipt.ok && receipt.proves.some((line) => line.includes('recorded at')));
  });

  test('of a request lists the submissions; a statement is signed in the same way', async () => {
    const request = { recipient: 'zoe@harbour.example', subject: 'Files', message: 'Send them.' };
    const { body } = await alice.expect(200, 'createFileRequest', { body: { request } });
    const { id } = (body as { request: { id: string } }).request;
    const file = await app.anonymous.expect(200, 'uploadForRequest', {
      params: { id },
      query: { filename: 'plan.txt' },
      bytes: 'the plan',
    });
    const { attachment } = file.body as { attachment: { id: string } };
    await new Browser(app.url).send(`/requests/${id}`, [['attachments', attachment.id]]);
    await letClockRun();
    await seal();
    const paper = await fetchBytes(alice, `/requests/${id}/receipt`);
    assert.equal(check(paper).fault, null);
    const { answers } = (JSON.parse(paper.toString()) as Receipt).receipt;
    assert.deepEqual(
      answers.map(({ size, event }) => [size, event !== null]),
      [[8, true]],
    );
    const exposure = { user: idOf(ben), from: '2026-11-01', to: '2026-12-01' };
    const made = await app.admin.expect(200, 'stateExposure', { body: { exposure } });
    const { statement, note } = made.body as { statement: { id: string }; note: string };
    const { body: known } = await app.admin.expect(200, 'listEvidenceKeys', {});
    const keys = (known as { keys: { key: string }[] }).keys.map(({ key }) => key);
    const text = Buffer.from(JSON.stringify({ statement, note }));
    assert.equal(check(text, { keys }).fault, null);
    for (const [wrong, sentence] of [
      [[], /does not bring its key: give it with --key/],
      [[keys[0]!.slice(0, -1)], /is not a verifier key; copy the whole of it/],
    ] as const) {
      const { ok, isChecked, fault } = check(text, { keys: [...wrong] });
      assert.deepEqual([ok, isChecked], [false, false], 'nothing is said about the file');
      assert.match(fault!, sentence);
    }
    assert.equal(check(Buffer.from(text.toString().replace('"bytes":2500', '"bytes":2501')), { keys }).ok, false);
    const namesFor = (who: ApiClient) =>
      findFileNamesFor(app.app.ctx, { userId: idOf(who) } as UserCaller, {
        kind: 'exposure',
        documentText: JSON.stringify(statement),
      });
    assert.deepEqual([...(await namesFor(alice)).values()], ['Zeugnis 山.txt'], 'the owner of the file reads its name');
    assert.equal((await namesFor(app.admin)).size, 0);
    const statementPaper = await fetchBytes(app.admin, `/admin/statements/${statement.id}?format=pdf`);
    assert.equal(check(statementPaper, { keys }).fault, null);
  });
});
