// Erasing a person because they asked for it, or because the law does: first what it would mean, then the deed. It goes
// further than deleting an account, which keeps the texts of messages for the log of those who received them.
import { listAttachmentIdsOf } from '../../db/attachments.ts';
import { blankTextsOf, countWrittenBy, dropMailsOf } from '../../db/erasure.ts';
import { listFileLinkIdsOf } from '../../db/file-links.ts';
import { listMessageIdsOf } from '../../db/messages.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid } from '../../domain/problem.ts';
import { demandRight } from '../../domain/roles.ts';
import type { User } from '../../domain/users.ts';
import type { Ctx } from '../context.ts';
import { erasePersonFromEvents } from '../evidence/erase.ts';
import { demandReason } from './access.ts';
import { findVisible } from './rights.ts';
import { deleteUser } from './users.ts';

export interface ErasurePlan {
  messages: number;
  links: number;
  requests: number;
  files: number;
  bytes: number;
}

export async function planErasure(ctx: Ctx, caller: UserCaller, id: string): Promise<ErasurePlan> {
  demandRight(caller, 'people.manage');
  return planFor(ctx, await findVisible(ctx.db.read, caller, id));
}

async function planFor(ctx: Ctx, user: User): Promise<ErasurePlan> {
  const db = ctx.db.read;
  const [messages, links, files, { requests }] = await Promise.all([
    listMessageIdsOf(db, user.id),
    listFileLinkIdsOf(db, user.id),
    listAttachmentIdsOf(db, user.id),
    countWrittenBy(db, user.id),
  ]);
  return {
    messages: messages.length,
    links: links.length,
    requests,
    files: files.length,
    bytes: user.storedBytes,
  };
}

/** Returns what was erased. Access ends before anything else, so that nothing new comes while it runs. */
export async function erasePerson(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  { email, reason }: { email: string; reason: string },
): Promise<ErasurePlan> {
  demandRight(caller, 'people.manage');
  const why = demandReason(reason);
  const user = await findVisible(ctx.db.read, caller, id);
  if (email.trim().toLowerCase() !== user.email.toLowerCase())
    throw invalid('user.erasure_unconfirmed', 'Type the e-mail address of the person whom you want to erase.', 'email');
  const plan = await planFor(ctx, user);
  const addresses = [...new Set([user.email, ...user.senderAliases, ...user.recipientAliases])];
  await deleteUser(ctx, caller, user.id, { why: 'request', reason: why });
  await ctx.db.write(async (tx) => {
    await dropMailsOf(tx, { userId: user.id, addresses }, ctx.clock.now());
    await blankTextsOf(tx, user.id, ctx.clock.now());
  });
  await erasePersonFromEvents(ctx, caller, { userId: user.id, addresses, name: user.name });
  return plan;
}
