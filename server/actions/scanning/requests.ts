// Puts new files into the queue of the virus scanner and the content rules.
import { insertScan } from '../../db/scanning/file-scans.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { findUser } from '../../db/users/users.ts';
import type { Caller, UserCaller } from '../../domain/caller.ts';
import type { Policy } from '../../domain/policy.ts';
import { hasScanner } from '../../domain/scanner-settings.ts';
import { isScanRequired, type ScanState } from '../../domain/scanning.ts';
import type { Ctx } from '../context.ts';

/** Of a file that the caller uploads. */
export function scanStateOfNew(ctx: Pick<Ctx, 'settings'>, { policy }: Pick<UserCaller, 'policy'>): ScanState {
  return isScanRequired(hasScanner(ctx.settings), policy) ? 'waiting' : 'free';
}

/** The rules are those of the group of the owner, also for files from outside. */
export async function requestScanOfNew(
  ctx: Ctx,
  tx: Tx,
  caller: Caller,
  file: { id: string; ownerId: string },
): Promise<ScanState> {
  const isScanning = hasScanner(ctx.settings);
  const policy = await findPolicy(tx, caller, file.ownerId);
  if (policy === null ? !isScanning : !isScanRequired(isScanning, policy)) return 'free';
  await insertScan(tx, file.id, ctx.clock.now());
  return 'waiting';
}

async function findPolicy(tx: Tx, caller: Caller, ownerId: string): Promise<Policy | null> {
  if ('policy' in caller && caller.userId === ownerId) return (caller as UserCaller).policy;
  return (await findUser(tx, ownerId))?.policy ?? null;
}
