// Stores what the user asked for and the rules that judged it, in the same transaction as the transfer.

import { insertSend } from '../../db/messages/sends.ts';
import type { Tx } from '../../db/schema/schema.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { SendFacts } from '../../domain/sends.ts';
import type { Ctx } from '../context.ts';

export async function rememberSend(
  ctx: Ctx,
  tx: Tx,
  { userId, groupId, isLocal, policy }: UserCaller,
  { id, facts }: { id: string; facts: SendFacts },
): Promise<void> {
  await insertSend(tx, { id, userId, groupId, isLocal, policy, facts, sentAt: ctx.clock.now() });
}
