// Names for addresses, as the caller knows them: what people with an account here call themselves, else what the caller
// called them when writing to them. Shown to the caller alone (docs/adr/0049).
import {
  listAccountNames,
  listContactNames,
  type NamedAddress,
  putContactNames,
} from '../../db/contacts/contact-names.ts';
import type { Tx } from '../../db/schema/schema.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { parseAddress } from '../../lib/address.ts';
import type { Ctx } from '../context.ts';

/** By address; an address nobody has named is missing. */
export type Names = Record<string, string>;

const mostNameChars = 200;

export async function findNames(ctx: Ctx, caller: UserCaller, addresses: readonly string[]): Promise<Names> {
  const wanted = [...new Set(addresses)].filter((address) => address !== '');
  if (wanted.length === 0) return {};
  const given = await listContactNames(ctx.db.read, caller.userId, wanted);
  // Only colleagues learn whom an address belongs to.
  const accounts = caller.isLocal ? await listAccountNames(ctx.db.read, wanted) : [];
  const named = [...given, ...accounts].filter(({ name }) => isName(name));
  return Object.fromEntries(named.map(({ address, name }) => [address, name]));
}

/**
 * Part of sending. A name is a courtesy and never a reason to refuse: what is no name, or belongs to nobody this goes
 * to, is left out.
 */
export async function rememberNames(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  { names, addresses }: { names: readonly NamedAddress[]; addresses: readonly string[] },
): Promise<void> {
  const known = new Map<string, string>();
  for (const { address: typed, name: given } of names) {
    const address = parseAddress(typed.trim(), { allowSingleLabel: true })?.address;
    const name = readableName(given);
    if (address !== undefined && addresses.includes(address) && isName(name)) known.set(address, name);
  }
  const people = [...known].map(([address, name]) => ({ address, name }));
  await putContactNames(tx, caller.userId, people, ctx.clock.now());
}

/** An address in the place of a name could pass for another person's. */
function isName(text: string): boolean {
  return text !== '' && !text.includes('@');
}

/** One line without control characters; '' for what is too long to be a name. */
function readableName(text: string): string {
  const name = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .normalize('NFC');
  return name.length > mostNameChars ? '' : name;
}
