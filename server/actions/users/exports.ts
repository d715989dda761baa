// Exports the data about a person (docs/trust/erasure.md), without texts, subjects and file names.
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
  /** Lists with more rows than exported. */
  truncated: ExportedList[];
  /** Transfers of people outside the caller's reach. */
  leftOut: number;
  madeAt: number;
}

export async function exportPerson(ctx: Ctx, caller: UserCaller, id: string): Promise<PersonExport> {
  requireRight(caller, 'people.manage');
  const person = await describePerson(ctx, caller, id);
  const addresses = [...new Set([person.email, ...person.senderAliases, ...person.recipientAliases])];
  // An export of one's own data is complete.
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

const transferFields: { readonly [Name in ExportedList]?: 'id' | 'transfer' } = {
  messages_sent: 'id',
  messages_received: 'id',
  deliveries: 'id',
  links: 'id',
  requests: 'id',
  downloads: 'transfer',
  download_requests: 'transfer',
  visits: 'transfer',
};

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
