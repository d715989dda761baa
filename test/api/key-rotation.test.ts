// Changing the master key while the service works, stopped after each of its steps: everything stays readable, and the next
// run goes on.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readConfig } from '#server/config.ts';
import { keySettleMs } from '#server/installation/keys.ts';
import { withDatabase } from '#server/installation/open.ts';
import { type RotationStep, rotateMasterKey, rotationSteps } from '#server/installation/rotate-key.ts';
import { createRandom } from '#server/lib/ids.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import { databases } from '#test/kit/engines.ts';
import { attachmentRow, contentOf } from '#test/kit/inside.ts';
import { until } from '#test/kit/patience.ts';

for (const engine of databases) {
  describe(`key rotate (${engine.name})`, () => {
    test('stopped after any step nothing is unreadable, here and in a new process, and it goes on', async () => {
      const place = await engine.create('migrated');
      const at = { name: 'one place', create: async () => ({ ...place, drop: async () => {} }) };
      const config = readConfig(place.environment);
      const contents = new Map<string, Buffer>();
      const start = () => startTestApp(at, { environment: { WAYBILL_ROLE: 'web' } });
      const upload = async (app: TestApp) => {
        const bytes = randomBytes(2000);
        const { id } = await app.admin.upload('file.bin', bytes);
        contents.set(id, bytes);
        return (await attachmentRow(app, id)).key_encryption_key_id;
      };
      const readAll = async (app: TestApp) => {
        for (const [id, bytes] of contents) assert.ok((await contentOf(app, id)).equals(bytes));
        // The name of a person and the key of the administrator are read with what the first key derives.
        await app.admin.expect(200, 'getAccount');
      };
      const running = await start();
      const keyFile = join(place.environment.WAYBILL_DATA_DIR!, 'master.key');
      const first = await readFile(keyFile, 'utf8');
      await upload(running);
      const rotate = (last: RotationStep) =>
        withDatabase(config, (db) =>
          rotateMasterKey({ config, db, random: createRandom(), now: running.clock.now, settle: async () => {} }, last),
        );
      try {
        for (const step of rotationSteps) {
          await rotate(step);
          running.clock.advance(keySettleMs);
          const started = await start();
          started.clock.advance(running.clock.now() - started.clock.now());
          const keyId = await upload(started);
          await readAll(started);
          await started.close();
          // What a process that runs on has learned of the key for new files by itself.
          await until(async () => readAll(running).then(() => true));
          assert.ok((await upload(running)) <= 2);
          if (step === 'database' || step === 'new key alone') assert.equal(keyId, 2, 'new files have the new key');
        }
        assert.notEqual(await readFile(keyFile, 'utf8'), first);
        assert.equal(await readFile(`${keyFile}.before`, 'utf8'), first);
        await rotate('new key alone');
        await running.restart();
        await readAll(running);
      } finally {
        await running.close();
        await place.drop();
      }
    });
  });
}
