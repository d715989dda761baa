// Events of reading by administrators and auditors (docs/adr/0106). Repeated views within 15 minutes are one event;
// exports are always recorded.
import { beginView, type ConsoleView, isViewed } from '../../db/events/console-views.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { Happening, ShownList } from '../../domain/events.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { withReferences } from '../transfers/references.ts';

export const viewWindowMs = 15 * 60_000;

type View = Extract<
  Happening,
  { action: 'user.viewed' | 'transfer.viewed' | 'receipt.viewed' | 'statement.viewed' | 'list.viewed' }
>;

/** Not for the caller's own data. */
export async function recordView(ctx: Ctx, caller: UserCaller, view: View): Promise<void> {
  if (view.ownerId === caller.userId) return;
  const { action, object, facts } = view as View & { facts?: unknown };
  const parts = [caller.userId, action, object.kind, object.id, JSON.stringify(facts ?? {})];
  const key = ctx.keys.hash('console-view', parts.join('\n')).toString('base64url');
  const viewed: ConsoleView = { key, now: ctx.clock.now(), windowMs: viewWindowMs };
  if (await isViewed(ctx.db.read, viewed)) return;
  await ctx.db.write(async (tx) => {
    if (await beginView(tx, viewed)) await record(ctx, tx, caller, view);
  });
}

export async function recordUserView(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  await recordView(ctx, caller, { action: 'user.viewed', object: { kind: 'user', id }, ownerId: id });
}

/** Filters of a list by name. */
export type ListFilter = Readonly<Record<string, string | number | boolean>>;

export async function recordListView(ctx: Ctx, caller: UserCaller, list: ShownList, filter: ListFilter): Promise<void> {
  const facts = await factsOf(ctx, filter);
  await recordView(ctx, caller, { action: 'list.viewed', object: { kind: 'system', id: list }, ownerId: '', facts });
}

export async function recordExport(ctx: Ctx, caller: UserCaller, list: ShownList, filter: ListFilter): Promise<void> {
  const facts = await factsOf(ctx, filter);
  await ctx.db.write((tx) =>
    record(ctx, tx, caller, { action: 'list.exported', object: { kind: 'system', id: list }, ownerId: '', facts }),
  );
}

/** Recorded by reference, because an id opens the transfer. */
async function factsOf(ctx: Ctx, filter: ListFilter): Promise<{ filter?: ListFilter }> {
  return Object.keys(filter).length === 0 ? {} : { filter: await withReferences(ctx, filter) };
}
