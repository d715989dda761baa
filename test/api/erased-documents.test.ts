import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertStatement } from '#server/db/statements/statements.ts';
import { onOneEngine, type TestApp } from '#test/kit/app.ts';
import type { ApiClient } from '#test/kit/client.ts';
import { idOf, newPerson } from '#test/kit/shared-files.ts';
import { useApp } from '#test/kit/use-app.ts';

/** A task and a statement about each of two people, a drop page of both, and one of the second. */
async function writeDocuments(
  { app: { ctx } }: Pick<TestApp, 'app'>,
  [ann, bea]: [ApiClient, ApiClient],
): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.write(async (tx) => {
    const times = { created_at: now, updated_at: now };
    const task = { kind: 'delete_expired', state: 'done', started_by: 'root-example-com', ...times } as const;
    const counts = { total: 1, done: 1, failed: 0, finished_at: now };
    for (const [id, who] of [
      ['task-ann', ann],
      ['task-bea', bea],
    ] as const)
      await tx
        .insertInto('tasks')
        .values({
          id,
          input: JSON.stringify({ ids: [idOf(who)] }),
          progress: JSON.stringify({ at: who.email }),
          ...task,
          ...counts,
        })
        .execute();
    const drop = { intro: '', max_size: null, file_types: '', confirms_sender: 0, is_open: 1, ...times } as const;
    for (const [id, receivers] of [
      ['drop-both', [idOf(ann), idOf(bea)]],
      ['drop-bea', [idOf(bea)]],
    ] as const)
      await tx
        .insertInto('system_drops')
        .values({ id, name: id, title: id, receivers: JSON.stringify(receivers), ...drop })
        .execute();
    for (const [id, who] of [
      ['statement-ann', ann],
      ['statement-bea', bea],
    ] as const)
      await insertStatement(tx, {
        id,
        kind: 'exposure',
        state: 'made',
        aboutUserId: '',
        madeBy: 'root-example-com',
        begunSeq: 0,
        documentText: JSON.stringify({ about: { address: who.email } }),
        note: '',
        createdAt: now,
        finishedAt: now,
      });
  });
}

onOneEngine('Stored documents of an erased person', (start) => {
  const app = useApp(start, { environment: { WAYBILL_ROLE: 'web' } });

  test('no longer contain the person in tasks, drop pages and statements, and still contain all others', async () => {
    const { ctx } = app.app;
    const [ann, bea] = [await newPerson(app, 'ann'), await newPerson(app, 'bea')];
    await writeDocuments(app, [ann, bea]);
    const body = { erasure: { email: ann.email, reason: 'Asked by letter' } };
    await app.admin.expect(200, 'erasePerson', { params: { id: idOf(ann) }, body });
    const { read } = ctx.db;
    const tasks = await read.selectFrom('tasks').select(['id', 'input', 'progress']).orderBy('id').execute();
    assert.deepEqual(
      tasks.map(({ id, input, progress }) => [
        id,
        /\bann/.test(`${input}${progress}`),
        `${input}${progress}`.includes('bea'),
      ]),
      [
        ['task-ann', false, false],
        ['task-bea', false, true],
      ],
    );
    assert.deepEqual(await read.selectFrom('system_drops').select(['id', 'receivers']).orderBy('id').execute(), [
      { id: 'drop-bea', receivers: JSON.stringify([idOf(bea)]) },
      { id: 'drop-both', receivers: JSON.stringify([idOf(bea)]) },
    ]);
    assert.deepEqual(await read.selectFrom('statements').select('id').execute(), [{ id: 'statement-bea' }]);
  });
});
