// People the caller wrote to, and whether their group may send to an address, word for word as sending would say.
import { findNamesOf, listRecentlyAsked, listRecentRecipients } from '../../db/contacts.ts';
import { findLocalAddresses } from '../../db/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { demandPermittedRecipients, readRecipients } from '../../domain/messages.ts';
import { Problem } from '../../domain/problem.ts';
import { createWordMatcher } from '../../lib/words.ts';
import type { Ctx } from '../context.ts';

export interface Person {
  address: string;
  /** Empty when not known. */
  name: string;
  lastAt: number;
}

/** How far back is looked: so many recipients of the newest messages. */
const mostLookedAt = 2000;

/** Newest first; `q` is looked for in address and name. */
export async function suggestPeople(ctx: Ctx, caller: UserCaller, q: string, limit: number): Promise<Person[]> {
  const written = await listRecentRecipients(ctx.db.read, caller.userId, mostLookedAt);
  const asked = await listRecentlyAsked(ctx.db.read, caller.userId, mostLookedAt);
  const lastAt = new Map<string, number>();
  for (const { address, created_at: at } of [...written, ...asked])
    lastAt.set(address, Math.max(at, lastAt.get(address) ?? 0));
  const addresses = [...lastAt.keys()];
  // Whom an address belongs to is told to colleagues only.
  const names = caller.isLocal ? await findNamesInParts(ctx, addresses) : new Map<string, string>();
  const isMatch = createWordMatcher(q);
  return addresses
    .map((address) => ({ address, name: names.get(address) ?? '', lastAt: lastAt.get(address)! }))
    .filter((person) => isMatch([person.address, person.name]))
    .toSorted((one, other) => other.lastAt - one.lastAt || (one.address < other.address ? -1 : 1))
    .slice(0, limit);
}

async function findNamesInParts(ctx: Ctx, addresses: string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (let start = 0; start < addresses.length; start += 500) {
    const part = await findNamesOf(ctx.db.read, addresses.slice(start, start + 500));
    for (const [address, name] of part) names.set(address, name);
  }
  return names;
}

export interface CheckedRecipient {
  typed: string;
  address: string | null;
  refusal: Problem | null;
}

export async function checkRecipients(ctx: Ctx, caller: UserCaller, typed: string[]): Promise<CheckedRecipient[]> {
  const read = typed.map((text) => readOne(text));
  const addresses = read.flatMap(({ address }) => address ?? []);
  const local = await findLocalAddresses(ctx.db.read, [...new Set(addresses)]);
  return read.map((recipient) =>
    recipient.address === null
      ? recipient
      : {
          ...recipient,
          refusal: refusalOf(() =>
            demandPermittedRecipients(caller.policy, caller.isLocal, [recipient.address!], local),
          ),
        },
  );
}

function readOne(typed: string): CheckedRecipient {
  let address: string | null = null;
  const refusal = refusalOf(() => {
    address = readRecipients({ to: [typed], cc: [], bcc: [] }).to[0]!;
  });
  return { typed, address, refusal };
}

function refusalOf(demand: () => void): Problem | null {
  try {
    demand();
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
