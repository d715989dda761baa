// Names of addresses as the caller sees them: account name, else the caller's own entry (docs/adr/0049).
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

/** By address; unnamed addresses are missing. */
export type Names = Record<string, string>;

const maxNameChars = 200;

export async function findNames(ctx: Ctx, caller: UserCaller, addresses: readonly string[]): Promise<Names> {
  const unique = [...new Set(addresses)].filter((address) => address !== '');
  if (unique.length === 0) return {};
  const own = await listContactNames(ctx.db.read, caller.userId, unique);
  // Only local users may learn names of accounts.
  const accounts = caller.isLocal ? await listAccountNames(ctx.db.read, unique) : [];
  const named = [...own, ...accounts].filter(({ name }) => isName(name));
  return Object.fromEntries(named.map(({ address, name }) => [address, name]));
}

/** Part of sending, and never a reason to refuse: skips invalid names and addresses that are no recipients. */
export async function rememberNames(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  { names, addresses }: { names: readonly NamedAddress[]; addresses: readonly string[] },
): Promise<void> {
  const nameOf = new Map<string, string>();
  for (const { address: addressInput, name: nameInput } of names) {
    const address = parseAddress(addressInput.trim(), { allowSingleLabel: true })?.address;
    const name = readableName(nameInput);
    if (address !== undefined && addresses.includes(address) && isName(name)) nameOf.set(address, name);
  }
  const named = [...nameOf].map(([address, name]) => ({ address, name }));
  await putContactNames(tx, caller.userId, named, ctx.clock.now());
}

/** An address as a name could impersonate another person. */
function isName(text: string): boolean {
  return text !== '' && !text.includes('@');
}

/** One line without control characters; '' if too long. */
function readableName(text: string): string {
  const name = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .normalize('NFC');
  return name.length > maxNameChars ? '' : name;
}
