// A copy of what is stored about a person, for the person (docs/erasure.md). Texts, subjects and names of files are not in
// it: administrators do not read them.
import { countLeftOut, listForExport } from '../../db/across/person-export.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { ExportedList, ExportedRows } from '../../domain/person-exports.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { referencesOf } from '../transfers/references.ts';
import { scopeOf } from '../transfers/transfers.ts';
import { describePerson, type PersonDetail } from './details.ts';

const mostRows = 10_000;

export interface PersonExport {
  person: PersonDetail;
  lists: Record<ExportedList, ExportedRows>;
  /** Lists that are longer than what is here. */
  truncated: ExportedList[];
  /** Transfers of people whom the caller does not manage. */
  leftOut: number;
  madeAt: number;
}

export async function exportPerson(ctx: Ctx, caller: UserCaller, id: string): Promise<PersonExport> {
  requireRight(caller, 'people.manage');
  const person = await describePerson(ctx, caller, id);
  const addresses = [...new Set([person.email, ...person.senderAliases, ...person.recipientAliases])];
  // A copy of one's own data leaves nothing out.
  const isOwn = person.id === caller.userId;
  const reach = isOwn ? { hiddenGroupIds: [], callerId: person.id } : await scopeOf(ctx, caller);
  const lists = await listForExport(ctx.db.read, { userId: person.id, addresses, reach }, mostRows + 1);
  const leftOut = await countLeftOut(ctx.db.read, { addresses, reach });
  const truncated = (Object.keys(lists) as ExportedList[]).filter((name) => lists[name].length > mostRows);
  for (const name of truncated) lists[name].length = mostRows;
  await ctx.db.write((tx) =>
    record(ctx, tx, caller, { action: 'user.exported', object: { kind: 'user', id: person.id }, ownerId: person.id }),
  );
  return { person, lists: await named(ctx, lists), truncated, leftOut, madeAt: ctx.clock.now() };
}

/** The fields with ids of transfers. */
const transferFields: { readonly [Name in ExportedList]?: 'id' | 'transfer' } = {
  messages_sent: 'id',
  messages_received: 'id',
  deliveries: 'id',
  links: 'id',
  requests: 'id',
  downloads: 'transfer',
  visits: 'transfer',
};

/** With references in place of the ids of transfers: administrators read the copy too. */
async function named(ctx: Ctx, lists: PersonExport['lists']): Promise<PersonExport['lists']> {
  const fields = Object.entries(transferFields) as [ExportedList, string][];
  const idIn = (row: ExportedRows[number], field: string) => String(row[field] ?? '');
  const references = await referencesOf(
    ctx,
    fields.flatMap(([name, field]) => lists[name].map((row) => idIn(row, field))),
  );
  const shown = fields.map(([name, field]) => [
    name,
    lists[name].map((row) => ({ ...row, [field]: references.get(idIn(row, field)) ?? '' })),
  ]);
  return { ...lists, ...(Object.fromEntries(shown) as PersonExport['lists']) };
}
