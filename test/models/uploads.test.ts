// Uploads against their model: random chunks, broken bodies, clock jumps, restarts and jobs. A failure prints its seed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { onEachEngine, type TestApp } from '#test/kit/app.ts';
import { uploadCommands } from './upload-commands.ts';
import { UploadModel } from './upload-model.ts';
import { UploadWorld } from './upload-world.ts';

const budgetMs = 6_000;
const quotaMegabytes = 1;
const hourMs = 3_600_000;

onEachEngine('uploads', (start) => {
  let app: TestApp;
  let group: string;
  before(async () => {
    // Jobs run only by command.
    app = await start({ environment: { WAYBILL_ROLE: 'web' } });
    group = await app.group('Modelled', { storage_quota: quotaMegabytes, api_key_lifetime: 0 });
  });
  after(() => app.close());

  test('agree with the model after any sequence of events', async () => {
    const deadline = performance.now() + budgetMs;
    let runs = 0;
    const property = fc.asyncProperty(
      fc.commands(uploadCommands, { maxCommands: 50, size: 'max' }),
      async (commands) => {
        // Past the budget further runs are empty, so that searching and shrinking end.
        if (performance.now() > deadline) return;
        runs += 1;
        // Keys can be shown ten times a minute.
        app.clock.advance(60_000);
        const world = new UploadWorld(app, await app.person(`person${runs}`, { group }));
        const model = new UploadModel(app.clock.now(), quotaMegabytes * 1024 * 1024);
        try {
          await fc.asyncModelRun(() => ({ model, real: world }), commands);
          await checkEnd(model, world);
        } finally {
          for (const { upload } of world.held) upload.cut();
          await app.admin.expect(200, 'deleteUser', { params: { id: world.person.email } });
        }
      },
    );
    await fc.assert(property, { numRuns: 1_000, endOnFailure: false });
    await new UploadWorld(app, app.admin).checkSwept();
    assert.ok(runs > 0, 'not one sequence was tried');
  });
});

/** The complete state after a run, and after all unfinished uploads were abandoned. */
async function checkEnd(model: UploadModel, world: UploadWorld): Promise<void> {
  for (const held of world.held.splice(0)) {
    held.upload.cut();
    model.cut(held.opened);
    model.heldCount -= 1;
  }
  await world.settled();
  for (const session of model.sessions)
    assert.ok(await world.agrees(session), `the service reports another state of ${JSON.stringify(session)}`);
  await world.checkFiles(model);
  await world.checkInside(model);
  world.app.clock.advance(25 * hourMs);
  model.now += 25 * hourMs;
  await world.runJobs();
  model.runJobs([]);
  await world.checkFiles(model);
  await world.checkInside(model);
  await world.checkBlobs();
}
