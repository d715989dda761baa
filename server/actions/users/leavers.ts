// Deletes a person after handing over their transfers: disables the account, then a task hands over. Stopping the task
// or enabling the account keeps the account.

import type { Tx } from '../../db/schema/schema.ts';
import { endProofsOf } from '../../db/sessions/codes.ts';
import { deleteSessionsOf } from '../../db/sessions/sessions.ts';
import { findTask } from '../../db/system/tasks.ts';
import { countTransfers, listTransfers } from '../../db/transfers/transfers.ts';
import { findUser, updateUser } from '../../db/users/users.ts';
import { confirmedAddresses } from '../../domain/addresses.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Task, TaskStep } from '../../domain/tasks.ts';
import type { TransferPlace } from '../../domain/transfers.ts';
import { displayName, type User } from '../../domain/users.ts';
import { queueSecurityNotice } from '../account/security-notices.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { addRefusal, refusalOf, type TaskRefusal } from '../tasks/refusals.ts';
import { insertStartedTask } from '../tasks/tasks.ts';
import { assertPossibleOwner, findNewOwner, handOver } from '../transfers/hand-over.ts';
import { everything, scopeOf } from '../transfers/transfers.ts';
import { readReason } from './addresses.ts';
import { findVisible, holdVisible, protectLastAdministrator } from './rights.ts';
import { deleteUser } from './users.ts';

export interface Leaving {
  /** Repeated as a confirmation. */
  email: string;
  /** Id or address of the new owner. */
  to: string;
  reason: string;
}

interface Input {
  userId: string;
  heirId: string;
  name: string;
  reason: string;
}

export async function startLeaving(ctx: Ctx, caller: UserCaller, id: string, leaving: Leaving): Promise<Task> {
  requireRight(caller, 'people.manage');
  const reason = readReason(leaving.reason);
  const found = await findVisible(ctx.db.read, caller, id);
  if (leaving.email.trim().toLowerCase() !== found.email.toLowerCase())
    throw invalid('user.deletion_unconfirmed', 'Type the e-mail address of the person you want to delete.', 'email');
  const newOwner = await findNewOwner(ctx, caller, leaving.to);
  assertPossibleOwner(found, newOwner);
  const theirs = { ...everything, ownerId: found.id, scope: await scopeOf(ctx, caller) };
  const stopped = await countOf(ctx, { ...theirs, state: 'stopped' });
  const total = (await countOf(ctx, theirs)) - stopped;
  return ctx.db.write(async (tx) => {
    const user = await holdVisible(tx, caller, found.id);
    await protectLastAdministrator(tx, caller, user, { role: 'user', isDisabled: true });
    await switchOff(ctx, tx, caller, { user, reason });
    const input: Input = { userId: user.id, heirId: newOwner.id, name: displayName(user), reason };
    return insertStartedTask(ctx, tx, caller, {
      kind: 'leaver',
      input: { ...input },
      total,
      about: { person: user.id, to: newOwner.id, ...(reason === '' ? {} : { reason }) },
    });
  });
}

async function countOf(ctx: Ctx, filter: Parameters<typeof countTransfers>[1]): Promise<number> {
  return [...(await countTransfers(ctx.db.read, filter)).values()].reduce((sum, count) => sum + count, 0);
}

async function switchOff(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  { user, reason }: { user: User; reason: string },
): Promise<void> {
  await deleteSessionsOf(tx, user.id);
  await endProofsOf(tx, confirmedAddresses(user), ctx.clock.now());
  if (user.state === 'disabled') return;
  await updateUser(tx, user.id, { state: 'disabled' }, ctx.clock.now());
  await record(ctx, tx, caller, {
    action: 'user.changed',
    object: { kind: 'user', id: user.id },
    ownerId: user.id,
    facts: {
      changed: ['isDisabled'],
      group: user.groupId,
      changes: { disabled: { from: false, to: true } },
      ...(reason === '' ? {} : { reason }),
    },
  });
}

const batchSize = 25;

interface Progress {
  before: TransferPlace | null;
  refused: TaskRefusal[];
}

/** Stopped transfers end with the account. */
export async function stepLeaving(ctx: Ctx, caller: UserCaller, task: Task): Promise<TaskStep> {
  const { userId, heirId, reason } = task.input as unknown as Input;
  const progress: Progress = { before: null, refused: [], ...task.progress };
  // The account was enabled again.
  if ((await findUser(ctx.db.read, userId))?.state === 'active') {
    const { total, done, failed } = task;
    return { progress: { ...progress }, total, done, failed, isDone: true };
  }
  const filter = { ...everything, ownerId: userId, scope: await scopeOf(ctx, caller) };
  const batch = await listTransfers(ctx.db.read, filter, { before: progress.before, limit: batchSize });
  let { done, failed } = task;
  for (const { id } of batch.filter(({ state }) => state !== 'stopped')) {
    const problem = await refusalOf(async () => {
      const newOwner = await findNewOwner(ctx, caller, heirId);
      await ctx.db.write((tx) => handOver(ctx, tx, caller, { id, newOwner, reason }));
    });
    if (problem === null) done++;
    else {
      failed++;
      addRefusal(progress.refused, id, problem);
    }
  }
  const last = batch.at(-1);
  if (last !== undefined) progress.before = { createdAt: last.createdAt, id: last.id };
  return { progress: { ...progress }, total: task.total, done, failed, isDone: batch.length < batchSize };
}

/** Deletes the account only after a complete hand-over. */
export async function finishLeaving(ctx: Ctx, caller: UserCaller, task: Task): Promise<void> {
  const { userId, heirId, name, reason } = task.input as unknown as Input;
  const user = await findUser(ctx.db.read, userId);
  // The account was deleted before a crash.
  if (user === undefined) return;
  if (task.done > 0) {
    const newOwner = await findUser(ctx.db.read, heirId);
    if (newOwner !== undefined)
      await ctx.db.write((tx) =>
        queueSecurityNotice(ctx, tx, caller, {
          event: 'transfers-taken-over',
          userId: newOwner.id,
          to: newOwner.email,
          transfers: { count: task.done, person: name },
          ...(reason === '' ? {} : { reason }),
        }),
      );
  }
  if (task.state === 'stopping' || task.failed > 0) return;
  const remember = (tx: Tx) => assertStillLeaving(tx, task.id, userId);
  try {
    await deleteUser(ctx, caller, userId, { why: 'administrator', reason, remember });
  } catch (error) {
    if (!(error instanceof Staying)) throw error;
  }
}

class Staying extends Error {}

/** In the transaction: the task may have been stopped, or the account enabled. */
async function assertStillLeaving(tx: Tx, taskId: string, userId: string): Promise<void> {
  const [task, user] = [await findTask(tx, taskId), await findUser(tx, userId)];
  if (task?.state === 'stopping' || user?.state === 'active') throw new Staying();
}
