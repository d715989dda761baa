// What a person is told about themselves: their group's rules with their own aliases and keys.
import { type AccountFacts, findAccountFacts } from '../../db/users.ts';
import { switchedOff, type UserCaller } from '../../domain/caller.ts';
import type { Ctx } from '../context.ts';
import { ownFiledrops } from '../filedrops/filedrops.ts';

export interface Account {
  caller: Omit<UserCaller, 'from'>;
  organisationName: string;
  senderAliases: string[];
  recipientAliases: string[];
  defaultSenderAlias: string;
  clientEncryptionKey: string;
  filedrops: { random: string; email: string };
}

// The database hands out the same facts while nobody changes anything; then the account is the same too.
const accountsOf = new WeakMap<Readonly<AccountFacts>, Account>();

/** The same object for as long as nothing in it has changed, so that what is made of it can be kept with it. */
export async function getAccount(ctx: Ctx, caller: UserCaller): Promise<Account> {
  const facts = await findAccountFacts(ctx.db.read, caller.userId);
  if (facts === null) throw switchedOff();
  const { organisationName } = ctx.settings.current();
  const known = accountsOf.get(facts);
  if (known !== undefined && known.organisationName === organisationName && isSameCaller(known.caller, caller))
    return known;
  const account: Account = {
    caller,
    organisationName,
    senderAliases: facts.senderAliases,
    recipientAliases: facts.recipientAliases,
    defaultSenderAlias: facts.defaultSenderAlias,
    clientEncryptionKey: facts.clientKey,
    filedrops: await ownFiledrops(ctx, caller, facts.dropName),
  };
  accountsOf.set(facts, account);
  return account;
}

/** What is known of caller and facts may be of different moments; a policy that reads the same is the same object. */
function isSameCaller(a: Account['caller'], b: Account['caller']): boolean {
  return (
    a.policy === b.policy &&
    a.email === b.email &&
    a.name === b.name &&
    a.groupId === b.groupId &&
    a.groupName === b.groupName &&
    a.isLocal === b.isLocal &&
    a.apiKeyExpiresAt === b.apiKeyExpiresAt
  );
}
