// Networks from which an account was used recently. Attempts from other networks neither delay nor lock its owner there
// (docs/adr/0108).

import type { Tx } from '../../db/schema/schema.ts';
import { hasSignedInFrom, saveSignInNetwork } from '../../db/sessions/sign-in-networks.ts';
import { knownNetworkMs, maxKnownNetworks, type Subject } from '../../domain/attempt-limits.ts';
import { networkOf } from '../../lib/rate-limit.ts';
import type { Ctx } from '../context.ts';

export function isKnownNetwork(ctx: Ctx, userId: string, address: string): Promise<boolean> {
  const since = ctx.clock.now() - knownNetworkMs;
  return hasSignedInFrom(ctx.db.read, { userId, networkHash: networkHash(ctx, userId, address), since });
}

export function rememberNetwork(ctx: Ctx, tx: Tx, userId: string, address: string): Promise<void> {
  const hash = networkHash(ctx, userId, address);
  return saveSignInNetwork(tx, { userId, networkHash: hash, now: ctx.clock.now(), mostRows: maxKnownNetworks });
}

/** Includes the account, so that equal hashes do not reveal users of one network. */
function networkHash(ctx: Ctx, userId: string, address: string): Buffer {
  return ctx.keys.hash('sign-in-network', JSON.stringify([userId, networkOf(address)]));
}

/** Subject of attempts after the password or session was accepted. */
export async function placeOf(ctx: Ctx, userId: string, address: string): Promise<Subject> {
  const isKnown = await isKnownNetwork(ctx, userId, address);
  return { account: userId, place: isKnown ? networkOf(address) : '' };
}
