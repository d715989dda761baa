// Browsers in which the password is enough for 30 days after a second step. Changes of the password or the second step, and
// ending all sessions, end them.
import {
  deleteRememberedBrowser,
  insertRememberedBrowser,
  listRememberedBrowsers,
  noteRememberedUse,
  type RememberedBrowser,
} from '../../db/passkeys/second-steps.ts';
import type { Tx } from '../../db/schema/schema.ts';
import type { Caller, UserCaller } from '../../domain/caller.ts';
import { notFound } from '../../domain/problem.ts';
import { describeAgent } from '../../lib/user-agent.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';

export const rememberedSeconds = 30 * 24 * 3600;

/** People who share a browser share its token. */
function hashOf(ctx: Ctx, userId: string, token: string): Buffer {
  return ctx.keys.hash('remembered-browser', `${userId}\0${token}`);
}

/** Returns the token for the cookie. */
export async function rememberBrowser(
  ctx: Ctx,
  caller: Caller,
  { userId, token }: { userId: string; token: string | undefined },
): Promise<string> {
  const kept = token ?? ctx.random.id(44);
  const now = ctx.clock.now();
  await ctx.db.write(async (tx) => {
    await insertRememberedBrowser(tx, {
      ...{ tokenHash: hashOf(ctx, userId, kept), userId, createdAt: now, usedAt: now },
      ...{ expiresAt: now + rememberedSeconds * 1000, address: caller.from.address, agent: caller.from.agent },
    });
    const about = { object: { kind: 'user', id: userId }, ownerId: userId } as const;
    await record(ctx, tx, caller, { action: 'session.browser_remembered', ...about });
  });
  return kept;
}

export function isRememberedBrowser(ctx: Ctx, tx: Tx, userId: string, token: string): Promise<boolean> {
  return noteRememberedUse(tx, userId, hashOf(ctx, userId, token), ctx.clock.now());
}

/** Names a browser and gives no access. */
const nameOf = ({ tokenHash }: RememberedBrowser) => tokenHash.subarray(0, 11).toString('hex');

export async function listOwnRememberedBrowsers(ctx: Ctx, caller: UserCaller) {
  const found = await listRememberedBrowsers(ctx.db.read, caller.userId, ctx.clock.now());
  return found.map((one) => ({ ...one, id: nameOf(one), ...describeAgent(one.agent) }));
}

export async function forgetOwnBrowser(ctx: Ctx, caller: UserCaller, id: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    const found = (await listRememberedBrowsers(tx, caller.userId, ctx.clock.now())).find((one) => nameOf(one) === id);
    if (found === undefined) throw notFound('browser');
    await deleteRememberedBrowser(tx, caller.userId, found.tokenHash);
    await record(ctx, tx, caller, {
      action: 'session.browser_forgotten',
      object: { kind: 'user', id: caller.userId },
      ownerId: caller.userId,
    });
  });
}
