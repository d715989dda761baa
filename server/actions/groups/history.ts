// The history of a group's settings, and restoring old values.
import { listEventsOf } from '../../db/events/events.ts';
import { findGroup } from '../../db/groups/groups.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Ctx } from '../context.ts';
import { entriesOf, type HistoryEntry } from './changes-since.ts';
import { changeGroup, type ManagedGroup } from './groups.ts';

/** Fields of the group that are no settings. */
const groupFields = ['name', 'is_local', 'role', 'match_domains', 'match_groups'];

const pageSize = 50;
const actions = ['group.created', 'group.changed'] as const;

/** Newest first; `before` is the number of the last entry on the previous page. */
export async function listGroupHistory(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  before: number | null,
): Promise<{ entries: HistoryEntry[]; next: number | null }> {
  requireRight(caller, 'console.read');
  if ((await findGroup(ctx.db.read, id)) === undefined) throw notFound('group');
  const page = { size: pageSize + 1, beforeSeq: before };
  const events = await listEventsOf(ctx.db.read, { kind: 'group', id }, actions, page);
  const shown = events.slice(0, pageSize);
  // A save without changes has an event but no history entry.
  const entries = (await entriesOf(ctx.db.read, shown)).filter(
    ({ action, changes }) => action === 'created' || changes.length > 0,
  );
  return { entries, next: events.length > pageSize ? shown.at(-1)!.seq : null };
}

/** Restores the values before an entry, or only the named settings. */
export async function restoreGroup(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  input: { number: number; settings: string[] | undefined; version: number | undefined },
): Promise<ManagedGroup> {
  requireRight(caller, 'system.change');
  const group = { kind: 'group', id };
  const page = { size: 1, beforeSeq: input.number + 1 };
  const [event] = await listEventsOf(ctx.db.read, group, ['group.changed'], page);
  if (event === undefined || event.seq !== input.number)
    throw invalid('group.entry_unknown', 'There is no such change of this group.', 'entry');
  const [entry] = await entriesOf(ctx.db.read, [event]);
  const selected = entry!.changes.filter(({ setting }) => input.settings?.includes(setting) ?? true);
  if (selected.length === 0) throw invalid('group.entry_unknown', 'There is no such change of this group.', 'settings');
  const old = new Map(selected.map(({ setting, from }) => [setting, from]));
  return changeGroup(ctx, caller, id, {
    name: old.get('name') as string | undefined,
    isLocal: old.get('is_local') as boolean | undefined,
    rights: { role: old.get('role') as ManagedGroup['role'] | undefined },
    domains: old.get('match_domains'),
    matchGroups: old.get('match_groups'),
    policy: Object.fromEntries([...old].filter(([setting]) => !groupFields.includes(setting))),
    version: input.version,
  });
}
