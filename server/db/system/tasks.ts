// Queries on tasks of administrators.
import type { Task, TaskProgress } from '../../domain/tasks.ts';
import type { Query, TasksTable, Tx } from '../schema/schema.ts';
import { defineTable } from '../table.ts';

const tasks = defineTable<TasksTable>()(({ plain, json }) => ({
  ...plain('id', 'kind', 'state', 'started_by', 'total', 'done', 'failed', 'created_at', 'finished_at'),
  input: json<Task['input']>()('input'),
  progress: json<Task['progress']>()('progress'),
}));

export async function insertTask(
  tx: Tx,
  task: Pick<Task, 'id' | 'kind' | 'input' | 'startedBy' | 'total' | 'createdAt'>,
): Promise<Task> {
  const added: Task = { ...task, state: 'waiting', progress: {}, done: 0, failed: 0, finishedAt: null };
  await tx
    .insertInto('tasks')
    .values({ ...tasks.write(added, tx.keys), updated_at: task.createdAt })
    .execute();
  return added;
}

export async function findTask(db: Query, id: string): Promise<Task | null> {
  const row = await db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : tasks.read(row, db.keys);
}

/** Newest first; of all users, or of one. */
export async function listTasks(db: Query, startedBy: string | null, limit: number): Promise<Task[]> {
  let query = db.selectFrom('tasks').selectAll();
  if (startedBy !== null) query = query.where('started_by', '=', startedBy);
  const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
  return tasks.readAll(rows, db.keys);
}

/** Oldest first. */
export async function listUnfinishedTasks(db: Query, limit: number): Promise<Task[]> {
  const rows = await db
    .selectFrom('tasks')
    .selectAll()
    .where('finished_at', 'is', null)
    .orderBy('created_at')
    .limit(limit)
    .execute();
  return tasks.readAll(rows, db.keys);
}

/** False when it has ended. */
export async function askTaskToStop(tx: Tx, id: string, now: number): Promise<boolean> {
  const updated = await tx
    .updateTable('tasks')
    .set({ state: 'stopping', updated_at: now })
    .where('id', '=', id)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** Saves the progress of a step; a requested stop remains. */
export async function saveTaskProgress(tx: Tx, id: string, step: TaskProgress, now: number): Promise<void> {
  await tx
    .updateTable('tasks')
    .set((eb) => ({
      state: eb.case().when('state', '=', 'stopping').then('stopping').else('running').end() as never,
      progress: JSON.stringify(step.progress),
      total: step.total,
      done: step.done,
      failed: step.failed,
      updated_at: now,
    }))
    .where('id', '=', id)
    .execute();
}

export async function finishTask(
  tx: Tx,
  id: string,
  state: 'done' | 'stopped' | 'failed',
  now: number,
): Promise<boolean> {
  const updated = await tx
    .updateTable('tasks')
    .set({ state, updated_at: now, finished_at: now })
    .where('id', '=', id)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}
