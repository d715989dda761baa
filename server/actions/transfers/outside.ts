// External domains with open transfers.
import { listOpenDomains, type OpenDomain } from '../../db/messages/outside-recipients.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Ctx } from '../context.ts';
import { scopeOf } from './transfers.ts';

export async function listOutside(ctx: Ctx, caller: UserCaller): Promise<OpenDomain[]> {
  requireRight(caller, 'console.read');
  return listOpenDomains(ctx.db.read, await scopeOf(ctx, caller));
}
