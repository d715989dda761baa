// Access tokens of the mail service, encrypted, with a lease for the process that renews one.
import type { Query, Tx } from '../schema/schema.ts';

export interface MailToken {
  accessToken: string;
  refreshToken: string;
  renewAt: number;
  expiresAt: number;
}

export async function findMailToken(db: Query, id: string): Promise<MailToken | null> {
  const row = await db.selectFrom('mail_tokens').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined || row.sealed === null) return null;
  const secrets = JSON.parse(db.keys.openText('mail-settings', row.sealed, id)) as Pick<
    MailToken,
    'accessToken' | 'refreshToken'
  >;
  return { ...secrets, renewAt: row.renew_at, expiresAt: row.expires_at };
}

/** True for one process until it saves, releases, or the lease ends. */
export async function claimMailToken(tx: Tx, id: string, now: number, leaseEndsAt: number): Promise<boolean> {
  const claimed = await tx
    .insertInto('mail_tokens')
    .values({ id, sealed: null, renew_at: 0, expires_at: 0, lease_ends_at: leaseEndsAt })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ lease_ends_at: leaseEndsAt }).where('mail_tokens.lease_ends_at', '<=', now),
    )
    .executeTakeFirst();
  return Number(claimed.numInsertedOrUpdatedRows ?? 0) === 1;
}

export async function saveMailToken(tx: Tx, id: string, token: MailToken): Promise<void> {
  const { accessToken, refreshToken, renewAt, expiresAt } = token;
  const sealed = tx.keys.sealText('mail-settings', JSON.stringify({ accessToken, refreshToken }), id);
  await tx
    .updateTable('mail_tokens')
    .set({ sealed, renew_at: renewAt, expires_at: expiresAt, lease_ends_at: 0 })
    .where('id', '=', id)
    .execute();
}

export async function releaseMailToken(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('mail_tokens').set({ lease_ends_at: 0 }).where('id', '=', id).execute();
}
