// The caller's recent recipients, and checks of recipients with the rules of sending.
import { listRecentlyAsked, listRecentRecipients } from '../../db/contacts/contacts.ts';
import { findLocalAddresses } from '../../db/users/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { assertPermittedRecipients, readRecipients } from '../../domain/messages.ts';
import { Problem } from '../../domain/problem.ts';
import { createWordMatcher } from '../../lib/text-search.ts';
import type { Ctx } from '../context.ts';
import { findNames } from './names.ts';

export interface Contact {
  address: string;
  /** Empty if unknown. */
  name: string;
  lastAt: number;
}

/** Limit for recipients of messages, and again for recipients of file requests. */
const maxEntries = 2000;

/** Newest first; `q` matches address and name. */
export async function listContacts(ctx: Ctx, caller: UserCaller, q: string, limit: number): Promise<Contact[]> {
  const messaged = await listRecentRecipients(ctx.db.read, caller.userId, maxEntries);
  const asked = await listRecentlyAsked(ctx.db.read, caller.userId, maxEntries);
  const lastAt = new Map<string, number>();
  for (const { address, at } of [...messaged, ...asked]) lastAt.set(address, Math.max(at, lastAt.get(address) ?? 0));
  const addresses = [...lastAt.keys()];
  const names = await findNames(ctx, caller, addresses);
  const isMatch = createWordMatcher(q);
  return addresses
    .map((address) => ({ address, name: names[address] ?? '', lastAt: lastAt.get(address)! }))
    .filter((contact) => isMatch([contact.address, contact.name]))
    .toSorted((a, b) => b.lastAt - a.lastAt || (a.address < b.address ? -1 : 1))
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

function refusalOf(check: () => void): Problem | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}
