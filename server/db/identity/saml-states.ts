// Keys and metadata of SAML services, and used assertions.
import type { Query, Tx } from '../schema/schema.ts';

export interface SamlState {
  keyPem: string;
  certificate: string;
  /** Null if none was read from an address yet. */
  fetched: { metadata: string; url: string; at: number } | null;
}

export async function findSamlState(db: Query, service: string): Promise<SamlState | undefined> {
  const row = await db.selectFrom('saml_states').selectAll().where('service', '=', service).executeTakeFirst();
  if (row === undefined) return undefined;
  const { metadata, metadata_address: url, fetched_at: at, certificate } = row;
  return {
    keyPem: db.keys.openText('sign-in-service', row.key_sealed, `saml/${service}`),
    certificate,
    fetched: metadata === null || url === null || at === null ? null : { metadata, url, at },
  };
}

/** Keeps the key of whoever was first. */
export async function addSamlKey(
  tx: Tx,
  service: string,
  { keyPem, certificate }: { keyPem: string; certificate: string },
): Promise<void> {
  const sealed = tx.keys.sealText('sign-in-service', keyPem, `saml/${service}`);
  await tx
    .insertInto('saml_states')
    .values({ service, key_sealed: sealed, certificate, metadata: null, metadata_address: null, fetched_at: null })
    .onConflict((conflict) => conflict.column('service').doNothing())
    .execute();
}

export async function saveSamlMetadata(
  tx: Tx,
  service: string,
  { metadata, url, at }: NonNullable<SamlState['fetched']>,
): Promise<void> {
  await tx
    .updateTable('saml_states')
    .set({ metadata, metadata_address: url, fetched_at: at })
    .where('service', '=', service)
    .execute();
}

export async function deleteSamlState(tx: Tx, service: string): Promise<void> {
  await tx.deleteFrom('saml_states').where('service', '=', service).execute();
}

/** False if it was used before. */
export async function markAssertionUsed(tx: Tx, hash: Buffer, endsAt: number): Promise<boolean> {
  const added = await tx
    .insertInto('used_assertions')
    .values({ id_hash: hash, ends_at: endsAt })
    .onConflict((conflict) => conflict.column('id_hash').doNothing())
    .executeTakeFirst();
  return Number(added.numInsertedOrUpdatedRows) === 1;
}

export async function deleteOldAssertions(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('used_assertions').where('ends_at', '<', now).execute();
}
