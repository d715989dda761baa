import { endHold, listAllHolds, setHold } from '../../../actions/legal-holds/legal-holds.ts';
import type { Serve } from '../../endpoint.ts';

export function serveLegalHolds(serve: Serve): void {
  serve('listHolds', async ({ ctx, caller }) => ({ holds: await listAllHolds(ctx, caller) }));
  serve('setHold', async ({ ctx, caller, body }) => ({ hold: await setHold(ctx, caller, body.hold) }));
  serve('liftHold', async ({ ctx, caller, params, body }) => ({
    hold: await endHold(ctx, caller, params.id, body.lift.reason),
  }));
}
