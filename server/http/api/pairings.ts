import { fetchPairedKey, pollSeconds, startPairing } from '../../actions/pairings/pairings.ts';
import type { Serve } from '../endpoint.ts';

export function servePairings(serve: Serve): void {
  serve('startPairing', async ({ ctx, caller, body }) => ({
    pairing: { ...(await startPairing(ctx, caller, body.pairing.name)), pollSeconds },
  }));

  serve('claimPairing', async ({ ctx, caller, body }) => {
    const apiKey = await fetchPairedKey(ctx, caller, body.pairing.token);
    return { pairing: { state: apiKey === null ? ('waiting' as const) : ('ready' as const), apiKey } };
  });
}
