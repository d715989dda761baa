// File links and download tickets against their model, with random commands, clock jumps and restarts. Failures print a
// seed.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { downloadsAnswer } from '#contract/downloads.ts';
import { onEachEngine } from '#test/kit/app.ts';
import { useApp } from '#test/kit/use-app.ts';
import { wireForm } from '../kit/wire-form.ts';
import { checkList, type LinkWorld, linkCommands } from './link-commands.ts';
import { fileBytes, LinkModel } from './link-model.ts';

const budgetMs = 6_000;

onEachEngine('links', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });
  let group: string;
  before(async () => {
    group = await app.group('Modelled', { api_key_lifetime: 0 });
  });

  test('agree with the model after any sequence of events', async () => {
    const deadline = performance.now() + budgetMs;
    let runs = 0;
    const property = fc.asyncProperty(fc.commands(linkCommands, { maxCommands: 60, size: 'max' }), async (commands) => {
      // Past the budget further runs are empty, so that searching and shrinking end.
      if (performance.now() > deadline) return;
      runs += 1;
      const { world, model } = await setUp(runs);
      try {
        await fc.asyncModelRun(() => ({ model, real: world }), commands);
        await checkEnd(model, world);
      } finally {
        await app.admin.expect(200, 'deleteUser', { params: { id: world.owner.email } });
      }
    });
    await fc.assert(property, { numRuns: 1_000 });
    assert.ok(runs > 0, 'not one sequence was tried');
  });

  async function setUp(run: number): Promise<{ world: LinkWorld; model: LinkModel }> {
    // The clock may have been set back; keys can be shown ten times a minute.
    app.clock.set(app.app.ctx.clock.now());
    app.clock.advance(6 * 60_000);
    const owner = await app.person(`owner${run}`, { group });
    const model = new LinkModel(app.clock.now(), app.app.ctx.clock.uptime(), 2);
    const files = await Promise.all(
      model.files.map(async (_file, index) => {
        const bytes = randomBytes(fileBytes);
        return { id: (await owner.upload(`file${index}.bin`, bytes)).id, bytes };
      }),
    );
    return { world: { app, owner, files, linkIds: [], tickets: [], cookies: [] }, model };
  }

  async function checkEnd(model: LinkModel, world: LinkWorld): Promise<void> {
    if (!model.isOwnerOn) {
      const body = { user: { disabled: false } };
      await app.admin.expect(200, 'changeUser', { params: { id: world.owner.email }, body });
      model.isOwnerOn = true;
    }
    await checkList(model, world);
    const { body } = await world.owner.expect(200, 'listDownloads');
    const numbers = wireForm(downloadsAnswer, body).downloads.map((line) => line.id);
    const expected = Array.from({ length: model.downloads }, (_, index) => index + 1);
    assert.deepEqual(numbers, expected, 'the log has one line for each download, numbered without gaps');
    const rows = await app.app.ctx.db.read
      .selectFrom('attachments')
      .selectAll()
      .where(
        'id',
        'in',
        world.files.map((file) => file.id),
      )
      .execute();
    for (const [index, file] of model.files.entries()) {
      const row = rows.find((candidate) => candidate.id === world.files[index]!.id)!;
      assert.deepEqual(
        { isErased: row.state === 'erased', holders: row.reference_count, hasKey: row.data_key_wrapped !== null },
        {
          isErased: file.isErased,
          holders: file.isErased ? row.reference_count : file.holders,
          hasKey: !file.isErased,
        },
      );
    }
  }
});
