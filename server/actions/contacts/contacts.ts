// The people the caller has written to, and whether their group may send to an address: word for word what sending says.
import { listRecentlyAsked, listRecentRecipients } from '../../db/contacts/contacts.ts';
import { findLocalAddresses } from '../../db/users/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { assertPermittedRecipients, readRecipients } from '../../domain/messages.ts';
import { Problem } from '../../domain/problem.ts';
import { createWordMatcher } from '../../lib/words.ts';
import type { Ctx } from '../context.ts';
import { findNames } from './names.ts';

/** Somebody the caller has written to. */
export interface Contact {
  address: string;
  /** Empty when not known. */
  name: string;
  lastAt: number;
}

/** How far back is looked: recipients of the newest messages, and as many requests. */
const mostLookedAt = 2000;

/** Newest first; `q` is looked for in address and name. */
export async function listContacts(ctx: Ctx, caller: UserCaller, q: string, limit: number): Promise<Contact[]> {
  const written = await listRecentRecipients(ctx.db.read, caller.userId, mostLookedAt);
  const asked = await listRecentlyAsked(ctx.db.read, caller.userId, mostLookedAt);
  const lastAt = new Map<string, number>();
  for (const { address, at } of [...written, ...asked]) lastAt.set(address, Math.max(at, lastAt.get(address) ?? 0));
  const addresses = [...lastAt.keys()];
  const names = await findNames(ctx, caller, addresses);
  const isMatch = createWordMatcher(q);
  return addresses
    .map((address) => ({ address, name: names[address] ?? '', lastAt: lastAt.get(address)! }))
    .filter((contact) => isMatch([contact.address, contact.name]))
    .toSorted((one, other) => other.lastAt - one.lastAt || (one.address < other.address ? -1 : 1))
    .slice(0, limit);
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
          refusal: refusalOf(() => assertPermittedRecipients(caller.policy, [recipient.address!], local)),
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
