// Queries on authenticator apps.
import { deleteRecoveryCodes } from '../passkeys/second-steps.ts';
import type { Query, Tx } from '../schema/schema.ts';

/** Null without one. */
export async function findTotpSecret(db: Query, userId: string): Promise<Buffer | null> {
  const row = await db.selectFrom('users').select('totp_sealed').where('id', '=', userId).executeTakeFirst();
  return row?.totp_sealed == null ? null : db.keys.open('totp', row.totp_sealed, userId);
}

/** Enables an authenticator app with the step of its first code; false when one is enabled. */
export async function saveTotpSecret(
  tx: Tx,
  userId: string,
  { secret, step }: { secret: Buffer; step: number },
): Promise<boolean> {
  const updated = await tx
    .updateTable('users')
    .set({ totp_sealed: tx.keys.seal('totp', secret, userId), totp_state: 'on', totp_last_step: step })
    .where('id', '=', userId)
    .where('totp_state', '<>', 'on')
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}

/** With its recovery codes. */
export async function deleteTotpSecret(tx: Tx, userId: string): Promise<void> {
  await deleteRecoveryCodes(tx, userId);
  await tx
    .updateTable('users')
    .set({ totp_sealed: null, totp_state: 'off', totp_last_step: 0 })
    .where('id', '=', userId)
    .execute();
}

/** Accepts a time step once; refuses a used or older code. */
export async function acceptTotpStep(tx: Tx, userId: string, step: number): Promise<boolean> {
  const updated = await tx
    .updateTable('users')
    .set({ totp_last_step: step })
    .where('id', '=', userId)
    .where('totp_last_step', '<', step)
    .executeTakeFirst();
  return Number(updated.numUpdatedRows) === 1;
}
