// A download whose process is killed: the next start closes its log line within a minute.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { fileLinkAnswer } from '#contract/file-links.ts';
import { clickDownload, openDownload } from '#test/kit/downloads.ts';
import { sqliteAndDisk } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { createInstallation } from '#test/kit/program.ts';
import { wireForm } from '../kit/wire-form.ts';

/** More than the buffers of a connection hold. */
const large = randomBytes(12 * 1024 * 1024);

test('the download of a killed process is closed by the next one, and not before', async () => {
  const place = await createInstallation(sqliteAndDisk, { WAYBILL_WORKERS: '1' });
  try {
    const program = await place.start();
    const { id } = await place.admin.upload('large.bin', large, 'uploadForLink', { connection: 'close' });
    const { body } = await place.admin.expect(200, 'createFileLink', { body: { link: { attachment: id } } });
    const { path } = await clickDownload(place.url, wireForm(fileLinkAnswer, body).link.id);
    await openDownload(place.url, path!);
    program.signal('SIGKILL');
    await program.exited;
    using database = new DatabaseSync(join(place.environment.WAYBILL_DATA_DIR!, 'waybill.db'), { timeout: 60_000 });
    const line = () => database.prepare('SELECT outcome, is_crashed, finished_at FROM downloads').get();
    assert.deepEqual({ ...line() }, { outcome: 'granted', is_crashed: 0, finished_at: null });
    await place.start();
    const startedAt = Date.now();
    const closed = await eventually('the line is closed', async () => {
      const row = line();
      return row?.finished_at === null ? undefined : row;
    });
    assert.equal(closed?.outcome, 'cut');
    assert.equal(closed?.is_crashed, 1);
    assert.ok(Number(closed?.finished_at) - startedAt < 60_000);
  } finally {
    await place.drop();
  }
});
