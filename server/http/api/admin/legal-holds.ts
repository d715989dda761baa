// Legal holds, for administrators; auditors look.
import type { HoldBody } from '#contract/admin/legal-holds.ts';
import { endHold, listAllHolds, type NamedHold, setHold } from '../../../actions/legal-holds/legal-holds.ts';
import { isoInstant } from '../../../lib/dates.ts';
import type { Serve } from '../../endpoint.ts';

export function serveLegalHolds(serve: Serve): void {
  serve('listHolds', async ({ ctx, caller }) => ({ holds: (await listAllHolds(ctx, caller)).map(holdBody) }));
  serve('setHold', async ({ ctx, caller, body }) => ({ hold: holdBody(await setHold(ctx, caller, body.hold)) }));
  serve('liftHold', async ({ ctx, caller, params, body }) => ({
    hold: holdBody(await endHold(ctx, caller, params.id, body.lift.reason)),
  }));
}

function holdBody(hold: NamedHold): HoldBody {
  return {
    id: hold.id,
    kind: hold.targetKind,
    target: hold.target,
    owner: hold.ownerId,
    reason: hold.reason,
    set_by: hold.setBy,
    set_at: isoInstant(hold.setAt),
    lifted_by: hold.liftedBy,
    lifted_at: hold.liftedAt === null ? null : isoInstant(hold.liftedAt),
    lift_reason: hold.liftReason,
  };
}
