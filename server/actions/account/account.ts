// The caller's account: policy of the group, aliases and API keys.
import { type AccountFacts, findAccountFacts } from '../../db/users/account-facts.ts';
import { switchedOff, type UserCaller } from '../../domain/caller.ts';
import type { Ctx } from '../context.ts';
import { ownFiledrops } from '../filedrops/filedrops.ts';

export interface Account {
  caller: UserCaller;
  facts: Readonly<AccountFacts>;
  organisationName: string;
  filedrops: { random: string; email: string };
}

export async function getAccount(ctx: Ctx, caller: UserCaller): Promise<Account> {
  const facts = await findAccountFacts(ctx.db.read, caller.userId);
  if (facts === null) throw switchedOff();
  const { organisationName } = ctx.settings.current();
  return { caller, facts, organisationName, filedrops: await ownFiledrops(ctx, caller, facts) };
}
