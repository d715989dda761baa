// What is left to set up, computed from facts: nothing is ticked off by hand.
import { findLastBackupRun } from '../../db/system/backup-runs.ts';
import { countSystemAdministrators, countUsers, findUser } from '../../db/users/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Ctx } from '../context.ts';

export type SetupStep =
  | 'mail'
  | 'public_address'
  | 'backup'
  | 'second_step'
  | 'second_administrator'
  | 'second_person'
  | 'branding';

export async function listSetupSteps(
  ctx: Ctx,
  caller: UserCaller,
  { canSendMail }: { canSendMail: boolean },
): Promise<SetupStep[]> {
  requireRight(caller, 'system.change');
  const { colour, logo } = ctx.settings.current().branding;
  const [backup, people, administrators, own] = await Promise.all([
    findLastBackupRun(ctx.db.read, 'backup', { isGood: true }),
    countUsers(ctx.db.read),
    countSystemAdministrators(ctx.db.read),
    findUser(ctx.db.read, caller.userId),
  ]);
  const isDone: Record<SetupStep, boolean> = {
    mail: canSendMail,
    public_address: !isLocal(ctx.settings.surroundings.baseUrl),
    backup: backup !== null,
    second_step: own !== undefined && (own.totpState === 'on' || own.passkeyCount > 0),
    second_administrator: administrators > 1,
    second_person: people > 1,
    branding: colour !== null || logo.light !== null || logo.dark !== null,
  };
  return (Object.keys(isDone) as SetupStep[]).filter((step) => !isDone[step]);
}

/** Links in mails would open on this machine only. */
function isLocal(baseUrl: string): boolean {
  return /^(?:(?:.+\.)?localhost|127\.[\d.]+|\[::1\])$/.test(new URL(baseUrl).hostname);
}
