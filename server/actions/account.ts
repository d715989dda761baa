// What a person is told about themselves: their group's rules with their own aliases and keys.
import { findAccountFacts } from '../db/users.ts';
import type { UserCaller } from '../domain/caller.ts';
import type { Ctx } from './context.ts';
import { ownFiledrops } from './filedrops.ts';

export interface Account {
  caller: UserCaller;
  organisationName: string;
  senderAliases: string[];
  recipientAliases: string[];
  defaultSenderAlias: string;
  clientEncryptionKey: string;
  filedrops: { random: string; email: string };
}

export async function getAccount(ctx: Ctx, caller: UserCaller): Promise<Account> {
  const facts = await findAccountFacts(ctx.db.read, caller.userId);
  return {
    caller,
    organisationName: ctx.settings.current().organisationName,
    senderAliases: JSON.parse(facts?.sender_aliases ?? '[]') as string[],
    recipientAliases: JSON.parse(facts?.recipient_aliases ?? '[]') as string[],
    defaultSenderAlias: facts?.default_sender_alias ?? '',
    clientEncryptionKey:
      facts?.client_key_sealed == null ? '' : openClientKey(ctx, facts.client_key_sealed, caller.userId),
    filedrops: await ownFiledrops(ctx, caller, facts?.drop_name ?? null),
  };
}

// Opening it costs more than everything else here, and the database hands out the same bytes while nothing changes.
const openedClientKeys = new WeakMap<Buffer, string>();
function openClientKey(ctx: Ctx, sealed: Buffer, userId: string): string {
  const known = openedClientKeys.get(sealed);
  if (known !== undefined) return known;
  const key = ctx.keys.openText('client-key', sealed, userId);
  openedClientKeys.set(sealed, key);
  return key;
}
