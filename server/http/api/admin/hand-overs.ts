import {
  confirmHandOver,
  listHandOverConfirmations,
  requestHandOver,
} from '../../../actions/transfers/hand-over-confirmations.ts';
import type { Serve } from '../../endpoint.ts';

export function serveHandOvers(serve: Serve): void {
  serve('listHandOverConfirmations', async ({ ctx, caller }) => ({
    confirmations: await listHandOverConfirmations(ctx, caller),
  }));
  serve('requestHandOver', async ({ ctx, caller, body }) => ({
    confirmation: await requestHandOver(ctx, caller, body.confirmation),
  }));
  serve('confirmHandOver', async ({ ctx, caller, params }) => ({
    confirmation: await confirmHandOver(ctx, caller, params.id),
  }));
}
