// The caller's own drop page.
import { replaceDropName } from '../../db/filedrops/filedrops.ts';
import { countSubmissions } from '../../db/messages/messages.ts';
import { findUser, lockUser, updateUser } from '../../db/users/users.ts';
import { confirmedEmail } from '../../domain/addresses.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid, notFound } from '../../domain/problem.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { ownFiledrops } from './filedrops.ts';

export interface OwnFiledrop {
  isAvailable: boolean;
  isOpen: boolean;
  randomUrl: string;
  emailUrl: string;
  confirmSender: boolean;
  maxSize: number;
  deliveries: number;
}

export async function getOwnFiledrop(ctx: Ctx, caller: UserCaller): Promise<OwnFiledrop> {
  const user = await findUser(ctx.db.read, caller.userId);
  if (user === undefined) throw notFound('user');
  const { random, email } = await ownFiledrops(ctx, caller, {
    dropName: user.dropName,
    confirmedEmail: confirmedEmail(user),
  });
  return {
    isAvailable: random !== '' || email !== '',
    isOpen: user.isDropOpen,
    randomUrl: random,
    emailUrl: email,
    confirmSender: caller.policy.filedrop_confirm_sender,
    maxSize: caller.policy.filedrop_max_size,
    deliveries: await countSubmissions(ctx.db.read, {
      ownerId: caller.userId,
      origin: 'filedrop',
      requestId: null,
      since: 0,
      now: ctx.clock.now(),
    }),
  };
}

/** A closed page looks like one that never existed. */
export async function switchFiledrop(ctx: Ctx, caller: UserCaller, isOpen: boolean): Promise<void> {
  requireDrop(caller);
  await ctx.db.write(async (tx) => {
    await updateUser(tx, caller.userId, { isDropOpen: isOpen }, ctx.clock.now());
    await record(ctx, tx, caller, {
      action: isOpen ? 'filedrop.opened' : 'filedrop.closed',
      object: { kind: 'user', id: caller.userId },
      ownerId: caller.userId,
    });
  });
}

/** The old address ends immediately, also for unfinished deliveries. */
export async function resetFiledrop(ctx: Ctx, caller: UserCaller): Promise<void> {
  requireDrop(caller);
  if (!caller.policy.filedrop_random)
    throw invalid('filedrop.no_random', 'The address of your drop page is made from your e-mail address and stays.');
  await ctx.db.write(async (tx) => {
    await lockUser(tx, caller.userId);
    await replaceDropName(tx, caller.userId, ctx.random.id(), ctx.clock.now());
    await record(ctx, tx, caller, {
      action: 'filedrop.reset',
      object: { kind: 'user', id: caller.userId },
      ownerId: caller.userId,
    });
  });
}

function requireDrop({ policy }: UserCaller): void {
  if (!policy.filedrop_random && !policy.filedrop_email)
    throw invalid('filedrop.not_permitted', 'Your group has no drop pages. Ask your administrator if you need one.');
}
