// One action on many transfers: a dry run that counts them, then a task.
import { countTransfers, listTransfers } from '../../db/transfers/transfers.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Task, TaskStep } from '../../domain/tasks.ts';
import type { Transfer, TransferFilter, TransferKind, TransferPlace } from '../../domain/transfers.ts';
import { recordListView } from '../audit/views.ts';
import type { Ctx } from '../context.ts';
import { addRefusal, refusalOf, type TaskRefusal } from '../tasks/refusals.ts';
import { startTask } from '../tasks/tasks.ts';
import { findPerson } from '../users/rights.ts';
import { extendTransfer, stopTransfer } from './changes.ts';
import { findNewOwner, handOver, notifyOwners } from './hand-over.ts';
import { withReferences } from './references.ts';
import { describeAll, resolveFilter, scopeOf, type TransferFilterInput } from './transfers.ts';

export type BulkAction = 'stop' | 'extend' | 'hand_over';

export interface BulkInput {
  action: BulkAction;
  filter: TransferFilterInput;
  expiresOn: string;
  to: string;
  reason: string;
}

export interface BulkPlan {
  counts: Map<TransferKind, number>;
  sample: Transfer[];
}

const sampleSize = 50;

export async function planBulk(ctx: Ctx, caller: UserCaller, input: BulkInput): Promise<BulkPlan> {
  const filter = await resolveBulk(ctx, caller, input);
  const query = { ...filter, scope: await scopeOf(ctx, caller) };
  const heads = await listTransfers(ctx.db.read, query, { before: null, limit: sampleSize });
  if (heads.length > 0) await recordListView(ctx, caller, 'transfers', filterFacts(input.filter));
  return {
    counts: await countTransfers(ctx.db.read, query),
    sample: await describeAll(ctx, heads),
  };
}

function filterFacts(input: TransferFilterInput): Record<string, string | number> {
  const { references, ...rest } = input;
  const given = Object.entries({ ...rest, references: references?.join(', ') }).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value] as const],
  );
  return Object.fromEntries(given.toSorted());
}

export async function startBulk(ctx: Ctx, caller: UserCaller, input: BulkInput): Promise<Task> {
  const filter = await resolveBulk(ctx, caller, input);
  const counts = await countTransfers(ctx.db.read, { ...filter, scope: await scopeOf(ctx, caller) });
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const { action, expiresOn, to, reason } = input;
  const about = {
    action,
    filter: await withReferences(ctx, filterFacts(input.filter)),
    ...(reason === '' ? {} : { reason }),
  };
  return startTask(ctx, caller, {
    kind: 'transfers',
    input: { action, filter, expiresOn, to, reason },
    total,
    about: { ...about, ...(expiresOn === '' ? {} : { expires: expiresOn }), ...(to === '' ? {} : { to }) },
  });
}

async function resolveBulk(ctx: Ctx, caller: UserCaller, input: BulkInput): Promise<TransferFilter> {
  requireRight(caller, 'console.change');
  const { action, filter } = input;
  const isNarrow = [filter.person, filter.group, filter.recipient, filter.domain, filter.id].some(
    (value) => value !== undefined && value.trim() !== '',
  );
  const isList = filter.references !== undefined && filter.references.length > 0;
  if (!isNarrow && !isList && filter.olderThan === undefined && filter.newerThan === undefined)
    throw invalid('transfer.bulk_everything', 'Say whose transfers, to which domain, or how old.', 'filter');
  if (action === 'extend' && input.expiresOn === '')
    throw invalid('transfer.bad_date', 'The expiry date must be a real date written as YYYY-MM-DD.', 'expires_at');
  if (action === 'hand_over') await findNewOwner(ctx, caller, input.to);
  // The others need no stopping, and are extended one by one.
  return resolveFilter(ctx, caller, { ...filter, state: filter.state ?? 'open' });
}

const batchSize = 25;

interface BulkProgress {
  before: TransferPlace | null;
  refused: TaskRefusal[];
  /** By former owner, for the mails at the end. */
  givenAway: Record<string, number>;
}

/** Repeating a batch after a crash changes nothing: finished transfers are refused or no longer found. */
export async function stepBulk(ctx: Ctx, caller: UserCaller, task: Task): Promise<TaskStep> {
  const input = task.input as unknown as Omit<BulkInput, 'filter'> & { filter: TransferFilter };
  const progress: BulkProgress = { before: null, refused: [], givenAway: {}, ...task.progress };
  const query = { ...input.filter, scope: await scopeOf(ctx, caller) };
  const batch = await listTransfers(ctx.db.read, query, { before: progress.before, limit: batchSize });
  let { done, failed } = task;
  for (const { id } of batch) {
    const refusal = await refusalOf(() => actOn(ctx, caller, { id, input, progress }));
    if (refusal === null) done++;
    else {
      failed++;
      addRefusal(progress.refused, id, refusal);
    }
  }
  const last = batch.at(-1);
  if (last !== undefined) progress.before = { createdAt: last.createdAt, id: last.id };
  return { progress: { ...progress }, total: task.total, done, failed, isDone: batch.length < batchSize };
}

async function actOn(
  ctx: Ctx,
  caller: UserCaller,
  { id, input, progress }: { id: string; input: Omit<BulkInput, 'filter'>; progress: BulkProgress },
): Promise<void> {
  const { action, expiresOn, reason } = input;
  if (action === 'stop') await stopTransfer(ctx, caller, id, { reason });
  else if (action === 'extend') await extendTransfer(ctx, caller, id, { expiresOn, reason });
  else {
    const newOwner = await findNewOwner(ctx, caller, input.to);
    const from = await ctx.db.write((tx) => handOver(ctx, tx, caller, { id, newOwner, reason }));
    progress.givenAway[from] = (progress.givenAway[from] ?? 0) + 1;
  }
}

/** Also runs when the task was stopped. */
export async function finishBulk(ctx: Ctx, caller: UserCaller, task: Task): Promise<void> {
  const { action, to, reason } = task.input as unknown as BulkInput;
  const { givenAway = {} } = task.progress as Partial<BulkProgress>;
  if (action !== 'hand_over' || Object.keys(givenAway).length === 0) return;
  // May have been disabled since.
  const newOwner = await findPerson(ctx.db.read, to.trim());
  if (newOwner === undefined) return;
  await ctx.db.write(async (tx) => {
    for (const [fromId, count] of Object.entries(givenAway))
      await notifyOwners(ctx, tx, caller, { fromId, newOwner, count, reason });
  });
}
