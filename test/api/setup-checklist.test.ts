import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertBackupRun } from '#server/db/system/backup-runs.ts';
import { onEachDatabase, type TestApp, testOnce } from '#test/kit/app.ts';
import { assertRefused } from '#test/kit/client.ts';
import { newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

const stepsOf = async (app: TestApp) =>
  ((await app.admin.expect(200, 'listSetupSteps')).body as { steps: string[] }).steps;

async function recordBackup(app: TestApp, failure: string | null, startedAt: number): Promise<void> {
  const run = {
    kind: 'backup',
    startedAt,
    finishedAt: startedAt,
    failure,
    snapshotId: '1',
    files: 1,
    bytes: 1,
  } as const;
  await app.app.ctx.db.write((tx) => insertBackupRun(tx, run));
}

onEachDatabase('the checklist after the first start', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });

  test('lists what is left, and an item disappears when it is done', async () => {
    assert.deepEqual(await stepsOf(app), [
      'mail',
      'public_address',
      'backup',
      'second_step',
      'second_administrator',
      'second_person',
      'branding',
    ]);
    const now = app.clock.now();
    await recordBackup(app, 'the disk is full', now);
    assert.ok((await stepsOf(app)).includes('backup'), 'a failed backup is none');
    await recordBackup(app, null, now + 1);
    assert.deepEqual(await stepsOf(app), [
      'mail',
      'public_address',
      'second_step',
      'second_administrator',
      'second_person',
      'branding',
    ]);
    await newPerson(app, 'alice');
    await app.admin.expect(200, 'changeBranding', { body: { branding: { contact_address: 'it@example.com' } } });
    assert.deepEqual(
      await stepsOf(app),
      ['mail', 'public_address', 'second_step', 'second_administrator', 'branding'],
      'a contact is no branding',
    );
    await app.admin.expect(200, 'changeBranding', { body: { branding: { colour: '#123456' } } });
    await newPerson(app, 'root2', { group: 'system-administrators' });
    assert.deepEqual(await stepsOf(app), ['mail', 'public_address', 'second_step']);
    await app.app.ctx.db.write((tx) =>
      tx.updateTable('users').set({ totp_state: 'on' }).where('email', '=', app.admin.email).execute(),
    );
    assert.deepEqual(await stepsOf(app), ['mail', 'public_address']);
  });

  testOnce('is for System Administrators, who can do what it lists', async () => {
    const boss = await newPerson(app, 'boss', { group: 'administrators' });
    assertRefused(await boss.call('listSetupSteps'), 403, 'admin.not_permitted');
    await app.anonymous.expect(401, 'listSetupSteps');
  });
});

onEachDatabase('the checklist of an installation with a public address', (start) => {
  const app = useApp(start, {
    environment: { WAYBILL_ROLE: 'web', WAYBILL_BASE_URL: 'http://files.example.com', WAYBILL_INSECURE_HTTP: 'on' },
  });

  test('does not ask for the address', async () => {
    assert.ok(!(await stepsOf(app)).includes('public_address'));
  });
});
