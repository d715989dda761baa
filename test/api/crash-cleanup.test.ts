import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSetupToken } from '#server/installation/setup-token.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { storedBlobs } from '#test/kit/inside.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

onOneEngine('State that a crash left', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });

  test('includes files of deleted people, which are erased; those of others stay', async () => {
    const [gone, here] = [await newPerson(app, 'gone'), await newPerson(app, 'here')];
    const files = [await gone.upload('a.txt', 'of the one'), await here.upload('b.txt', 'of the other')];
    const { db } = app.app.ctx;
    await db.write((tx) => tx.updateTable('users').set({ state: 'deleted' }).where('id', '=', idOf(gone)).execute());
    const before = (await storedBlobs(app)).length;
    await app.app.jobs.runOnce('erase-files');
    await app.app.jobs.runOnce('remove-erased');
    const rows = await db.read.selectFrom('attachments').select(['id', 'state']).orderBy('id').execute();
    const expected = files.map(({ id }, index) => ({ id, state: index === 0 ? 'erased' : 'ready' }));
    assert.deepEqual(
      rows,
      expected.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    );
    assert.equal((await storedBlobs(app)).length, before - 1);
  });

  test('includes a setup token after setup, which is removed', async (context) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'waybill-token-'));
    context.after(() => rm(dataDir, { recursive: true, force: true }));
    await writeFile(join(dataDir, 'setup-token'), 'an old token\n');
    await openSetupToken(app.app.ctx, { dataDir, setupToken: null });
    assert.deepEqual(await readdir(dataDir), []);
  });
});
