// The same action on many transfers: first a dry run that says which and how many, then a task that does it one by one
// with the rights of whoever started it, and can be stopped.
import { countTransfers, listTransfers } from '../../db/transfers/transfers.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Task, TaskStep } from '../../domain/tasks.ts';
import type { Transfer, TransferFilter, TransferKind, TransferPlace } from '../../domain/transfers.ts';
import { recordListView } from '../audit/views.ts';
import type { Ctx } from '../context.ts';
import { keepRefusal, refusalOf, type TaskRefusal } from '../tasks/refusals.ts';
import { startTask } from '../tasks/tasks.ts';
import { findPerson } from '../users/rights.ts';
import { extendTransfer, stopTransfer } from './changes.ts';
import { findHeir, giveAway, tellBoth } from './hand-over.ts';
import { withReferences } from './references.ts';
import { describeAll, resolveFilter, scopeOf, type TransferWishes } from './transfers.ts';

export type BulkAction = 'stop' | 'extend' | 'hand_over';

export interface BulkInput {
  action: BulkAction;
  filter: TransferWishes;
  expiresOn: string;
  to: string;
  reason: string;
}

/** What a dry run says. */
export interface BulkPlan {
  counts: Map<TransferKind, number>;
  /** The first of them. */
  sample: Transfer[];
}

const sampleSize = 50;

export async function planBulk(ctx: Ctx, caller: UserCaller, input: BulkInput): Promise<BulkPlan> {
  const filter = await resolveBulk(ctx, caller, input);
  const wanted = { ...filter, scope: await scopeOf(ctx, caller) };
  const heads = await listTransfers(ctx.db.read, wanted, { before: null, limit: sampleSize });
  if (heads.length > 0) await recordListView(ctx, caller, 'transfers', filterFacts(input.filter));
  return {
    counts: await countTransfers(ctx.db.read, wanted),
    sample: await describeAll(ctx, heads),
  };
}

/** As in a query. */
function filterFacts(wishes: TransferWishes): Record<string, string | number> {
  const given = Object.entries(wishes).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(given.toSorted());
}

export async function startBulk(ctx: Ctx, caller: UserCaller, input: BulkInput): Promise<Task> {
  const filter = await resolveBulk(ctx, caller, input);
  const counts = await countTransfers(ctx.db.read, { ...filter, scope: await scopeOf(ctx, caller) });
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const { action, expiresOn, to, reason } = input;
  const about = { action, filter: await withReferences(ctx, input.filter), ...(reason === '' ? {} : { reason }) };
  return startTask(ctx, caller, {
    kind: 'transfers',
    input: { action, filter, expiresOn, to, reason },
    total,
    about: { ...about, ...(expiresOn === '' ? {} : { expires: expiresOn }), ...(to === '' ? {} : { to }) },
  });
}

/** Refuses what can't be meant; everything else about single transfers is found one by one. */
async function resolveBulk(ctx: Ctx, caller: UserCaller, input: BulkInput): Promise<TransferFilter> {
  requireRight(caller, 'console.change');
  const { action, filter } = input;
  const isNarrow = [filter.person, filter.group, filter.recipient, filter.domain, filter.id].some(
    (value) => value !== undefined && value.trim() !== '',
  );
  if (!isNarrow && filter.olderThan === undefined && filter.newerThan === undefined)
    throw invalid('transfer.bulk_everything', 'Say whose transfers, to which domain, or how old.', 'filter');
  if (action === 'extend' && input.expiresOn === '')
    throw invalid('transfer.bad_date', 'The expiry date must be a real date written as YYYY-MM-DD.', 'expires_at');
  if (action === 'hand_over') await findHeir(ctx, caller, input.to);
  // What was stopped or has expired needs no stopping, and comes back only one by one.
  return resolveFilter(ctx, caller, { ...filter, state: filter.state ?? 'open' });
}

const batchSize = 25;

interface BulkProgress {
  before: TransferPlace | null;
  refused: TaskRefusal[];
  /** How many were taken from whom, for the mail at the end. */
  givenAway: Record<string, number>;
}

/** One batch, in order of time. Doing it again after a crash changes nothing: what is done is refused or not found. */
export async function stepBulk(ctx: Ctx, caller: UserCaller, task: Task): Promise<TaskStep> {
  const input = task.input as unknown as Omit<BulkInput, 'filter'> & { filter: TransferFilter };
  const progress: BulkProgress = { before: null, refused: [], givenAway: {}, ...task.progress };
  const wanted = { ...input.filter, scope: await scopeOf(ctx, caller) };
  const batch = await listTransfers(ctx.db.read, wanted, { before: progress.before, limit: batchSize });
  let { done, failed } = task;
  for (const { id } of batch) {
    const refusal = await refusalOf(() => actOn(ctx, caller, { id, input, progress }));
    if (refusal === null) done++;
    else {
      failed++;
      keepRefusal(progress.refused, id, refusal);
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
    const heir = await findHeir(ctx, caller, input.to);
    const from = await ctx.db.write((tx) => giveAway(ctx, tx, caller, { id, heir, reason }));
    progress.givenAway[from] = (progress.givenAway[from] ?? 0) + 1;
  }
}

/** At its end, also when it was stopped: one mail for each person something was taken from, and for each to the heir. */
export async function finishBulk(ctx: Ctx, caller: UserCaller, task: Task): Promise<void> {
  const { action, to, reason } = task.input as unknown as BulkInput;
  const { givenAway = {} } = task.progress as Partial<BulkProgress>;
  if (action !== 'hand_over' || Object.keys(givenAway).length === 0) return;
  // Who could be given nothing more by now has what they were given, and both are told.
  const heir = await findPerson(ctx.db.read, to.trim());
  if (heir === undefined) return;
  await ctx.db.write(async (tx) => {
    for (const [fromId, count] of Object.entries(givenAway))
      await tellBoth(ctx, tx, caller, { fromId, heir, count, reason });
  });
}
