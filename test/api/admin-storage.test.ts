import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { storageAnswer } from '#contract/admin/storage.ts';
import { taskAnswer } from '#contract/admin/tasks.ts';
import { onEachDatabase, testOnce } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { attachmentRow } from '#test/kit/inside.ts';
import { searched } from '#test/kit/references.ts';
import { idOf, newPerson, share } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';

onEachDatabase('storage', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let alice: ApiClient;
  before(async () => {
    alice = await newPerson(app, 'alice');
  });

  const readStorage = async () =>
    wireForm(storageAnswer, (await app.admin.expect(200, 'getStorageOverview')).body).storage;
  const run = async (name: 'deleteExpired' | 'checkFiles') => {
    const { id } = wireForm(taskAnswer, (await app.admin.expect(200, name)).body).task;
    await app.app.jobs.runOnce('run-tasks');
    return wireForm(taskAnswer, (await app.admin.expect(200, 'getTask', { params: { id } })).body).task;
  };

  testOnce('is read by auditors and changed by System Administrators only', async () => {
    const boss = await newPerson(app, 'boss', { group: 'administrators' });
    const auditor = await newPerson(app, 'auditor', { group: await app.group('Auditors', { role: 'auditor' }) });
    for (const name of ['getStorageOverview', 'deleteExpired', 'checkFiles'] as const) {
      await app.anonymous.refused(401, 'credentials.invalid', name);
      await alice.refused(403, 'admin.not_permitted', name);
      await boss.refused(403, 'admin.not_permitted', name);
    }
    await auditor.expect(200, 'getStorageOverview');
    await auditor.refused(403, 'admin.not_permitted', 'deleteExpired');
    await auditor.refused(403, 'admin.not_permitted', 'checkFiles');
  });

  testOnce('is listed by group, person, age and file, without a file name', async () => {
    await share(alice, { name: 'secret name.txt', bytes: 'x'.repeat(1000) });
    const { text } = await app.admin.expect(200, 'getStorageOverview');
    assert.ok(!text.includes('secret name'));
    const storage = await readStorage();
    assert.deepEqual([storage.files, storage.used], [1, 1000]);
    assert.equal(storage.groups.find(({ id }) => id === 'local-users')!.used, 1000);
    assert.deepEqual(
      storage.people.map(({ id, used }) => [id, used]),
      [[idOf(alice), 1000]],
    );
    assert.equal(storage.by_age[0]!.used, 1000);
    assert.equal(
      storage.by_age.reduce((sum, { used }) => sum + used, 0),
      1000,
    );
    assert.deepEqual([storage.largest[0]!.owner_email, storage.largest[0]!.shared], [alice.email, true]);
  });

  test('is recorded for each of the last 90 days', async () => {
    const before = (await readStorage()).days.at(-1)!;
    await app.app.jobs.runOnce('watch-health');
    app.clock.advance(24 * 3_600_000);
    await share(alice, { bytes: 'y'.repeat(500) });
    const [yesterday, today] = (await readStorage()).days.slice(-2);
    assert.deepEqual([yesterday!.date, yesterday!.kept], [before.date, before.kept]);
    assert.ok(today!.date > before.date);
    assert.equal(today!.kept, before.kept + 500);
    assert.ok(today!.used! > 0);
  });

  test('shows auditors and administrators how much can be opened, by age', async () => {
    const boss = await newPerson(app, 'chef', { group: 'administrators' });
    await alice.refused(403, 'admin.not_permitted', 'getReadableBytes');
    const readable = async () =>
      (
        (await boss.expect(200, 'getReadableBytes')).body as {
          readable: { up_to_days: number | null; bytes: number }[];
        }
      ).readable;
    const before = await readable();
    assert.deepEqual(
      before.map(({ up_to_days }) => up_to_days),
      [7, 30, 90, null],
    );
    await share(alice, { bytes: 'z'.repeat(300) });
    assert.equal((await readable())[0]!.bytes, before[0]!.bytes + 300);
  });

  test('of files that wait for deletion is freed on request, and files that were never sent stay', async () => {
    const { linkId, attachmentId } = await share(alice, { bytes: 'over' });
    const unsent = await alice.upload('draft.txt', 'draft');
    await app.admin.expect(200, 'stopTransfer', { params: await searched(app.admin, linkId), body: {} });
    assert.deepEqual([(await readStorage()).waiting_files, (await readStorage()).waiting], [1, 4]);
    const task = await run('deleteExpired');
    assert.deepEqual([task.state, task.total, task.done], ['done', 1, 1]);
    assert.equal((await attachmentRow(app, attachmentId)).state, 'erased');
    assert.equal((await attachmentRow(app, unsent.id)).state, 'ready');
    assert.equal((await readStorage()).waiting_files, 0);
  });

  test('is verified completely; a file that does not match is named and no longer served', async () => {
    const { attachmentId } = await share(alice, { bytes: 'to be damaged' });
    assert.deepEqual([(await run('checkFiles')).state, (await run('checkFiles')).failed], ['done', 0]);
    await app.app.ctx.db.write(async (tx) => {
      await tx
        .updateTable('attachments')
        .set({ sha256: '0'.repeat(64), checksums_sealed: null })
        .where('id', '=', attachmentId)
        .execute();
    });
    const task = await run('checkFiles');
    assert.deepEqual([task.state, task.failed, task.refused.map(({ id }) => id)], ['done', 1, [attachmentId]]);
    assert.equal((await attachmentRow(app, attachmentId)).state, 'damaged');
  });
});
