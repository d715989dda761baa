// Reveals the subject of a transfer, or the file name of a link, to System Administrators who give a reason.
import { findFileLink } from '../../db/file-links/file-links.ts';
import { findFileRequest } from '../../db/file-requests/file-requests.ts';
import { findSubject } from '../../db/messages/messages.ts';
import type { Query } from '../../db/schema/schema.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { invalid } from '../../domain/problem.ts';
import { requireRight } from '../../domain/roles.ts';
import type { TransferHead } from '../../domain/transfers.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { findActable, objectKindOf } from './transfers.ts';

export async function readSubject(
  ctx: Ctx,
  caller: UserCaller,
  id: string,
  { reason }: { reason: string },
): Promise<string> {
  requireRight(caller, 'system.change');
  if (reason.trim().length < 3)
    throw invalid('transfer.no_reason', 'Say why you need to see the subject. The log keeps your reason.', 'reason');
  return ctx.db.write(async (tx) => {
    const transfer = await findActable(ctx, tx, caller, id);
    await record(ctx, tx, caller, {
      action: 'transfer.subject_read',
      object: { kind: objectKindOf(transfer), id },
      // Keeps the event from the owner.
      ownerId: '',
      facts: { reason: reason.trim() },
    });
    return subjectOf(tx, transfer);
  });
}

async function subjectOf(db: Query, { id, kind }: TransferHead): Promise<string> {
  if (kind === 'link') return (await findFileLink(db, id))?.fileName ?? '';
  if (kind === 'request') return (await findFileRequest(db, id))?.subject ?? '';
  return (await findSubject(db, id)) ?? '';
}
