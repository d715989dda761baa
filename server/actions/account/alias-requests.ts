// Requests for another address, mailed to the System Administrators.
import type { Tx } from '../../db/schema/schema.ts';
import { listSystemAdministrators } from '../../db/users/users.ts';
import { attemptLimits } from '../../domain/attempt-limits.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid, Problem } from '../../domain/problem.ts';
import { readEmail } from '../../domain/users.ts';
import { takeAttemptIn } from '../attempts.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { readReason } from '../users/addresses.ts';
import { queueSecurityNotice } from './security-notices.ts';

export async function askForAlias(
  ctx: Ctx,
  caller: UserCaller,
  input: { address: string; reason: string },
): Promise<void> {
  if (!caller.policy.alias_requests)
    throw new Problem('forbidden', 'alias.not_permitted', 'Your group can’t ask for further addresses.');
  const address = readEmail(input.address, 'address');
  const reason = readReason(input.reason);
  if ([caller.email, ...caller.senderAliases, ...caller.recipientAliases].includes(address))
    throw invalid('alias.yours', 'This address is yours already.', 'address');
  await ctx.db.write(async (tx) => {
    await requireRequestAllowance(ctx, tx, caller);
    await record(ctx, tx, caller, {
      action: 'user.alias_asked',
      object: { kind: 'user', id: caller.userId },
      ownerId: caller.userId,
      facts: { address, reason },
    });
    for (const { id, email } of await listSystemAdministrators(tx))
      await queueSecurityNotice(ctx, tx, caller, {
        event: 'alias-asked',
        userId: id,
        to: email,
        account: caller.name === '' ? caller.email : `${caller.name} (${caller.email})`,
        alias: address,
        ...(reason === '' ? {} : { reason }),
      });
  });
}

/** Exact under concurrent requests. */
async function requireRequestAllowance(ctx: Ctx, tx: Tx, caller: UserCaller): Promise<void> {
  const attempt = await takeAttemptIn(ctx, tx, ['aliasRequests'], { account: caller.userId });
  if (attempt.isAllowed) return;
  const { most } = attemptLimits.aliasRequests;
  throw new Problem('rate_limited', 'alias.limit', `You can ask for ${most} addresses a day.`, {
    retryAfterSeconds: Math.ceil(attempt.waitMs / 1000),
  }).withValues({ n: most });
}
