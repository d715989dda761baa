// A certificate of deletion rests on the event that recorded the destruction of the key, and on nothing that contradicts it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { z } from 'zod';
import type { receiptAnswer } from '#contract/receipts.ts';
import { sealAll } from '#server/actions/evidence/seal.ts';
import { findAttachment } from '#server/db/attachments/attachments.ts';
import { keyCommitment } from '#server/domain/deletions.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { downloadLine } from '#test/kit/download-lines.ts';
import { raw, removeGuards } from '#test/kit/evidence.ts';
import { idOf, newPerson, type SharedFile, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

type Receipt = z.input<typeof receiptAnswer>;
interface Verdict {
  fault: string | null;
  proves: string[];
  doesNotProve: string[];
}

const verifier = pathToFileURL(join(import.meta.dirname, '../../tools/verify/verify.mjs')).href;

onEachDatabase('a certificate of deletion', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web', WAYBILL_BACKUP_DIR: '/nowhere' } });
  let alice: ApiClient;
  let check: (bytes: Buffer) => Verdict;
  before(async () => {
    ({ check } = await import(verifier));
    alice = await newPerson(app, 'alice');
    await removeGuards(app.app.ctx);
  });

  const params = (file: SharedFile) => ({ id: file.attachmentId });
  const certificate = async (file: SharedFile) => {
    app.clock.advance(60_000);
    await sealAll(app.app.ctx);
    const { body } = await alice.expect(200, 'getDeletionCertificate', { params: params(file) });
    return body as Receipt;
  };
  const erased = async (): Promise<SharedFile> => {
    const file = await share(alice, { bytes: 40 });
    await alice.expect(200, 'deleteFileLink', { params: { id: file.linkId } });
    return file;
  };
  const refused = async (file: SharedFile, what: string) => {
    const { body } = await alice.refused(409, 'deletion.contradiction', 'getDeletionCertificate', {
      params: params(file),
    });
    assert.ok(JSON.stringify(body).includes(`(${what})`), JSON.stringify(body));
  };

  test('names the event, a commitment to the destroyed key, and when daily backups end', async () => {
    const { ctx } = app.app;
    const file = await share(alice, { bytes: 40 });
    const { dataKey } = (await findAttachment(ctx.db.read, file.attachmentId))!;
    const key = ctx.keys.files.unwrap(dataKey!, file.attachmentId);
    await alice.expect(200, 'deleteFileLink', { params: { id: file.linkId } });
    const made = await certificate(file);
    const [shown] = made.receipt.files;
    assert.equal(shown!.deleted_key, keyCommitment(file.attachmentId, key));
    const days = (Date.parse(shown!.backups_until!) - Date.parse(shown!.deleted_at!)) / 86_400_000;
    assert.equal(days, 29, 'four weeks of backups, and the one that removes the last');
    const event = made.events.find(({ seq }) => seq === shown!.deleted_event)!;
    assert.equal(JSON.parse(event.entry).facts.key, shown!.deleted_key);
    const { fault, proves, doesNotProve } = check(Buffer.from(JSON.stringify(made)));
    assert.equal(fault, null);
    const sentence = proves.find((line) => line.includes('recorded at'))!;
    assert.ok(sentence.includes(shown!.deleted_key!) && sentence.includes('sealed at'), sentence);
    assert.ok(doesNotProve.some((line) => line.includes(`end by ${shown!.backups_until}`)));
    assert.ok(!proves.some((line) => line.includes('was destroyed')), 'what was recorded is proven, and no more');
  });

  test('is refused for a row that was only marked as erased', async () => {
    const { ctx } = app.app;
    const file = await share(alice, { bytes: 40 });
    const where = `where id = '${file.attachmentId}'`;
    await raw(ctx, `update attachments set state = 'erased' ${where}`);
    await alice.refused(404, 'deletion.not_found', 'getDeletionCertificate', { params: params(file) });
    await raw(ctx, `update attachments set data_key_wrapped = null ${where}`);
    await refused(file, 'attachment.erased');
  });

  test('is refused while an upload has the key, bytes are stored, or something happened to the file later', async () => {
    const { ctx } = app.app;
    const file = await erased();
    const { attachmentId: id } = file;
    await certificate(file);
    const upload = `where id = '${id}'`;
    const key = ctx.db.dialect === 'postgres' ? "'\\x00'" : "x'00'";
    await raw(ctx, `update uploads set data_key_wrapped = ${key} ${upload}`);
    const isUploaded = (await ctx.db.read.selectFrom('uploads').select('id').where('id', '=', id).execute()).length > 0;
    if (isUploaded) await alice.refused(404, 'deletion.not_found', 'getDeletionCertificate', { params: params(file) });
    await raw(ctx, `update uploads set data_key_wrapped = null ${upload}`);
    await raw(
      ctx,
      `insert into parts (upload_id, number, blob_key, size_bytes, sha256, crc32) values ('${id}', 0, 'b${id}', 1, '', 0)`,
    );
    await refused(file, 'parts');
    await raw(ctx, `delete from parts where upload_id = '${id}'`);
    await raw(ctx, `update events set owner_id = 'another' where object_id = '${id}' and action = 'attachment.erased'`);
    await refused(file, 'owner');
  });

  testOnce('is refused after a download that began later than the deletion', async () => {
    const { ctx } = app.app;
    const file = await erased();
    const made = await certificate(file);
    const line = downloadLine(
      { owner_id: idOf(alice), number: 7, attachment_id: file.attachmentId },
      { link_id: file.linkId, granted_at: Date.parse(made.receipt.files[0]!.deleted_at!) + 1 },
    );
    await ctx.db.write((tx) => tx.insertInto('downloads').values(line).execute());
    await refused(file, 'download 7');
  });
});
