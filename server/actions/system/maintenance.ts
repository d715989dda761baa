// Maintenance mode: only administrators can sign in.
import type { Caller, UserCaller } from '../../domain/caller.ts';
import { closedFor, type Maintenance } from '../../domain/maintenance.ts';
import { invalid } from '../../domain/problem.ts';
import { type Ranked, requireRight } from '../../domain/roles.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { changeSettings } from '../settings.ts';

export async function beginMaintenance(
  ctx: Ctx,
  caller: UserCaller,
  input: { message: string; until: number | null },
): Promise<Maintenance> {
  requireRight(caller, 'system.change');
  const now = ctx.clock.now();
  const message = input.message.trim();
  if (input.until !== null && input.until <= now)
    throw invalid('maintenance.past', 'The end of the maintenance must be in the future.', 'until');
  if (/[\u0000-\u001f\u007f]/.test(message))
    throw invalid('maintenance.bad_message', 'The message must be one line of plain text.', 'message');
  const settings = await changeSettings(ctx, async (tx, current) => {
    const maintenance = { message, until: input.until, since: current.maintenance?.since ?? now };
    await record(ctx, tx, caller, {
      action: 'maintenance.begun',
      object: { kind: 'system', id: 'installation' },
      ownerId: '',
      facts: { message, from: current.maintenance === null ? 'off' : 'on' },
    });
    return { ...current, maintenance };
  });
  return settings.maintenance!;
}

export async function endMaintenance(ctx: Ctx, caller: UserCaller): Promise<void> {
  requireRight(caller, 'system.change');
  await changeSettings(ctx, async (tx, current) => {
    if (current.maintenance !== null)
      await record(ctx, tx, caller, {
        action: 'maintenance.ended',
        object: { kind: 'system', id: 'installation' },
        ownerId: '',
        facts: { minutes: Math.round((ctx.clock.now() - current.maintenance.since) / 60_000) },
      });
    return { ...current, maintenance: null };
  });
}

/** `who` is null for visitors. */
export function requireOpen(ctx: Ctx, who: Caller | Pick<Ranked, 'role'> | null): void {
  const { maintenance } = ctx.settings.current();
  if (maintenance === null) return;
  const closed = closedFor(maintenance, who !== null && 'role' in who ? who : null, ctx.clock.now());
  if (closed !== null) throw closed;
}
