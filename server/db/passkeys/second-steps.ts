import type { Tx } from '../schema/schema.ts';

export async function deleteOldRememberedBrowsers(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('remembered_browsers').where('expires_at', '<', now).execute();
}
