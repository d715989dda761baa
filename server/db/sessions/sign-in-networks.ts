// Networks from which users signed in, as keyed hashes (docs/adr/0108).
import type { Query, Tx } from '../schema/schema.ts';

export async function hasSignedInFrom(
  db: Query,
  { userId, networkHash, since }: { userId: string; networkHash: Buffer; since: number },
): Promise<boolean> {
  const row = await db
    .selectFrom('sign_in_networks')
    .select('last_at')
    .where('user_id', '=', userId)
    .where('network_hash', '=', networkHash)
    .where('last_at', '>', since)
    .executeTakeFirst();
  return row !== undefined;
}

/** Stores only the latest of each user. */
export async function saveSignInNetwork(
  tx: Tx,
  { userId, networkHash, now, mostRows }: { userId: string; networkHash: Buffer; now: number; mostRows: number },
): Promise<void> {
  await tx
    .insertInto('sign_in_networks')
    .values({ user_id: userId, network_hash: networkHash, last_at: now })
    .onConflict((conflict) => conflict.columns(['user_id', 'network_hash']).doUpdateSet({ last_at: now }))
    .execute();
  await tx
    .deleteFrom('sign_in_networks')
    .where('user_id', '=', userId)
    .where('last_at', '<', (eb) =>
      eb
        .selectFrom('sign_in_networks as latest')
        .select('latest.last_at')
        .where('latest.user_id', '=', userId)
        .orderBy('latest.last_at', 'desc')
        .limit(1)
        .offset(mostRows - 1),
    )
    .execute();
}

export async function deleteOldSignInNetworks(tx: Tx, before: number): Promise<void> {
  await tx.deleteFrom('sign_in_networks').where('last_at', '<=', before).execute();
}
