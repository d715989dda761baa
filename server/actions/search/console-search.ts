// Searches what an administrator or auditor may see: people, groups and transfers. Addresses and references are stored
// in clear; subjects of transfers are neither searched nor shown (docs/adr/0029).
import { listGroups } from '../../db/groups/groups.ts';
import { listUserPage } from '../../db/users/user-lists.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { Group } from '../../domain/groups.ts';
import { holds, requireRight } from '../../domain/roles.ts';
import type { Transfer } from '../../domain/transfers.ts';
import type { User } from '../../domain/users.ts';
import { parseAddress } from '../../lib/address.ts';
import { createWordMatcher, createWordRanking } from '../../lib/text-search.ts';
import type { Ctx } from '../context.ts';
import { listAllTransfers, scopeOf, type TransferFilterInput } from '../transfers/transfers.ts';

interface ConsoleFound {
  people: User[];
  groups: Group[];
  transfers: Transfer[];
}

const mostRanked = 50;
const mostShown = 8;
/** People whose latest transfers are found with them. */
const mostOwners = 3;

export async function searchConsole(ctx: Ctx, caller: UserCaller, q: string): Promise<ConsoleFound> {
  requireRight(caller, 'console.read');
  const words = q.trim();
  const people = await findPeople(ctx, caller, words);
  return {
    people: holds(caller, 'people.manage') ? people : [],
    groups: await findGroups(ctx, words),
    transfers: await findTransfers(ctx, caller, words, people.slice(0, mostOwners)),
  };
}

/** Auditors see the transfers of all people, but no list of people. */
async function findPeople(ctx: Ctx, caller: UserCaller, q: string): Promise<User[]> {
  const { hiddenGroupIds, callerId } = await scopeOf(ctx, caller);
  const anyone = { state: null, seen: null, ids: null, isnt: null };
  const filter = { ...anyone, groups: { not: hiddenGroupIds }, selfId: callerId, q };
  const order = { sort: 'email', isDescending: false, after: null, limit: mostRanked } as const;
  const found = await listUserPage(ctx.db.read, filter, order);
  const rank = createWordRanking(q);
  const rankOf = ({ name, email }: User) => rank(name, [email]);
  return found.toSorted((one, other) => rankOf(one) - rankOf(other)).slice(0, mostShown);
}

async function findGroups(ctx: Ctx, q: string): Promise<Group[]> {
  const isMatch = createWordMatcher(q);
  const groups = await listGroups(ctx.db.read);
  return groups.filter(({ name }) => isMatch([name])).slice(0, mostShown);
}

async function findTransfers(ctx: Ctx, caller: UserCaller, q: string, owners: User[]): Promise<Transfer[]> {
  const filters: TransferFilterInput[] = [{ id: q }];
  if (parseAddress(q) !== null) filters.push({ recipient: q });
  else if (parseAddress(`a@${q}`) !== null) filters.push({ domain: q });
  filters.push(...owners.map(({ id }) => ({ person: id })));
  const found: Transfer[] = [];
  for (const filter of filters) {
    const { transfers } = await listAllTransfers(ctx, caller, filter, { before: null, size: mostShown });
    found.push(...transfers.filter(({ id }) => found.every((other) => other.id !== id)));
  }
  return found.slice(0, mostShown);
}
