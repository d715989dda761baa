import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Among, useRows } from '../../../test/kit/boundary-rows.ts';
import type { Query } from '../schema/schema.ts';
import { askTaskToStop, findTask, finishTask, listTasks, listUnfinishedTasks, saveTaskProgress } from './tasks.ts';

describe('Among other long work', () => {
  const rows = useRows();
  const task: Among<'tasks'> = {
    table: 'tasks',
    right: { id: 'task', state: 'running', started_by: 'alice', input: '{}', progress: '{}', finished_at: null },
    wrong: { id: 'other', finished_at: 5 },
  };
  const made = (id: string, created_at: number) => ({ ...task.right, id, created_at });

  test('one is found by its id', async () => {
    await rows.finds({ ...task, wrong: { id: 'other' } }, async (db) => (await findTask(db, 'task'))?.id, 'task');
  });

  test('it is listed newest first, then by descending id, of all users or of one', async () => {
    const listed = async (startedBy: string | null) => (await listTasks(rows.db, startedBy, 3)).map(({ id }) => id);
    const theirs = { ...task, wrong: { started_by: 'bob' } };
    await rows.finds(theirs, async (db) => (await listTasks(db, 'alice', 3)).map(({ id }) => id), ['task']);
    rows.put('tasks', made('b', 2), made('c', 2), made('d', 1), { ...made('a', 3), started_by: 'bob' });
    assert.deepEqual(await listed(null), ['a', 'c', 'b']);
    assert.deepEqual(await listed('alice'), ['c', 'b', 'd']);
  });

  test('what is not finished is listed oldest first, so many at a time', async () => {
    const listed = async (db: Query) => (await listUnfinishedTasks(db, 2)).map(({ id }) => id);
    await rows.finds({ ...task, wrong: { finished_at: 5 } }, listed, ['task']);
    rows.put('tasks', made('a', 2), made('b', 3), made('c', 1));
    assert.deepEqual(await listed(rows.db), ['c', 'a']);
  });

  test('it is asked to stop while it has not ended', async () => {
    await rows.changes(task, (tx) => askTaskToStop(tx, 'task', 9), { state: 'stopping', updated_at: 9 });
  });

  test('a step is saved, and a requested stop remains', async () => {
    const step = { progress: { at: 4 }, total: 6, done: 4, failed: 1 };
    const becomes = { progress: '{"at":4}', total: 6, done: 4, failed: 1, updated_at: 9 };
    for (const [state, next] of [
      ['waiting', 'running'],
      ['stopping', 'stopping'],
    ] as const) {
      const one = { ...task, right: { ...task.right, state }, wrong: { id: 'other' } };
      await rows.changes(one, (tx) => saveTaskProgress(tx, 'task', step, 9), { ...becomes, state: next });
    }
  });

  test('it ends once', async () => {
    const ended = { state: 'done', updated_at: 9, finished_at: 9 } as const;
    await rows.changes(task, (tx) => finishTask(tx, 'task', 'done', 9), ended);
  });
});
